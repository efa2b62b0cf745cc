/** The scores of all documents by one scoring function, in the order of the documents. */
export interface Ranking {
  /** Higher scores rank first. A document without a score ranks last. */
  readonly scores: readonly (number | undefined)[]
  /**
   * The weight of the ranking in the sum. Default: 1. With a negative weight, lower scores rank first, but a
   * document without a score still ranks last.
   */
  readonly weight?: number
}

/** The constant with which the service and its clients soften the difference between the first ranks. */
const softening = 60

/**
 * Fuses several rankings of the same documents into one score for each document (reciprocal rank fusion). A
 * higher fused score is better.
 */
export function reciprocalRankFusion(rankings: readonly Ranking[]): readonly number[] {
  const fused: number[] = []
  for (const { scores, weight = 1 } of rankings) {
    for (const [index, rank] of ranksOf(scores, weight < 0 ? -1 : 1).entries()) {
      fused[index] = (fused[index] ?? 0) + Math.abs(weight) / (softening + rank)
    }
  }
  return fused
}

/** Returns the rank of each document, beginning with 1. Documents with the same score have the same rank. */
function ranksOf(scores: readonly (number | undefined)[], direction: 1 | -1): readonly number[] {
  const order = [...scores.keys()].sort((left, right) =>
    compareScores(scores[left], scores[right], direction),
  )
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

/**
 * Compares two scores. The higher score comes first, or the lower one if the direction is -1. A missing score
 * always comes last.
 */
export function compareScores(
  left: number | undefined,
  right: number | undefined,
  direction: 1 | -1,
): number {
  if (left === undefined || right === undefined)
    return Number(left === undefined) - Number(right === undefined)
  return left === right ? 0 : (right - left) * direction
}
