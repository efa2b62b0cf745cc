import type { CompiledQuery } from '../../query/index.js'
import { queryRanges, type KeyedContainer } from './query-ranges.js'

/**
 * Returns the plan of a query as JSON. The Java and Python clients ask for a plan before a query over several
 * ranges. The JavaScript client asks for a plan at the same time as it sends the query.
 *
 * @param features the features that the client supports, or null for a plan that may need any feature
 */
export function planBody(container: KeyedContainer, query: CompiledQuery, features: string | null): string {
  return JSON.stringify({
    partitionedQueryExecutionInfoVersion: 2,
    ...query.plan(features),
    queryRanges: queryRanges(container, query),
  })
}
