import {
  documentsPerBlock,
  isIndexed,
  type Container,
  type DocumentVersion,
  type JsonObject,
} from '../engine/index.js'
import { isPoint, presentSpan } from '../query/values/span.js'
import { compareValues, memberOf } from '../query/values/values.js'
import { matchOf, type BlockSummary, type Cell, type DocumentGroup, type Wanted } from './block-summary.js'
import { documentOf } from './covered-documents.js'
import { IndexPending } from './index-pending.js'
import { KeptSummaries } from './kept-summaries.js'
import type { IndexReading, ReadingRequest } from './reading-request.js'

/** The documents that a query may read for a start, and for each document that certainly matches. */
const [fewReads, readsPerMatch] = [2_048, 32]

/** The documents of a scope that have not expired. */
type Visible = (versions: Iterable<DocumentVersion>) => Iterable<DocumentVersion>

/** A block that may have documents which match a filter. */
interface Candidate {
  readonly block: number
  /** The groups that may match. */
  readonly groups: readonly DocumentGroup[]
  /** The number of documents that certainly match. */
  readonly certain: number
}

/** A query, the paths of the summaries, and what it wants at them. */
interface Plan {
  readonly container: Container
  readonly request: ReadingRequest
  readonly summaries: KeptSummaries
  readonly wanted: readonly Wanted[]
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
  const wanted = summaries && wantedAt(container, summaries, request)
  if (summaries === null || wanted === null) return undefined
  if (request.mayWait === true && !summaries.isReady) throw new IndexPending(summaries.caughtUp())
  if (!summaries.catchUp()) return undefined
  const plan = { container, request, summaries, wanted, visible }
  const candidates = summaries.blocks().flatMap(([block, summary]) => candidateOf(block, summary, wanted))
  return (
    orderedReading(plan, candidates) ??
    (isWhole ? coveredReading(plan, candidates) : undefined) ??
    filteredReading(plan, candidates)
  )
}

/** Returns what the filter wants at the paths of the summaries. Null if only another index helps. */
function wantedAt(
  container: Container,
  summaries: KeptSummaries,
  { query: { conditions, presences, order } }: ReadingRequest,
): readonly Wanted[] | null {
  const { indexingPolicy } = container.definition
  const wanted: Wanted[] = []
  for (const { steps, spans } of conditions) {
    const place = placeOf(summaries, steps)
    if (place >= 0) wanted.push({ place, spans })
    else if (isIndexed(indexingPolicy, steps)) return null
  }
  for (const steps of presences) {
    const place = placeOf(summaries, steps)
    if (place >= 0) wanted.push({ place, spans: [presentSpan()] })
  }
  const isOrdered = order.length === 1 && placeOf(summaries, order[0]?.steps ?? []) >= 0
  return wanted.length > 0 || isOrdered ? wanted : null
}

function placeOf({ paths }: KeptSummaries, steps: readonly (string | number)[]): number {
  return paths.findIndex(
    (path) => path.length === steps.length && path.every((step, at) => step === steps[at]),
  )
}

function candidateOf(block: number, summary: BlockSummary, wanted: readonly Wanted[]): readonly Candidate[] {
  const groups: DocumentGroup[] = []
  let certain = 0
  for (const group of summary) {
    const match = matchOf(group, wanted)
    if (match === 'none') continue
    groups.push(group)
    if (match === 'all') certain += group.count
  }
  return groups.length === 0 ? [] : [{ block, groups, certain }]
}

/** Reads the blocks in the order of their first values, and each only when its values may come next. */
function orderedReading(plan: Plan, candidates: readonly Candidate[]): IndexReading | undefined {
  const { request, summaries } = plan
  const [key, ...others] = request.query.order
  const place = key === undefined || others.length > 0 ? -1 : placeOf(summaries, key.steps)
  if (key === undefined || place < 0) return undefined
  const sign = key.isDescending ? -1 : 1
  const compare = (one: unknown, other: unknown): number => sign * compareValues(one, other)
  const blocks: OrderedBlock[] = []
  for (const candidate of candidates) {
    const cells = candidate.groups.map((group) => group.cells[place] ?? null)
    if (!cells.every(isKnown)) return undefined
    const firsts = cells.map(([low, high]) => (key.isDescending ? high : low))
    blocks.push({
      ...candidate,
      first: firsts.reduce((one, other) => (compare(other, one) < 0 ? other : one)),
    })
  }
  blocks.sort((one, other) => compare(one.first, other.first))
  if (!isCheap(blocks, request.needed)) return undefined
  const valueOf = ({ document }: DocumentVersion): unknown => key.steps.reduce<unknown>(memberOf, document)
  return { isOrdered: true, versions: inOrder(plan, blocks, { compare, valueOf }) }
}

/** A block with the first value that a matching document may have, in the order of the query. */
interface OrderedBlock extends Candidate {
  readonly first: unknown
}

interface Order {
  readonly compare: (one: unknown, other: unknown) => number
  readonly valueOf: (version: DocumentVersion) => unknown
}

function* inOrder(
  plan: Plan,
  blocks: readonly OrderedBlock[],
  { compare, valueOf }: Order,
): Generator<DocumentVersion, void, undefined> {
  let waiting: { readonly version: DocumentVersion; readonly value: unknown }[] = []
  for (const { block, first } of blocks) {
    // Documents with equal values have the order of creation, so all of them must be read first.
    const open = waiting.findIndex(({ value }) => compare(value, first) >= 0)
    const end = open < 0 ? waiting.length : open
    for (const { version } of waiting.slice(0, end)) yield version
    const read = Array.from(documentsIn(plan, block), (version) => ({ version, value: valueOf(version) }))
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
  const places = readPaths.map((path) => placeOf(summaries, path))
  const isFixed = (place: number): boolean =>
    wanted.some((one) => one.place === place && one.spans.every(isPoint))
  if (!places.every(isFixed)) return undefined
  const open = candidates.filter(({ groups }) => !groups.every((group) => isAlike(group, places)))
  if (!isCheap(open, Number.POSITIVE_INFINITY)) return undefined
  const toRead = new Set(open.map(({ block }) => block))
  return {
    isOrdered: false,
    versions: allIn(plan, candidates),
    covered: {
      *[Symbol.iterator]() {
        for (const { block, groups } of candidates) {
          if (toRead.has(block)) for (const { document } of documentsIn(plan, block)) yield document
          else for (const group of groups) yield* copiesOf(group, readPaths, places)
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

function* copiesOf(
  { count, cells }: DocumentGroup,
  paths: readonly (readonly string[])[],
  places: readonly number[],
): Generator<Readonly<JsonObject>, void, undefined> {
  const document = documentOf(paths.map((path, at) => [path, cells[places[at] ?? -1]?.[0]]))
  for (let copy = 0; copy < count; copy += 1) yield document
}

/** Reads the blocks with documents that may match. */
function filteredReading(plan: Plan, candidates: readonly Candidate[]): IndexReading | undefined {
  const { needed, query } = plan.request
  if (plan.wanted.length === 0) return undefined
  if (!isCheap(candidates, query.isStreaming ? needed : Number.POSITIVE_INFINITY)) return undefined
  return { isOrdered: false, versions: allIn(plan, candidates) }
}

function* allIn(plan: Plan, candidates: readonly Candidate[]): Generator<DocumentVersion, void, undefined> {
  for (const { block } of candidates) yield* documentsIn(plan, block)
}

/** Yields the documents of a block that may match. */
function* documentsIn(
  { summaries, visible, wanted }: Plan,
  block: number,
): Generator<DocumentVersion, void, undefined> {
  const texts = wanted.flatMap(({ spans: [span, ...others] }) => {
    const isText =
      span !== undefined && others.length === 0 && isPoint(span) && typeof span.low.value === 'string'
    return isText ? [JSON.stringify(span.low.value)] : []
  })
  for (const version of visible(summaries.documentsOf(block))) if (version.mayHold(texts)) yield version
}

/** Checks whether reading blocks until enough documents match costs little. */
function isCheap(blocks: readonly Candidate[], needed: number): boolean {
  let [certain, reads] = [0, 0]
  for (const one of blocks) {
    if (certain >= needed) break
    certain += one.certain
    reads += documentsPerBlock
  }
  return reads <= fewReads + readsPerMatch * certain
}

function isKnown(cell: Cell): cell is NonNullable<Cell> {
  return cell !== null
}
