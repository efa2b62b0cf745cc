import type { Query } from '../language/ast.js'
import type { Scope } from '../select/scope.js'
import type { Window } from '../select/window.js'
import type { AggregateType } from './aggregate-items.js'

/** A direction in the form of a plan. */
export type SortOrder = 'Ascending' | 'Descending'

/** Tells a client how to merge the rows of several ranges, in the service's own form. */
export interface QueryInfo {
  readonly distinctType: 'None' | 'Ordered' | 'Unordered'
  readonly top: number | null
  readonly offset: number | null
  readonly limit: number | null
  readonly orderBy: readonly SortOrder[]
  readonly orderByExpressions: readonly string[]
  readonly groupByExpressions: readonly string[]
  readonly groupByAliases: readonly string[]
  readonly aggregates: readonly AggregateType[]
  readonly groupByAliasToAggregateType: Readonly<Record<string, AggregateType | null>>
  /** The query to send to each range. Empty if it is the query that the client already has. */
  readonly rewrittenQuery: string
  readonly hasSelectValue: boolean
  /**
   * Not null if the client must return only the number of merged rows. The alias is the name of the number in
   * the row, or empty if the row is the number itself.
   */
  readonly dCountInfo: { readonly dCountAlias: string } | null
  readonly hasNonStreamingOrderBy: boolean
}

/** The plan of a query whose rows need no merging. */
export const unmerged: QueryInfo = {
  distinctType: 'None',
  top: null,
  offset: null,
  limit: null,
  orderBy: [],
  orderByExpressions: [],
  groupByExpressions: [],
  groupByAliases: [],
  aggregates: [],
  groupByAliasToAggregateType: {},
  rewrittenQuery: '',
  hasSelectValue: false,
  dCountInfo: null,
  hasNonStreamingOrderBy: false,
}

/**
 * Tells a client how to rank documents of several ranges, in the service's own form. The client first sends
 * the query for statistics to all ranges. The client puts the sums of the answers into the queries for the
 * components. There is one component for each scoring function. Then the client ranks the documents that
 * these queries return.
 */
export interface HybridSearchQueryInfo {
  readonly globalStatisticsQuery: string
  readonly componentQueryInfos: readonly QueryInfo[]
  readonly componentWithoutPayloadQueryInfos: readonly QueryInfo[]
  readonly projectionQueryInfo: QueryInfo | null
  /** Never negative. Empty if all components weigh the same. */
  readonly componentWeights: readonly number[]
  readonly skip: number | null
  readonly take: number | null
  readonly requiresGlobalStatistics: boolean
}

/** The part of a plan that depends on the query. */
export type QueryPlan =
  { readonly queryInfo: QueryInfo } | { readonly hybridSearchQueryInfo: HybridSearchQueryInfo }

/** A valid query with the text that it was parsed from. */
export interface PlannedQuery {
  readonly query: Query
  readonly text: string
  readonly window: Window
  /** The scope around the whole query. */
  readonly scope: Scope
}
