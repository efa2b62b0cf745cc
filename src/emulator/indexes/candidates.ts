import { documentsPerBlock } from '../engine/index.js'
import { unionOf, type BlockSummary, type DocumentGroup, type Places } from './summaries/block-summary.js'
import type { Chapter } from './summaries/chapter.js'

/** Says whether none, some or all documents of a group are wanted. `some` may also be none or all. */
export type Match = (group: DocumentGroup) => 'none' | 'some' | 'all'

/** A block, or a chapter of blocks, that may have documents which match a filter. */
export interface Candidate {
  /** The groups that may match. */
  readonly groups: readonly DocumentGroup[]
  /** The number of documents that certainly match. */
  readonly certain: number
  /** The number of documents to read. */
  readonly reads: number
  /** The block, or a function that returns the blocks of the chapter that may have documents. */
  readonly within: number | (() => readonly Candidate[])
}

/** A candidate that is a block. */
export type BlockCandidate = Candidate & { readonly within: number }

/** Returns the chapters that may have wanted documents. */
export function candidatesIn(chapters: readonly Chapter[], match: Match): readonly Candidate[] {
  return chapters.flatMap((chapter) => {
    const blocksOf = (groups: readonly DocumentGroup[]): readonly Candidate[] =>
      chapter.blocks(placesIn(groups)).flatMap(([block, summary]) => candidateOf(summary, match, () => block))
    return candidateOf(chapter.summary(), match, (groups) => once(() => blocksOf(groups)))
  })
}

function once<T>(work: () => T): () => T {
  let done: { readonly result: T } | undefined
  return () => (done ??= { result: work() }).result
}

function candidateOf(
  summary: BlockSummary,
  matchOf: Match,
  within: (groups: readonly DocumentGroup[]) => Candidate['within'],
): readonly Candidate[] {
  const groups: DocumentGroup[] = []
  let [certain, reads] = [0, 0]
  for (const group of summary) {
    const match = matchOf(group)
    if (match === 'none') continue
    groups.push(group)
    reads += group.places === null ? documentsPerBlock : group.count
    if (match === 'all') certain += group.count
  }
  return groups.length === 0 ? [] : [{ groups, certain, reads, within: within(groups) }]
}

/** Returns the places of groups in their block or chapter, in order. Null if they are not known. */
export function placesIn(groups: readonly DocumentGroup[]): readonly number[] | null {
  const lists: Places[] = []
  for (const { places } of groups) {
    if (places === null) return null
    lists.push(places)
  }
  return unionOf(lists)
}

/** Yields the blocks of candidates. Looks at a chapter only when its blocks are next. */
export function* blocksOf(candidates: Iterable<Candidate>): Generator<BlockCandidate, void, undefined> {
  for (const candidate of candidates) {
    const { within } = candidate
    if (typeof within === 'number') yield { ...candidate, within }
    else yield* blocksOf(within())
  }
}
