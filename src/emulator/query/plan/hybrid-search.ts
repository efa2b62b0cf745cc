import { unwrapped, type Call, type Expression, type Query } from '../language/ast.js'
import { notSupported } from '../language/query-error.js'
import { weightsOf } from '../select/rank.js'
import { fusionOf } from '../select/ranking.js'
import { componentsOf, type Component } from './score-components.js'
import { unmerged, type HybridSearchQueryInfo, type PlannedQuery, type QueryInfo } from './query-info.js'
import { continuationFilter, payloadOf, type Slice } from './rewrite.js'

/** Determines how the queries of a plan are written. */
interface Writing {
  readonly slice: Slice
  /** True if the client needs no `orderByItems`, because it ranks by the scores of all components. */
  readonly isShort: boolean
}

/** The smallest number of documents that each component must return. */
const fewestRanked = 120

/** Each component returns this many times the documents that the query needs, or `fewestRanked` if more. */
const reserve = 2

/** The largest count of documents that TOP and LIMIT accept. */
const mostRanked = 2 ** 31 - 1

/** Returns how a client ranks the documents of several ranges by `ORDER BY RANK`. */
export function hybridSearch(
  rank: Expression,
  { query, window, scope }: PlannedQuery,
  { slice, isShort }: Writing,
): HybridSearchQueryInfo {
  refuseUnrankable(query)
  const call = unwrapped(rank)
  const weights = call.kind === 'call' && isFusion(call) ? weightsOf(call, scope) : []
  const calls = call.kind === 'call' && isFusion(call) ? fusionOf(call).functions : [rank]
  const components = componentsOf(calls, weights, slice)
  const statistics = components.flatMap((component) => component.statistics ?? [])
  const needed = Math.min(Math.max(fewestRanked, reserve * (window.skip + window.take)), mostRanked)
  const isFused = components.length > 1
  const write = isShort && isFused ? shortInfo : infoOf
  const scores = components.map(({ scored, isAscending }) =>
    isShort && isAscending ? `(-1 * ${scored})` : scored,
  )
  const parts = {
    slice,
    limit: { hasTop: query.top !== undefined, hasPage: query.page !== undefined, needed },
    scores: isShort && !isFused ? '[]' : `[${scores.join(', ')}]`,
  }
  return {
    globalStatisticsQuery: `SELECT COUNT(1) AS documentCount, [${statistics.join(', ')}] AS fullTextStatistics\n${slice(query.fromSpan)}`,
    componentQueryInfos: components.map((component) => write(query, component, parts)),
    componentWithoutPayloadQueryInfos: [],
    projectionQueryInfo: null,
    componentWeights: weights.map(Math.abs),
    skip: query.page === undefined ? null : window.skip,
    take: Number.isFinite(window.take) ? window.take : null,
    requiresGlobalStatistics: statistics.length > 0,
  }
}

function isFusion({ name }: Call): boolean {
  return name.toUpperCase() === 'RRF'
}

/**
 * Refuses a query whose rows clients cannot tell apart. Clients identify a row by the rid of its document.
 */
function refuseUnrankable({ sources, isDistinct, span }: Query): void {
  const [, join] = sources
  if (join !== undefined) throw notSupported('A plan for ORDER BY RANK with JOIN', join.span)
  if (isDistinct) throw notSupported('A plan for ORDER BY RANK with DISTINCT', span)
}

interface Parts {
  readonly slice: Slice
  readonly limit: { readonly hasTop: boolean; readonly hasPage: boolean; readonly needed: number }
  /** An array of the scores that all components give to a document. */
  readonly scores: string
}

function infoOf(query: Query, component: Component, { slice, limit, scores }: Parts): QueryInfo {
  const { alias, payload, filter } = clausesOf(query, slice)
  const { hasTop, hasPage, needed } = limit
  const where = filter === '' ? `(${continuationFilter})` : `((${filter}) AND (${continuationFilter}))`
  const rewrittenQuery = [
    `SELECT ${topOf(limit)}${alias}._rid, [{"item": ${component.score}}] AS orderByItems, ` +
      `{"payload": ${payload}, "componentScores": ${scores}} AS payload`,
    slice(query.fromSpan),
    `WHERE ${where}`,
    ...orderOf(component, limit),
  ].join('\n')
  return {
    ...unmerged,
    top: hasTop ? needed : null,
    offset: hasPage ? 0 : null,
    limit: hasPage ? needed : null,
    orderBy: [component.isAscending ? 'Ascending' : 'Descending'],
    orderByExpressions: [component.score],
    rewrittenQuery,
    hasNonStreamingOrderBy: true,
  }
}

function shortInfo(query: Query, component: Component, { slice, limit, scores }: Parts): QueryInfo {
  const { alias, payload, filter } = clausesOf(query, slice)
  const rewrittenQuery = [
    `SELECT ${topOf(limit)}${alias}._rid, ${payload} AS payload, ${scores} AS componentScores`,
    slice(query.fromSpan),
    ...(filter === '' ? [] : [`WHERE (${filter})`]),
    ...orderOf(component, limit),
  ].join('\n')
  return { ...unmerged, rewrittenQuery }
}

function clausesOf(
  { sources, selection, where }: Query,
  slice: Slice,
): { readonly alias: string; readonly payload: string; readonly filter: string } {
  const alias = sources[0]?.alias ?? 'c'
  return {
    alias,
    payload: payloadOf(selection, alias, ({ span }) => slice(span)),
    filter: where === undefined ? '' : slice(where.span),
  }
}

function topOf({ hasTop, needed }: Parts['limit']): string {
  return hasTop ? `TOP ${needed} ` : ''
}

function orderOf({ score, direction }: Component, { hasPage, needed }: Parts['limit']): readonly string[] {
  return [`ORDER BY ${score}${direction}`, ...(hasPage ? [`OFFSET 0 LIMIT ${needed}`] : [])]
}
