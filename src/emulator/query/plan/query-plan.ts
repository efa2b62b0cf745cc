import { unwrapped, type Expression, type Query } from '../language/ast.js'
import { notSupported } from '../language/query-error.js'
import { combiningSource } from '../select/container-reading.js'
import { rankedBy } from '../select/rank.js'
import { isGrouped } from '../select/rows.js'
import type { Window } from '../select/window.js'
import { aggregateTypes, type AggregateType } from './aggregate-items.js'
import { refuseMissingFeatures } from './features.js'
import { rewrite } from './rewrite.js'

/** Tells a client how to merge the rows of several ranges, in the service's own form. */
export interface QueryInfo {
  readonly distinctType: 'None' | 'Ordered' | 'Unordered'
  readonly top: number | null
  readonly offset: number | null
  readonly limit: number | null
  readonly orderBy: readonly ('Ascending' | 'Descending')[]
  readonly orderByExpressions: readonly string[]
  readonly groupByExpressions: readonly string[]
  readonly groupByAliases: readonly string[]
  readonly aggregates: readonly AggregateType[]
  readonly groupByAliasToAggregateType: Readonly<Record<string, AggregateType | null>>
  /** The query to send to each range. Empty if it is the query that the client already has. */
  readonly rewrittenQuery: string
  readonly hasSelectValue: boolean
  readonly dCountInfo: null
  readonly hasNonStreamingOrderBy: boolean
}

/** A valid query with the text that it was parsed from. */
export interface PlannedQuery {
  readonly query: Query
  readonly text: string
  readonly window: Window
}

/**
 * Returns the plan of a query over several ranges. Throws {@link QueryError} if the client does not support
 * what the plan needs, or if no client could merge the rows.
 *
 * @param features the features that the client supports, separated by commas, or null if it names none
 */
export function planOf({ query, text, window }: PlannedQuery, features: string | null): QueryInfo {
  if (query.rank !== undefined) throw notSupported('A plan for ORDER BY RANK', query.rank.span)
  refuseUnmergeable(query)
  refuseMissingFeatures(query, features)
  const slice = ({ start, end }: Query['span']): string => text.slice(start, end)
  const hasPage = query.page !== undefined
  // Ranges cannot stream rows in the order of a vector distance, because no index has that order.
  const isRanked = rankedBy(query) !== undefined
  return {
    distinctType: !query.isDistinct ? 'None' : isOrderedDistinct(query, slice) ? 'Ordered' : 'Unordered',
    top: query.top === undefined ? null : window.take,
    offset: hasPage ? window.skip : null,
    limit: hasPage ? window.take : null,
    orderBy: isGrouped(query)
      ? []
      : query.orderBy.map(({ expression, isDescending }) =>
          isDescending || (isRanked && isSimilarity(expression)) ? 'Descending' : 'Ascending',
        ),
    orderByExpressions: isGrouped(query) ? [] : query.orderBy.map(({ expression }) => slice(expression.span)),
    groupByExpressions: query.groupBy.map(({ span }) => slice(span)),
    ...aggregateTypes(query),
    rewrittenQuery: rewrite(query, window, slice),
    hasSelectValue: query.selection.kind === 'value',
    dCountInfo: null,
    hasNonStreamingOrderBy: isRanked,
  }
}

/**
 * Checks whether the value of VECTORDISTANCE is larger for more similar vectors. The options decide this, so
 * they must be literals in the query's text.
 */
function isSimilarity(expression: Expression): boolean {
  const call = unwrapped(expression)
  const options = call.kind === 'call' ? call.arguments[3] : undefined
  if (options === undefined) return true
  const inner = unwrapped(options)
  if (inner.kind !== 'object')
    throw notSupported('A plan for VectorDistance with options in a parameter', inner.span)
  const named = inner.properties.find(({ name }) => name === 'distanceFunction')
  if (named === undefined) return true
  const value = unwrapped(named.value)
  if (value.kind !== 'literal')
    throw notSupported('A plan for VectorDistance with a computed option', value.span)
  return String(value.value).toLowerCase() !== 'euclidean'
}

/** Checks whether equal rows follow each other, because the query is ordered by its only selected value. */
function isOrderedDistinct({ selection, orderBy }: Query, slice: (span: Query['span']) => string): boolean {
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
