import type { Query } from '../language/ast.js'
import { notSupported } from '../language/query-error.js'
import { combiningSource } from '../select/container-reading.js'
import { isSimilarity } from '../select/rank.js'
import { rankingOf } from '../select/ranking.js'
import { isGrouped } from '../select/rows.js'
import type { Scope } from '../select/scope.js'
import { aggregateTypes } from './aggregate-items.js'
import { countedRows, flattened } from './combined-rows.js'
import { parseFeatures, refuseMissingFeatures } from './features.js'
import { hybridSearch } from './hybrid-search.js'
import type { PlannedQuery, QueryInfo, QueryPlan, SortOrder } from './query-info.js'
import { rewrite, type Slice } from './rewrite.js'

/**
 * Returns the plan of a query over several ranges. Throws {@link QueryError} if the client does not support
 * what the plan needs, or if no client could merge the rows.
 *
 * @param features the features that the client supports, separated by commas, or null if it names none
 */
export function planOf(planned: PlannedQuery, features: string | null): QueryPlan {
  const { query, text } = planned
  const supported = parseFeatures(features)
  refuseMissingFeatures(query, supported)
  const slice: Slice = ({ start, end }) => text.slice(start, end)
  if (query.rank !== undefined) {
    const isShort = supported?.has('HybridSearchSkipOrderByRewrite') ?? false
    return { hybridSearchQueryInfo: hybridSearch(query.rank, planned, { slice, isShort }) }
  }
  const counted = countedRows(query)
  if (counted === undefined) return { queryInfo: infoOf({ ...planned, query: flattened(query) }, slice) }
  const inner = flattened(counted.query)
  refuseMissingFeatures(inner, supported)
  const info = infoOf({ ...planned, query: inner }, slice)
  return {
    queryInfo: {
      ...info,
      // The client must not send the user's query, because each range would then count its own rows.
      rewrittenQuery: info.rewrittenQuery === '' ? slice(inner.span) : info.rewrittenQuery,
      dCountInfo: { dCountAlias: counted.alias },
    },
  }
}

function infoOf({ query, window, scope }: PlannedQuery, slice: Slice): QueryInfo {
  refuseUnmergeable(query)
  const hasPage = query.page !== undefined
  const orderBy = isGrouped(query) ? [] : query.orderBy
  return {
    distinctType: !query.isDistinct ? 'None' : isOrderedDistinct(query, slice) ? 'Ordered' : 'Unordered',
    top: query.top === undefined ? null : window.take,
    offset: hasPage ? window.skip : null,
    limit: hasPage ? window.take : null,
    orderBy: sortOrders(query, scope),
    orderByExpressions: orderBy.map(({ expression }) => slice(expression.span)),
    groupByExpressions: query.groupBy.map(({ span }) => slice(span)),
    ...aggregateTypes(query),
    rewrittenQuery: rewrite(query, window, slice),
    hasSelectValue: query.selection.kind === 'value',
    dCountInfo: null,
    // Ranges cannot stream rows in the order of a score, because no index has that order.
    hasNonStreamingOrderBy: rankingOf(query) !== undefined,
  }
}

function sortOrders(query: Query, scope: Scope): readonly SortOrder[] {
  if (isGrouped(query)) return []
  const ranking = rankingOf(query)
  if (ranking !== undefined) {
    return [ranking.isReversed === isSimilarity(ranking.expression, scope) ? 'Ascending' : 'Descending']
  }
  return query.orderBy.map(({ direction }) => (direction === 'DESC' ? 'Descending' : 'Ascending'))
}

/** Checks whether equal rows follow each other, because the query is ordered by its only selected value. */
function isOrderedDistinct({ selection, orderBy }: Query, slice: Slice): boolean {
  const [order] = orderBy
  if (order === undefined || orderBy.length > 1 || selection.kind !== 'value') return false
  return slice(order.expression.span) === slice(selection.expression.span)
}

/** Refuses a query whose result for all ranges cannot be computed from its results for each range. */
function refuseUnmergeable(query: Query): void {
  const source = combiningSource(query)
  if (source === undefined) return
  throw notSupported('A plan for DISTINCT, GROUP BY or an aggregate in FROM over several ranges', source.span)
}
