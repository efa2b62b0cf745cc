import TinyQueue from 'tinyqueue'
import { isIndexed, type Container, type DocumentVersion } from '../engine/index.js'
import type { CountedDocument } from '../query/index.js'
import { isPoint, presentSpan } from '../query/values/span.js'
import { compareValues, memberOf } from '../query/values/values.js'
import { matchOf, type Cell, type DocumentGroup, type Wanted } from './summaries/block-summary.js'
import { blocksOf, candidatesIn, placesIn, type BlockCandidate, type Candidate } from './candidates.js'
import { documentOf } from './covered-documents.js'
import { IndexPending } from './index-pending.js'
import { KeptSummaries } from './summaries/kept-summaries.js'
import type { IndexReading, ReadingRequest } from './reading-request.js'

/** The number of documents that a query may always read, and the number for each document that certainly matches. */
const [fewReads, readsPerMatch] = [2_048, 32]

/** The documents of a scope that have not expired. */
type Visible = (versions: Iterable<DocumentVersion>) => Iterable<DocumentVersion>

/** What a query wants at the paths of the summaries. */
interface Filter {
  readonly wanted: readonly Wanted[]
  /** Whether the filter also compares values that the summaries do not have, so that no match is certain. */
  readonly isNarrower: boolean
}

/** A query, the paths of the summaries, and what it wants at them. */
interface Plan extends Filter {
  readonly container: Container
  readonly request: ReadingRequest
  readonly summaries: KeptSummaries
  readonly visible: Visible
}

/**
 * Returns how to read the documents of a query by the summaries of blocks, or undefined if that costs too much. The
 * caller must still apply the filter.
 *
 * @param isWhole whether the scope has all documents, and none of them has expired
 */
export function summarizedReading(
  container: Container,
  request: ReadingRequest,
  { visible, isWhole }: { readonly visible: Visible; readonly isWhole: boolean },
): IndexReading | undefined {
  if (request.scope.kind === 'key') return undefined
  const summaries = KeptSummaries.of(container)
  const filter = summaries && filterOf(container, summaries, request)
  if (summaries === null || filter === null) return undefined
  if (request.mayWait === true && !summaries.isReady) throw new IndexPending(summaries.caughtUp())
  if (!summaries.catchUp()) return undefined
  const plan = { container, request, summaries, ...filter, visible }
  const candidates = candidatesIn(summaries.chapters(), (group) => {
    const match = matchOf(group, filter.wanted)
    return match === 'all' && filter.isNarrower ? 'some' : match
  })
  return (
    orderedReading(plan, candidates) ??
    (isWhole ? coveredReading(plan, candidates) : undefined) ??
    filteredReading(plan, candidates)
  )
}

/** Returns what the filter wants at the paths of the summaries. Null if they do not help. */
function filterOf(
  container: Container,
  summaries: KeptSummaries,
  { query: { conditions, presences, order } }: ReadingRequest,
): Filter | null {
  const { indexingPolicy } = container.definition
  const wanted: Wanted[] = []
  let isNarrower = false
  for (const { steps, spans } of conditions) {
    const place = summaries.placeOf(steps)
    if (place >= 0) wanted.push({ place, spans })
    else if (isIndexed(indexingPolicy, steps)) isNarrower = true
  }
  for (const steps of presences) {
    const place = summaries.placeOf(steps)
    if (place >= 0) wanted.push({ place, spans: [presentSpan()] })
  }
  const isOrdered = order.length === 1 && summaries.placeOf(order[0]?.steps ?? []) >= 0
  return wanted.length > 0 || (isOrdered && !isNarrower) ? { wanted, isNarrower } : null
}

/** Reads the blocks in the order of their first values, each only when one of its values may come next. */
function orderedReading(plan: Plan, candidates: readonly Candidate[]): IndexReading | undefined {
  const { request, summaries } = plan
  const [key, ...others] = request.query.order
  const place = key === undefined || others.length > 0 ? -1 : summaries.placeOf(key.steps)
  if (key === undefined || place < 0) return undefined
  const sign = key.isDescending ? -1 : 1
  const compare = (one: unknown, other: unknown): number => sign * compareValues(one, other)
  const isEachKnown = candidates.every(({ groups }) =>
    groups.every(({ cells }) => isKnown(cells[place] ?? null)),
  )
  if (!isEachKnown) return undefined
  const valueOf = ({ document }: DocumentVersion): unknown => key.steps.reduce<unknown>(memberOf, document)
  const valuesOf = ({ groups }: Candidate): readonly unknown[] =>
    groups.flatMap(({ cells }) => cells[place] ?? [])
  const firstOf = (one: Candidate): unknown => valuesOf(one).reduce(before(compare))
  const from = request.place?.keys
  const isBefore = (one: Candidate): boolean =>
    from !== undefined && valuesOf(one).every((value) => compare(value, from[0]) < 0)
  const order: Order = { compare, valueOf, firstOf, isBefore }
  if (!isCheap(blocksInOrder(candidates, order), request.needed)) return undefined
  return { isOrdered: true, versions: inOrder(plan, candidates, order), canContinue: true }
}

/** Returns a function that returns the first of two values in an order. */
function before(compare: Order['compare']): (one: unknown, other: unknown) => unknown {
  return (one, other) => (compare(other, one) < 0 ? other : one)
}

/** Yields the blocks in the order of their first values. A chapter becomes its blocks when its first value is next. */
function* blocksInOrder(
  candidates: readonly Candidate[],
  { compare, firstOf, isBefore }: Order,
): Generator<BlockCandidate, void, undefined> {
  const withFirst = (candidate: Candidate) => ({ candidate, value: firstOf(candidate) })
  const needed = candidates.filter((candidate) => !isBefore(candidate))
  const waiting = new TinyQueue(needed.map(withFirst), (one, other) => compare(one.value, other.value))
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { within } = next.candidate
    if (typeof within === 'number') yield { ...next.candidate, within }
    else for (const candidate of within()) if (!isBefore(candidate)) waiting.push(withFirst(candidate))
  }
}

interface Order {
  readonly compare: (one: unknown, other: unknown) => number
  readonly valueOf: (version: DocumentVersion) => unknown
  /** Returns the first value that a matching document may have. */
  readonly firstOf: (candidate: Candidate) => unknown
  /** Whether the values of all matching documents come before the place from which documents are needed. */
  readonly isBefore: (candidate: Candidate) => boolean
}

function* inOrder(
  plan: Plan,
  candidates: readonly Candidate[],
  order: Order,
): Generator<DocumentVersion, void, undefined> {
  let waiting: { readonly version: DocumentVersion; readonly value: unknown }[] = []
  const { compare, valueOf } = order
  for (const block of blocksInOrder(candidates, order)) {
    const first = order.firstOf(block)
    // Documents with equal values have the order of creation, so all of them must be read first.
    const open = waiting.findIndex(({ value }) => compare(value, first) >= 0)
    const end = open < 0 ? waiting.length : open
    for (const { version } of waiting.slice(0, end)) yield version
    const read = Array.from(orOther(plan, block), (version) => ({ version, value: valueOf(version) }))
    waiting = [...waiting.slice(end), ...read].sort(
      (one, other) => compare(one.value, other.value) || one.version.number - other.version.number,
    )
  }
  for (const { version } of waiting) yield version
}

/** Answers from the summaries alone where all documents of a group are alike. */
function coveredReading(plan: Plan, candidates: readonly Candidate[]): IndexReading | undefined {
  const { request, summaries, wanted } = plan
  const { readPaths, isStreaming } = request.query
  if (readPaths === null || isStreaming) return undefined
  const places = readPaths.map((path) => summaries.placeOf(path))
  const isFixed = (place: number): boolean =>
    wanted.some((one) => one.place === place && one.spans.every(isPoint))
  if (!places.every(isFixed)) return undefined
  const isKnownWhole = ({ groups }: Candidate): boolean => groups.every((group) => isAlike(group, places))
  const parts = candidates.flatMap((one) => (isKnownWhole(one) ? [one] : [...blocksOf([one])]))
  if (!isCheap(blocksOf(parts.filter((one) => !isKnownWhole(one))), Number.POSITIVE_INFINITY))
    return undefined
  return {
    isOrdered: false,
    versions: allIn(plan, candidates),
    covered: {
      *[Symbol.iterator]() {
        for (const part of parts) {
          if (isKnownWhole(part)) for (const group of part.groups) yield countedOf(group, readPaths, places)
          else for (const { document } of allIn(plan, [part])) yield [document, 1]
        }
      },
    },
  }
}

function isAlike({ cells }: DocumentGroup, places: readonly number[]): boolean {
  return places.every((place) => {
    const cell = cells[place] ?? null
    return isKnown(cell) && compareValues(cell[0], cell[1]) === 0
  })
}

function countedOf(
  { count, cells }: DocumentGroup,
  paths: readonly (readonly string[])[],
  places: readonly number[],
): CountedDocument {
  return [documentOf(paths.map((path, at) => [path, cells[places[at] ?? -1]?.[0]])), count]
}

/** Reads the blocks with documents that may match. */
function filteredReading(plan: Plan, candidates: readonly Candidate[]): IndexReading | undefined {
  const { needed, query } = plan.request
  if (plan.wanted.length === 0) return undefined
  if (!isCheap(blocksOf(candidates), query.isStreaming ? needed : Number.POSITIVE_INFINITY)) return undefined
  return { isOrdered: false, versions: allIn(plan, candidates) }
}

function* allIn(plan: Plan, candidates: readonly Candidate[]): Generator<DocumentVersion, void, undefined> {
  for (const block of blocksOf(candidates)) yield* documentsIn(plan, block)
}

/** Yields the documents of a block that may match. */
function* documentsIn(plan: Plan, block: BlockCandidate): Generator<DocumentVersion, void, undefined> {
  const { requiredTexts } = plan.request.query
  for (const version of visibleIn(plan, block)) if (version.mayHold(requiredTexts)) yield version
}

/** Yields the documents of a block that may match or, if there are none, another document of the block. */
function* orOther(plan: Plan, block: BlockCandidate): Generator<DocumentVersion, void, undefined> {
  const { requiredTexts } = plan.request.query
  let other: DocumentVersion | null = null
  let isFound = false
  for (const version of visibleIn(plan, block)) {
    if (!version.mayHold(requiredTexts)) {
      other = version
      continue
    }
    isFound = true
    yield version
  }
  if (!isFound && other !== null) yield other
}

function visibleIn(
  { summaries, visible }: Plan,
  { within: block, groups }: BlockCandidate,
): Iterable<DocumentVersion> {
  return visible(summaries.documentsOf(block, placesIn(groups)))
}

/** Checks whether reading blocks until enough documents match costs little. */
function isCheap(blocks: Iterable<BlockCandidate>, needed: number): boolean {
  let [certain, reads] = [0, 0]
  for (const one of blocks) {
    if (certain >= needed) break
    certain += one.certain
    reads += one.reads
  }
  return reads <= fewReads + readsPerMatch * certain
}

function isKnown(cell: Cell): cell is NonNullable<Cell> {
  return cell !== null
}
