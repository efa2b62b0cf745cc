/**
 * # Queries
 *
 * Text → tree → compiled functions: `compileQuery` reads the Cosmos SQL dialect and answers what to run over documents.
 */
import type { CompiledQuery, QueryParameter } from './compiled-query.js'
import { QueryError } from './query-error.js'

export type { CompiledQuery, QueryDocument, QueryParameter } from './compiled-query.js'
export { QueryError } from './query-error.js'

/** Compiles `text`; throws {@link QueryError} for what is wrong or not supported. */
export function compileQuery(text: string, _parameters: readonly QueryParameter[]): CompiledQuery {
  throw new QueryError('NotSupported', 'This query is not supported yet.', { start: 0, end: text.length })
}
