import { systemClock } from '../../platform/index.js'
import type {
  CompiledQuery,
  CountedDocument,
  OrderKey,
  QueryDocument,
  QueryOptions,
  QueryParameter,
} from './compiled-query.js'
import { compileSelect } from './select/compile-select.js'
import { combiningSource, readsContainer } from './select/container-reading.js'
import { withComputed } from './computed/with-computed.js'
import { hintsOf } from './select/filter.js'
import { documentAlias, pathOf, type Query } from './language/ast.js'
import { PageTime, processorTime } from './language/page-time.js'
import { parse } from './language/parse.js'
import { readPathsOf } from './plan/read-paths.js'
import { planOf } from './plan/query-plan.js'
import { usageOf } from './plan/usage.js'
import { isGrouped } from './select/rows.js'
import { outermostScope } from './select/scope.js'
import { usedPathsOf } from './plan/used-paths.js'
import { cut } from './select/window.js'
import { withMeasures } from './vector-measures.js'

/**
 * The longest time that the computation of a page may take, without the time for reading documents. Other
 * requests wait during this time. The service ends its pages after 5 seconds.
 */
const mostPageTimeMs = 3_000

const machineClocks = { monotonic: () => systemClock.monotonic(), processor: processorTime }

/**
 * Compiles a query of the Cosmos SQL dialect. Throws {@link QueryError} for an invalid or unsupported query,
 * so that a query that compiles has a correct answer. `SELECT *` and `SELECT VALUE c` return the documents
 * themselves, not copies.
 */
export function compileQuery(
  asked: string,
  parameters: readonly QueryParameter[],
  {
    now = () => systemClock.now(),
    measures = new Map(),
    computedProperties = [],
    pageTimeMs = mostPageTimeMs,
    clocks = machineClocks,
  }: QueryOptions = {},
): CompiledQuery {
  const text = withMeasures(asked, measures)
  const written = parse(text)
  const query = withComputed(written, computedProperties)
  const values = new Map(parameters.map(({ name, value }) => [name, value]))
  const pageTime = new PageTime(pageTimeMs, clocks)
  const scope = outermostScope(values, { now, compiledAt: now() }, pageTime, compileSelect)
  const { filter, rows, rowsOfFrame, window, isSingle } = compileSelect(query, scope)
  const isDocumentOnly = query.sources.length === 1 && documentAlias(query) !== undefined
  const order = orderOf(query)
  const isByDocument =
    readsContainer(query) &&
    !query.isDistinct &&
    query.rank === undefined &&
    query.page === undefined &&
    !isGrouped(query) &&
    combiningSource(query) === undefined
  const isStreaming = isByDocument && query.orderBy.length === 0 && query.top === undefined
  const isOrdered = isByDocument && order.length > 0
  const unordered = isOrdered ? compileSelect({ ...query, orderBy: [] }, scope) : { rows, rowsOfFrame }

  return {
    ...hintsOf(filter, documentAlias(query)),
    readPaths: readPathsOf(query),
    order,
    isStreaming,
    isOrdered,
    mostRows: window.take,
    readsContainer: readsContainer(query),
    usage: () => usageOf(written),
    plan: (features) => planOf({ query: written, text, window, scope }, features),
    usedPaths: () => usedPathsOf(written, text),
    beginPage: () => {
      pageTime.begin()
    },
    pageMs: () => pageTime.ms,
    isTimeOver: () => pageTime.isOver,
    rowsOf: (document) => {
      if (!isStreaming && !isOrdered)
        throw new TypeError('rowsOf works only for streaming and ordered queries; call execute')
      return isDocumentOnly ? unordered.rowsOfFrame([document]) : [...unordered.rows([], [document])]
    },
    execute: (documents, container) => [...cut(rows([], documents, container), window)],
    executeCounted: (documents) => {
      const read = isGrouped(query) ? noted(documents, scope.copies) : repeated(documents)
      return [...cut(rows([], read), window)]
    },
    rowsInOrder: (documents) =>
      cut(compileSelect({ ...query, orderBy: [] }, scope).rows([], documents), window),
    isComplete: (rowCount) => isSingle || isGrouped(query) || query.isDistinct || rowCount >= window.take,
    matched: () => scope.matched.count,
  }
}

/** Yields each document once, and notes meanwhile how many equal ones it stands for. */
function* noted(
  documents: Iterable<CountedDocument>,
  copies: { count: number },
): Generator<QueryDocument, void, undefined> {
  for (const [document, count] of documents) {
    copies.count = count
    try {
      yield document
    } finally {
      copies.count = 1
    }
  }
}

function* repeated(documents: Iterable<CountedDocument>): Generator<QueryDocument, void, undefined> {
  for (const [document, count] of documents) for (let copy = 0; copy < count; copy += 1) yield document
}

/**
 * Returns the items of ORDER BY if all of them are paths of documents, and each row belongs to one document.
 */
function orderOf(query: Query): readonly OrderKey[] {
  const keys = query.orderBy.map(({ expression, direction }) => ({
    steps: pathOf(expression) ?? [],
    isDescending: direction === 'DESC',
  }))
  return isGrouped(query) || keys.some(({ steps }) => steps.length === 0) ? [] : keys
}
