import { containsAggregate } from '../select/aggregates.js'
import { selectedExpressions, type Query } from '../language/ast.js'

/** What a query needs of the service, according to its text alone. */
export interface QueryUsage {
  readonly isDistinct: boolean
  readonly hasGroupBy: boolean
  /** Whether a row has an aggregate beside or below other properties, so that it is not the row itself. */
  readonly hasNamedAggregate: boolean
}

export function usageOf(query: Query): QueryUsage {
  const { selection, isDistinct, groupBy } = query
  return {
    isDistinct,
    hasGroupBy: groupBy.length > 0,
    hasNamedAggregate: selection.kind === 'list' && selectedExpressions(selection).some(containsAggregate),
  }
}
