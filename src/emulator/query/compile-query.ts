import { systemClock } from '../../platform/index.js'
import type { CompiledQuery, QueryDocument, QueryOptions, QueryParameter } from './compiled-query.js'
import { compileFilter } from './filter.js'
import { parse } from './language/parse.js'
import { QueryError } from './language/query-error.js'
import { compileRows, isAggregated } from './rows.js'
import { documentScope } from './scope.js'
import { canonicalText } from './functions/values.js'
import { cut, windowOf } from './window.js'

/**
 * Compiles a query of the Cosmos SQL dialect. Throws {@link QueryError} for an invalid or unsupported query,
 * so that a query that compiles has a correct answer. `SELECT *` and `SELECT VALUE c` return the documents
 * themselves, not copies.
 */
export function compileQuery(
  text: string,
  parameters: readonly QueryParameter[],
  { now = () => systemClock.now() }: QueryOptions = {},
): CompiledQuery {
  const query = parse(text)
  if (query.source === undefined && query.selection.kind === 'all') {
    throw new QueryError('BadRequest', 'SELECT * needs a FROM clause.', query.selection.span)
  }
  const values = new Map(parameters.map(({ name, value }) => [name, value]))
  const scope = documentScope(query.source?.alias, values, { now, compiledAt: now() })
  const { matches, equalities, requiredTexts } = compileFilter(query.where, scope)
  const makeRows = compileRows(query, scope)
  const window = windowOf(query, scope)
  const hasSource = query.source !== undefined
  const isConcatenable =
    hasSource &&
    !query.isDistinct &&
    query.orderBy.length === 0 &&
    query.page === undefined &&
    !isAggregated(query)
  const isStreaming = isConcatenable && query.top === undefined

  return {
    equalities,
    requiredTexts,
    isStreaming,
    isConcatenable,
    top: query.top === undefined ? null : window.take,
    isValue: query.selection.kind === 'value',
    rowsOf: (document) => {
      if (!isStreaming) throw new TypeError('rowsOf answers for streaming queries only; call execute')
      return matches(document) ? [...makeRows([document])] : []
    },
    execute: (documents) => {
      const rows = makeRows(passing(hasSource ? documents : [{}], matches))
      return [...cut(query.isDistinct ? distinct(rows) : rows, window)]
    },
  }
}

function* passing(
  documents: Iterable<QueryDocument>,
  matches: (document: unknown) => boolean,
): Generator<QueryDocument> {
  for (const document of documents) if (matches(document)) yield document
}

function* distinct(rows: Iterable<unknown>): Generator {
  const seen = new Set<string>()
  for (const row of rows) {
    const text = canonicalText(row)
    if (seen.has(text)) continue
    seen.add(text)
    yield row
  }
}
