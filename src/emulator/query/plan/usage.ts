import { documentAlias, pathOf, rootOf, selectedExpressions, type Query } from '../language/ast.js'
import { callsIn, pathsIn } from '../language/walk.js'
import { containsAggregate } from '../select/aggregates.js'

/** The steps from a document to a value. */
type Steps = readonly (string | number)[]

/** What a query requires from the service and from the indexes of a container, according to its text. */
export interface QueryUsage {
  readonly isDistinct: boolean
  readonly hasGroupBy: boolean
  /** True if an aggregate is in a property of the row, rather than being the row itself. */
  readonly hasNamedAggregate: boolean
  /** The items of ORDER BY. The path is empty for an item that is not a path, such as a vector distance. */
  readonly orderBy: readonly { readonly steps: Steps; readonly isDescending: boolean }[]
  /** True if WHERE uses properties of documents. */
  readonly hasFilter: boolean
  /** The paths of the texts that FullTextScore ranks. */
  readonly scoredPaths: readonly Steps[]
  readonly hasSpatialFunction: boolean
}

/** The function that users call, and the function that the queries of query plans call. */
const scoreNames = new Set(['FULLTEXTSCORE', '_FULLTEXTSCORE'])

export function usageOf(query: Query): QueryUsage {
  const { selection, isDistinct, groupBy, where } = query
  const alias = documentAlias(query)
  const calls = callsIn(query)
  const scores = calls.filter(({ name }) => scoreNames.has(name.toUpperCase()))
  const filtered = where === undefined ? [] : pathsIn(where)
  return {
    isDistinct,
    hasGroupBy: groupBy.length > 0,
    hasNamedAggregate: selection.kind === 'list' && selectedExpressions(selection).some(containsAggregate),
    orderBy: query.orderBy.map(({ expression, direction }) => ({
      steps: pathOf(expression) ?? [],
      isDescending: direction === 'DESC',
    })),
    hasFilter: filtered.some((path) => rootOf(path) === alias),
    scoredPaths: scores.flatMap(({ arguments: [text] }) => (text === undefined ? [] : [pathOf(text) ?? []])),
    hasSpatialFunction: calls.some(({ name }) => name.toUpperCase().startsWith('ST_')),
  }
}
