import { badRequest, Refusal, substatus } from '../../engine/index.js'
import type { CompiledQuery } from '../../query/index.js'
import { planBody } from './query-plan.js'
import { queryRanges, type KeyedContainer } from './query-ranges.js'

/** What the headers of a query say about its ranges. */
export interface Scoping {
  /** Whether the request names a partition key or a range. */
  readonly isScoped: boolean
  /** Whether the client allows a query over several ranges. */
  readonly isCrossPartition: boolean
  /** Whether the client wants to query the ranges itself. */
  readonly isParallel: boolean
}

/**
 * Refuses a query that the service's gateway does not answer, because a client must merge its rows. The
 * gateway decides by the filter alone: the number of the container's ranges does not matter. The error
 * usually contains the plan of the query, which clients then follow.
 */
export function refuseUnservable(
  query: CompiledQuery,
  container: KeyedContainer,
  { isScoped, isCrossPartition, isParallel }: Scoping,
): void {
  if (isScoped || (query.isStreaming && isCrossPartition && !isParallel)) return
  const { isDistinct, hasGroupBy, hasNamedAggregate } = query.usage()
  if (isOnePoint(query, container)) {
    if (isDistinct || hasGroupBy) throw notServable(query, container)
    return
  }
  // The service sends no plan here; clients recognise the text and ask for a plan.
  if (hasNamedAggregate) {
    throw badRequest("Cross partition query only supports 'VALUE <AggregateFunc>' for aggregates.")
  }
  if (!isCrossPartition) throw new Refusal(400, disabled, 0, planBody(container, query, null))
  throw notServable(query, container)
}

function isOnePoint(query: CompiledQuery, container: KeyedContainer): boolean {
  const [range, ...others] = queryRanges(container, query)
  return others.length === 0 && range?.min === range?.max
}

const disabled =
  'Cross partition query is required but disabled. Please set x-ms-documentdb-query-enablecrosspartition to ' +
  'true, specify x-ms-documentdb-partitionkey, or revise your query to avoid this exception.'

const unservable =
  'The provided cross partition query can not be directly served by the gateway. Query one partition key or ' +
  'one range, or follow the plan in additionalErrorInfo, as the SDKs do.'

function notServable(query: CompiledQuery, container: KeyedContainer): Refusal {
  const plan = planBody(container, query, null)
  return new Refusal(400, unservable, substatus.crossPartitionQueryNotServable, plan)
}
