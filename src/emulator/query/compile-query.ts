import { systemClock } from '../../platform/index.js'
import type { CompiledQuery, QueryOptions, QueryParameter } from './compiled-query.js'
import { compileSelect } from './select/compile-select.js'
import { combiningSource, readsContainer } from './select/container-reading.js'
import { hintsOf } from './select/filter.js'
import { documentAlias } from './language/ast.js'
import { parse } from './language/parse.js'
import { planOf } from './plan/query-plan.js'
import { isGrouped } from './select/rows.js'
import { outermostScope } from './select/scope.js'
import { cut } from './select/window.js'

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
  const values = new Map(parameters.map(({ name, value }) => [name, value]))
  const scope = outermostScope(values, { now, compiledAt: now() }, compileSelect)
  const { filter, rows, window } = compileSelect(query, scope)
  const isStreaming =
    readsContainer(query) &&
    !query.isDistinct &&
    query.orderBy.length === 0 &&
    query.rank === undefined &&
    query.page === undefined &&
    !isGrouped(query) &&
    combiningSource(query) === undefined &&
    query.top === undefined

  return {
    ...hintsOf(filter, documentAlias(query)),
    isStreaming,
    readsContainer: readsContainer(query),
    plan: (features) => planOf({ query, text, window }, features),
    rowsOf: (document) => {
      if (!isStreaming) throw new TypeError('rowsOf works only for streaming queries; call execute')
      return [...rows([], [document])]
    },
    execute: (documents) => [...cut(rows([], documents), window)],
  }
}
