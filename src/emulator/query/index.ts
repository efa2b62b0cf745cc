/**
 * # Queries
 *
 * Answers queries (`POST …/docs`) over documents that the caller supplies.
 *
 * A query's text becomes rows in three steps. **Parse** (`parse`) turns the text into tokens and then into a
 * tree of plain data (`ast`). The tree is cached by the text, because the same query often runs again with
 * other parameters. **Compile** (`compileQuery`) resolves names and turns each expression into a function of
 * a frame. It refuses invalid or unknown constructs with a `QueryError` in the service's own form. **Run**
 * turns documents into rows, as the diagram shows. It fails only if a function refuses an argument or if a
 * limit is exceeded: of one value (`query-limits`), of one kind of work (`effort`) or of a page's time
 * (`page-time`).
 *
 * ```
 * documents → sources → filter → groups or order → selection → DISTINCT → window → rows
 *             FROM JOIN  WHERE    GROUP BY ORDER BY   SELECT                TOP OFFSET LIMIT
 * ```
 *
 * A **frame** is one combination of the sources' values: `FROM c JOIN t IN c.tags` makes the frames
 * `[document, tag]`. A subquery begins with the frame of its outer query and appends the values of its own
 * sources, so an outer alias keeps its place.
 *
 * Three rules of the dialect explain most of the code:
 *
 * - **Undefined is a value.** A missing property is undefined, and so is every computation without a result
 *   (`1 + "a"`, `1 < "a"`). Undefined is not null. Only `true` passes WHERE, so a frame with an undefined
 *   condition is dropped. An undefined property is left out of its row, and an undefined row is left out of
 *   the result.
 * - **Types are never converted.** Values of different types are not equal, and have no order for `<`. Only
 *   ORDER BY, MIN, MAX, ARRAY_MIN and ARRAY_MAX order values of different types.
 * - **Each row depends on only one document**, unless the query aggregates, orders, cuts or removes
 *   duplicates (`isStreaming`).
 *
 * A query that compiles has a correct answer. If a query uses something that this engine lacks, such as a
 * user-defined function, it is refused, and the error names the construct. A new clause needs a rule in the
 * grammar, a node in the tree and a step in `compileSelect`.
 */
export { compileQuery } from './compile-query.js'
export { refuseInvalidComputed } from './refuse-invalid-computed.js'
export type {
  CompiledQuery,
  CountedDocument,
  QueryDocument,
  QueryOptions,
  QueryParameter,
} from './compiled-query.js'
export { longestQuery } from './language/query-limits.js'
export { QueryError } from './language/query-error.js'
