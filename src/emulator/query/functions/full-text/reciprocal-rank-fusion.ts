/** The scores of all documents by one scoring function, in the order of the documents. */
export interface Ranking {
  /** Higher scores rank first. A document without a score ranks last. */
  readonly scores: readonly (number | undefined)[]
  /**
   * How much the ranking counts. Default: 1. With a negative weight, a document that ranks first loses the
   * most.
   */
  readonly weight?: number
}

/** The constant with which the service and its clients soften the difference between the first ranks. */
const softening = 60

/**
 * Fuses several rankings of the same documents into one score for each document (reciprocal rank fusion). A higher
 * fused score is better.
 */
export function reciprocalRankFusion(rankings: readonly Ranking[]): readonly number[] {
  const fused: number[] = []
  for (const { scores, weight = 1 } of rankings) {
    for (const [index, rank] of ranksOf(scores).entries()) {
      fused[index] = (fused[index] ?? 0) + weight / (softening + rank)
    }
  }
  return fused
}

/** Returns the rank of each document, beginning with 1. Documents with the same score have the same rank. */
function ranksOf(scores: readonly (number | undefined)[]): readonly number[] {
  const order = [...scores.keys()].sort((left, right) => compare(scores[left], scores[right]))
  const ranks: number[] = []
  let rank = 0
  let last: number | undefined | null = null
  for (const index of order) {
    const score = scores[index]
    if (score !== last) rank += 1
    last = score
    ranks[index] = rank
  }
  return ranks
}

function compare(left: number | undefined, right: number | undefined): number {
  if (left === undefined || right === undefined)
    return Number(left === undefined) - Number(right === undefined)
  return right - left
}
