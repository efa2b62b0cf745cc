/**
 * # Queries
 *
 * Answers queries (`POST …/docs`) over documents that its caller supplies.
 *
 * A text becomes rows in three steps. **Parse** (`parse`) turns the text into tokens and then into a tree of
 * plain data (`ast`). The tree is remembered by text, because the same query comes again with other
 * parameters. **Compile** (`compileQuery`) resolves names and turns each expression into a function of a
 * frame, and refuses invalid or unknown constructs with a `QueryError` in the service's own form. **Run**
 * combines, filters, groups or orders, projects, drops duplicates and cuts. Only limits end this stage
 * (`query-limits`): values that grow too long, products and patterns that take too long.
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
 *   (`1 + "a"`, `1 < "a"`). It is not null. Only `true` passes WHERE, so undefined drops a row. Inside a row
 *   it drops the property, and as a whole row it drops the row.
 * - **Types are never converted.** Values of different types are not equal, and have no order for `<`. Only
 *   ORDER BY, MIN and MAX order across types.
 * - **Each row comes from one document**, unless the query aggregates, orders, cuts or removes duplicates
 *   (`isStreaming`).
 *
 * A query that compiles has a correct answer. A query that this room cannot answer is refused by name
 * (user-defined functions), and so are mixtures of operators that other implementations
 * group differently (`refuseUnclear`). A new clause is a rule in the grammar, a node in the tree and a step in
 * `compileSelect`.
 */
export { compileQuery } from './compile-query.js'
export type { CompiledQuery, QueryDocument, QueryOptions, QueryParameter } from './compiled-query.js'
export { longestQuery } from './language/depth.js'
export { QueryError } from './language/query-error.js'
