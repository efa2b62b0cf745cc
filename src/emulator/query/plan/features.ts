import { containsAggregate } from '../select/aggregates.js'
import { selectedExpressions, unwrapped, type Expression, type Query } from '../language/ast.js'
import { fusionOf, rankingOf, scoreName } from '../select/ranking.js'
import { countedRows } from './combined-rows.js'
import { QueryError } from '../language/query-error.js'

/** The features that a client supports, or null if it names none. */
type Features = ReadonlySet<string> | null

/** Reads the names of features, which are separated by commas. */
export function parseFeatures(features: string | null): Features {
  return features === null ? null : new Set(features.split(',').map((feature) => feature.trim()))
}

/**
 * Refuses a query whose plan needs a feature that the client does not support. A client that names no
 * features gets every plan.
 */
export function refuseMissingFeatures(query: Query, supported: Features): void {
  if (supported === null) return
  const missing = neededFeatures(query).filter((feature) => !supported.has(feature))
  if (missing.length === 0) return
  const contained = missing.map(
    (feature) => `Query contained ${feature}, which the calling client does not support.`,
  )
  throw new QueryError(
    'BadRequest',
    'Query contains 1 or more unsupported features. Upgrade your SDK to a version that does support the ' +
      `requested features: ${contained.join(' ')}`,
    query.span,
  )
}

function neededFeatures(query: Query): string[] {
  const { selection, groupBy, orderBy, rank, isDistinct, top, page } = query
  const aggregates = selectedExpressions(selection).filter(containsAggregate).length
  const needed: readonly (readonly [string, boolean])[] = [
    ['Aggregate', aggregates > 0 && selection.kind === 'value' && groupBy.length === 0],
    ['NonValueAggregate', aggregates > 0 && selection.kind === 'list' && groupBy.length === 0],
    ['MultipleAggregates', aggregates > 1],
    ['GroupBy', groupBy.length > 0],
    ['Distinct', isDistinct],
    ['OrderBy', orderBy.length === 1],
    ['NonStreamingOrderBy', rankingOf(query) !== undefined],
    ['HybridSearch', rank !== undefined],
    ['WeightedRankFusion', rank !== undefined && isWeighted(rank)],
    ['DCount', countedRows(query) !== undefined],
    ['MultipleOrderBy', orderBy.length > 1],
    ['Top', top !== undefined],
    ['OffsetAndLimit', page !== undefined],
  ]
  return needed.flatMap(([feature, isNeeded]) => (isNeeded ? [feature] : []))
}

function isWeighted(rank: Expression): boolean {
  const call = unwrapped(rank)
  return call.kind === 'call' && scoreName(rank) === 'RRF' && fusionOf(call).weights !== undefined
}
