import {
  badRequest,
  checkedPartitionKey,
  isJsonObject,
  limits,
  queryCharge,
  scan,
  wholeKeySpace,
  type Container,
  type DocumentVersion,
  type ScanScope,
} from './engine/index.js'
import type { CompiledQuery } from './query/index.js'

/** Which page of which query over which documents. */
export interface PageRequest {
  readonly scope: ScanScope
  readonly query: CompiledQuery
  readonly maxItemCount: number
  /** The `continuation` of the page before. */
  readonly continuation?: string
}

/** Rows as JSON texts. */
export interface ItemPage {
  readonly rows: readonly string[]
  readonly continuation: string | null
  readonly charge: number
}

/**
 * Runs a query for one page. A streaming query goes on after the last document it looked at; any other is run again and
 * goes on after as many rows as were given, since its rows depend on all documents.
 */
export function readPage(container: Container, request: PageRequest): ItemPage {
  const scope = narrowed(container, request)
  const ranges = scope.kind === 'container' ? container.partitionsIn(scope.range ?? wholeKeySpace).length : 1
  const { rows, continuation } = request.query.isStreaming
    ? streamedPage(container, scope, request)
    : computedPage(container, scope, request)
  const bytes = rows.reduce((total, row) => total + row.length, 0)
  return { rows, continuation, charge: queryCharge(ranges, bytes) }
}

type Rows = Omit<ItemPage, 'charge'>

function streamedPage(container: Container, scope: ScanScope, request: PageRequest): Rows {
  const after = position(request.continuation, 'after')
  const rows: string[] = []
  let bytes = 0
  let seen = after
  for (const version of candidates(container, scope, request.query, after)) {
    const found = request.query.rowsOf(version.document).map((row) => JSON.stringify(row))
    const isFull = rows.length >= request.maxItemCount || bytes > limits.responseBytes
    if (found.length > 0 && isFull) return { rows, continuation: JSON.stringify({ after: seen }) }
    rows.push(...found)
    bytes += found.reduce((total, row) => total + row.length, 0)
    seen = version.fields.number
  }
  return { rows, continuation: null }
}

function computedPage(container: Container, scope: ScanScope, request: PageRequest): Rows {
  const from = position(request.continuation, 'from')
  const documents = [...candidates(container, scope, request.query, 0)].map((version) => version.document)
  const all = request.query.execute(documents)
  const until = from + request.maxItemCount
  return {
    rows: all.slice(from, until).map((row) => JSON.stringify(row)),
    continuation: until < all.length ? JSON.stringify({ from: until }) : null,
  }
}

/** A query that names its partition key in the filter needs to look nowhere else. */
function narrowed(container: Container, { scope, query }: PageRequest): ScanScope {
  const { partitionKey } = container.definition
  const values = partitionKey.paths.map((path) => query.equalities.get(path.slice(1).replaceAll('/', '.')))
  // A name with a dot in it could not be told from a nested one.
  if (partitionKey.paths.some((path) => path.includes('.'))) return scope
  const isKnown = values.every((value) => typeof value === 'string' || typeof value === 'number')
  if (scope.kind !== 'container' || scope.range !== undefined || !isKnown) return scope
  return { kind: 'key', ...container.locate(checkedPartitionKey(values, partitionKey)) }
}

function candidates(
  container: Container,
  scope: ScanScope,
  query: CompiledQuery,
  after: number,
): Iterable<DocumentVersion> {
  const id = query.equalities.get('id')
  if (scope.kind !== 'key' || typeof id !== 'string') return scan(container, scope, after)
  const version = container.visible(scope.partition.find(scope.keyText, id))
  return version === undefined || version.fields.number <= after ? [] : [version]
}

function position(continuation: string | undefined, name: 'after' | 'from'): number {
  if (continuation === undefined) return 0
  const parsed = parsedContinuation(continuation)
  const value = isJsonObject(parsed) ? parsed[name] : undefined
  if (typeof value === 'number') return value
  throw badRequest('The continuation is not one that this query gave. Start the query again without it.')
}

function parsedContinuation(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
