import type { BlockSummary, DocumentGroup } from './block-summary.js'
import type { Chapter } from './chapter.js'

/** Says whether none, some or all documents of a group are wanted. `some` may also be none or all. */
export type Match = (group: DocumentGroup) => 'none' | 'some' | 'all'

/** A block, or a chapter of blocks, that may have documents which match a filter. */
export interface Candidate {
  /** The groups that may match. */
  readonly groups: readonly DocumentGroup[]
  /** The number of documents that certainly match. */
  readonly certain: number
  /** The places of the groups in the block or chapter, in order. Null if they are too many. */
  readonly places: readonly number[] | null
  /** The block, or a function that returns the blocks of the chapter that may have documents. */
  readonly within: number | (() => readonly Candidate[])
}

/** A candidate that is a block. */
export type BlockCandidate = Candidate & { readonly within: number }

/** Returns the chapters that may have wanted documents. */
export function candidatesIn(chapters: readonly Chapter[], match: Match): readonly Candidate[] {
  return chapters.flatMap((chapter) => {
    const blocksAt = (places: readonly number[] | null): readonly Candidate[] =>
      chapter.blocks(places).flatMap(([block, summary]) => candidateOf(summary, match, () => block))
    const { summary } = chapter
    if (summary === null) return blocksAt(null)
    return candidateOf(summary, match, (places) => once(() => blocksAt(places)))
  })
}

function once<T>(work: () => T): () => T {
  let done: { readonly result: T } | undefined
  return () => (done ??= { result: work() }).result
}

function candidateOf(
  summary: BlockSummary,
  matchOf: Match,
  within: (places: readonly number[] | null) => Candidate['within'],
): readonly Candidate[] {
  const groups: DocumentGroup[] = []
  let certain = 0
  for (const group of summary) {
    const match = matchOf(group)
    if (match === 'none') continue
    groups.push(group)
    if (match === 'all') certain += group.count
  }
  if (groups.length === 0) return []
  const places = placesOf(groups)
  return [{ groups, certain, places, within: within(places) }]
}

function placesOf(groups: readonly DocumentGroup[]): readonly number[] | null {
  const places = new Set<number>()
  for (const group of groups) {
    if (group.places === null) return null
    for (const place of group.places) places.add(place)
  }
  return [...places].sort((one, other) => one - other)
}

/** Yields the blocks of candidates. Looks at a chapter only when its blocks are next. */
export function* blocksOf(candidates: Iterable<Candidate>): Generator<BlockCandidate, void, undefined> {
  for (const candidate of candidates) {
    const { within } = candidate
    if (typeof within === 'number') yield { ...candidate, within }
    else yield* blocksOf(within())
  }
}
