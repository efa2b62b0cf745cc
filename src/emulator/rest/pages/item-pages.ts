import {
  badRequest,
  checkedPartitionKey,
  isJsonObject,
  limits,
  parsedJson,
  queryCharge,
  scan,
  wholeKeySpace,
  type Container,
  type DocumentVersion,
  type JsonObject,
  type Refusal,
  type ScanScope,
} from '../../engine/index.js'
import { indexReading, smallOrderedReading } from '../../indexes/index-reading.js'
import type { IndexReading, ReadingRequest } from '../../indexes/reading-request.js'
import { indexFinds } from '../../indexes/index-finds.js'
import type { CompiledQuery, QueryDocument } from '../../query/index.js'
import { ComputedRows, type ComputedRow, type Place } from './computed-rows.js'
import { withRowsAfter, orderedRows, placeIn, placeText } from './ordered-rows.js'
import type { QueryMeasure } from '../metering/query-metrics.js'

/** A query over documents. */
export type ItemQuery = Omit<CompiledQuery, 'plan' | 'usage'>

/** A request for one page of a query over a scope of documents. */
export interface PageRequest {
  readonly scope: ScanScope
  readonly query: ItemQuery
  /** The text of the query, including parameters. */
  readonly text: string
  readonly maxItemCount: number
  /** The `continuation` of the previous page, or an empty string for the first page. */
  readonly continuation: string
  /** Measures the page, if the client asks for metrics. */
  readonly measure?: QueryMeasure | undefined
  /** Whether to throw `IndexPending` if an index that the query needs is far behind. Default: false. */
  readonly mayWait?: boolean | undefined
}

export interface ItemPage {
  readonly rows: readonly string[]
  readonly continuation: string | null
  readonly charge: number
}

/**
 * Runs a query for one page. A streaming query continues after the last document that it read. If the page
 * ended among several rows of one document (with a JOIN), the query continues after the last of these rows.
 * The continuation of an ordered query (`isOrdered`) is the place of the last row, or of the last document if the
 * page ended early. For any other query, and for TOP without an order from the summaries, it is the number of rows returned. If
 * anything was written since the previous page, the query runs again, from that place or number.
 *
 * The time of a page is limited. If the time is over, a streaming query ends the page before the document
 * that it could not finish, as the service does. Any other query is refused, and so is a streaming query that
 * finished no document. A query whose reading can continue at a place (`canContinue`) ends its page after 100 ms, so that other
 * requests are answered between pages. Such a page may be empty.
 * As in the service, a page that the last row fills has a continuation, and the next page is then empty. With
 * GROUP BY or DISTINCT, such a page has no continuation, because the JavaScript client would never end after
 * an empty page.
 */
export function readPage(container: Container, request: PageRequest): ItemPage {
  const scope = narrowed(container, request)
  const read = request.query.isStreaming ? streamedPage : computedPage
  const { rows, continuation } = read(container, scope, request)
  const bytes = rows.reduce((total, row) => total + Buffer.byteLength(row), 0)
  return { rows, continuation, charge: queryCharge(bytes) }
}

type Rows = Omit<ItemPage, 'charge'>

function streamedPage(container: Container, scope: ScanScope, request: PageRequest): Rows {
  const begun = position(request.continuation, 'in')
  const given = position(request.continuation, 'rows')
  const rows: string[] = []
  const first = position(request.continuation, 'after')
  let after = first
  let bytes = 0
  const needed = request.maxItemCount + 1
  for (const version of candidates(container, { ...request, scope, needed, after }).versions) {
    const { number } = version.fields
    let found: readonly unknown[]
    try {
      found = request.query.rowsOf(version.document)
    } catch (error) {
      if (after === first || !request.query.isTimeOver()) throw error
      return { rows, continuation: JSON.stringify({ after }) }
    }
    for (let index = number === begun ? given : 0; index < found.length; index += 1) {
      const row = written(found[index], request)
      rows.push(row)
      bytes += Buffer.byteLength(row)
      if (rows.length < request.maxItemCount && bytes <= limits.responseBytes) continue
      const isInside = index + 1 < found.length
      const place = isInside ? { after, in: number, rows: index + 1 } : { after: number }
      return { rows, continuation: JSON.stringify(place) }
    }
    after = number
  }
  return { rows, continuation: null }
}

function computedPage(container: Container, scope: ScanScope, request: PageRequest): Rows {
  const from = position(request.continuation, 'from')
  const until = from + request.maxItemCount
  const all = computedRows(container, scope, request, from)
  // Reading may throw, and a query that threw cannot continue. So the rows are kept again after the page.
  kept.delete(container)
  const numbers = request.measure === undefined ? undefined : all.load(from, until)
  if (numbers !== undefined) request.measure?.took(numbers)
  const isPaused = numbers !== undefined && all.pausedAt !== null
  const hasMore = isPaused || all.read(until + 1)
  const rowCount = all.count
  const found = all.between(from, until)
  const rows = fitting(found, request)
  const end = from + rows.length
  // If documents have left the result since the previous page, it may have fewer rows than were returned.
  const isLast = !hasMore && end >= rowCount
  const isEnd = isLast && (rowCount < until || request.query.isComplete(rowCount))
  if (!isEnd) kept.set(container, all)
  const lastPlace = end === rowCount && all.pausedAt !== null ? all.pausedAt : found[rows.length - 1]?.place
  return { rows, continuation: isEnd ? null : continued(end, lastPlace) }
}

/** Returns the continuation after `from` rows, of which the last one has this place. */
function continued(from: number, place: Place | null = null): string {
  const text = place === null ? undefined : placeText(place)
  return text === undefined ? JSON.stringify({ from }) : `{"from":${from},"place":${text}}`
}

/** Writes rows until the page is full. The last row may exceed the limit, so every page has a row. */
function fitting(rows: readonly ComputedRow[], request: PageRequest): readonly string[] {
  const texts: string[] = []
  let bytes = 0
  for (const { row } of rows) {
    const text = written(row, request)
    texts.push(text)
    bytes += Buffer.byteLength(text)
    if (bytes > limits.responseBytes) break
  }
  return texts
}

/**
 * The rows of one query for each container, kept while a client reads them page by page. They are not used
 * after a change of any document. The expiry of a document is also a change.
 */
const kept = new WeakMap<Container, ComputedRows>()

function computedRows(
  container: Container,
  scope: ScanScope,
  request: PageRequest,
  from: number,
): ComputedRows {
  const { indexes } = container
  const { query, maxItemCount, measure } = request
  const name = `${nameOf(scope)} ${measure === undefined ? '' : 'measured'} ${request.text}`
  const known = kept.get(container)
  // A first page is always computed again, because its rows may depend on the current time.
  const isFirst = request.continuation === ''
  const place = !isFirst && query.isOrdered ? placeIn(request.continuation, query) : null
  if (place === undefined) throw invalidContinuation()
  if (!isFirst && known?.areOf(name, { from, place }, indexes) === true) return known
  const needed = from + maxItemCount + 1
  const found = candidates(container, { ...request, scope, needed, after: 0, place })
  const first = place === null ? 0 : from
  const { canContinue: isInOrder = false } = found
  // Without an order or a place, a query with TOP sorts only the first rows, or is computed from indexes alone.
  const isByPlace = query.isOrdered && (query.mostRows === Infinity || isInOrder || place !== null)
  // Without a place, the rows before this page are computed again, and no page may end among them.
  const canContinue = isInOrder && (isFirst || place !== null)
  const rows = isByPlace
    ? orderedRows(query, { ...found, canContinue }, { after: place, most: query.mostRows - first })
    : unplaced(container, query, found)
  return new ComputedRows({ name, first, rows, indexes, query, loaded: measure?.loaded })
}

function* unplaced(
  container: Container,
  query: ItemQuery,
  { versions, isOrdered, covered }: IndexReading,
): Generator<ComputedRow, void, undefined> {
  for (const row of rows()) yield { row, place: null }

  function rows(): Iterable<unknown> {
    if (covered !== undefined) return query.executeCounted(covered)
    const documents = documentsOf(versions)
    return isOrdered ? query.rowsInOrder(documents) : query.execute(documents, allDocuments(container))
  }
}

function* documentsOf(versions: Iterable<DocumentVersion>): Generator<QueryDocument, void, undefined> {
  for (const version of versions) yield version.document
}

/** Reads the documents of a container each time that they are iterated. */
function allDocuments(container: Container): Iterable<JsonObject> {
  return {
    *[Symbol.iterator]() {
      for (const version of scan(container)) yield version.document
    },
  }
}

function written(row: unknown, { measure }: PageRequest): string {
  return measure === undefined ? JSON.stringify(row) : measure.write(row)
}

function nameOf(scope: ScanScope): string {
  if (scope.kind === 'key') return `key ${scope.keyText}`
  const { min, max } = scope.range ?? wholeKeySpace
  return `${scope.partition?.id ?? ''} ${min} ${max}`
}

/** Narrows the scope to one partition key if the filter names one. */
function narrowed(container: Container, { scope, query }: PageRequest): ScanScope {
  const { partitionKey } = container.definition
  const values = partitionKey.paths.map((path) => query.equalities.get(path.slice(1).replaceAll('/', '.')))
  // A property name with a dot in it would look like a nested property.
  if (partitionKey.paths.some((path) => path.includes('.'))) return scope
  const isKnown = values.every(
    (value) => typeof value === 'number' || (typeof value === 'string' && isPossibleKey(value)),
  )
  const isWhole = scope.kind === 'range' && scope.partition === undefined && scope.range === undefined
  if (!isWhole || !isKnown) return scope
  return { kind: 'key', ...container.locate(checkedPartitionKey(values, partitionKey)) }
}

/** Checks whether a value is short enough for a key. No document has a key with a longer value. */
function isPossibleKey(value: string): boolean {
  return Buffer.byteLength(value) <= limits.partitionKeyValueBytes
}

type CandidatesRequest = ReadingRequest &
  Pick<PageRequest, 'query' | 'measure'> & {
    /** The place in the order from which documents are needed. */
    readonly place?: Place | null
  }

/** Returns the documents to filter: one document, those of an index, or all documents of the scope. */
function candidates(container: Container, request: CandidatesRequest): IndexReading {
  const { query, measure, place = null } = request
  if (measure === undefined) {
    const reading = unmeasured(container, request)
    const { versions, canContinue = false } = reading
    return { ...reading, versions: canContinue ? versions : holding(versions, query.requiredTexts) }
  }
  const { versions, isOrdered, canContinue } =
    smallOrderedReading(container, request) ?? unmeasured(container, request)
  const finds = indexFinds(container.definition.indexingPolicy, query)
  const needed = place === null ? versions : withRowsAfter(query, versions, place)
  const counted = measure.loaded.loading(needed, { matched: () => query.matched(), finds })
  return { versions: counted, isOrdered, canContinue }
}

function unmeasured(
  container: Container,
  request: ReadingRequest & Pick<PageRequest, 'query'>,
): IndexReading {
  const { scope, query, after } = request
  const id = query.equalities.get('id')
  if (scope.kind === 'key' && typeof id === 'string') {
    const version = container.visible(scope.partition.find(scope.keyText, id))
    const versions = version === undefined || version.fields.number <= after ? [] : [version]
    return { versions, isOrdered: false }
  }
  return indexReading(container, request) ?? { versions: scan(container, scope, after), isOrdered: false }
}

/**
 * Yields the documents that may contain these texts. Most documents that a filter rejects are therefore never
 * parsed.
 */
function* holding(
  versions: Iterable<DocumentVersion>,
  texts: readonly string[],
): Generator<DocumentVersion, void, undefined> {
  for (const version of versions) if (version.mayHold(texts)) yield version
}

/**
 * Returns a number from a continuation, or 0 for a first page. `in` and `rows` may be missing, and are then
 * 0.
 */
function position(continuation: string, name: 'after' | 'from' | 'in' | 'rows'): number {
  if (continuation === '') return 0
  const parsed = parsedJson(continuation)
  const isOptional = name === 'in' || name === 'rows'
  const value = isJsonObject(parsed) ? (parsed[name] ?? (isOptional ? 0 : undefined)) : undefined
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw invalidContinuation()
}

function invalidContinuation(): Refusal {
  return badRequest(
    'Invalid Continuation Token. It does not come from this query; start the query again without it.',
  )
}
