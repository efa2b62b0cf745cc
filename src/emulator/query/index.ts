/**
 * # Queries
 *
 * What `POST …/docs` with a query answers, over documents that somebody else holds.
 *
 * A text becomes rows in three steps. **Parse** (`parse`): tokens, then a tree of plain data (`ast`), remembered by
 * text, since the same query comes again with other parameters. **Compile** (`compileQuery`): names are resolved and
 * each expression becomes a function of a document; whatever is wrong or unknown is refused here, as a `QueryError` in
 * the service's own form. **Run**: filter, then order or aggregate, project, drop duplicates, cut. Only limits end
 * this stage (`query-limits`): values that grow too long, patterns that compare too much.
 *
 * Three rules of the dialect explain most of the code:
 *
 * - **Undefined is a value.** A property that is not there is undefined, and so is every computation that has no answer
 *   (`1 + "a"`, `1 < "a"`). It is not null. Only `true` passes WHERE, so undefined drops a document; in a row it drops
 *   the property; as a whole row it drops the row.
 * - **Types are never converted.** Values of different types are not equal, and have no order for `<`; only ORDER BY,
 *   MIN and MAX order across types.
 * - **One row for one document**, unless the query aggregates, orders, cuts or removes duplicates (`isStreaming`).
 *
 * A query that compiles is answered rightly; one that this room cannot answer is refused by name (JOIN, GROUP BY,
 * subqueries, user-defined functions, bitwise operators), as are mixtures of operators that the field reads differently
 * (`refuseUnclear`). A new clause is a rule in the grammar, a node in the tree and a step in `compileQuery`.
 */
export { compileQuery } from './compile-query.js'
export type { CompiledQuery, QueryDocument, QueryParameter } from './compiled-query.js'
export { longestQuery } from './language/depth.js'
export { QueryError } from './language/query-error.js'
