import { lookupCharge, Refusal, type Container, type PhysicalPartition } from '../../engine/index.js'
import { asksForPlan, header, type Answer, type RestRequest } from '../../messages/rest-message.js'
import { IndexPending } from '../../indexes/index-pending.js'
import type { ThroughputMeter } from '../metering/throughput-meter.js'
import { containerOf, keyOf, type RouteContext } from './context.js'

type Route = (context: RouteContext) => Answer | undefined

/** Runs a route, or refuses its request with 429 if the requested partitions have no throughput left. */
export function metered(
  context: RouteContext,
  meter: ThroughputMeter | null,
  route: Route,
): Answer | undefined {
  const { request, segments } = context
  // In the service, the gateway creates plans, so a plan costs nothing.
  if (meter === null || asksForPlan(request, segments)) return route(context)
  const container = containerOf(context)
  const partitions = partitionsOf(request, container)
  const delayMs = meter.delayMs(container, partitions)
  if (delayMs > 0) return tooManyRequests(delayMs)
  // A refused request costs a lookup, as its answer says.
  let charge = lookupCharge
  try {
    const answer = route(context)
    charge = answer?.charge ?? lookupCharge
    return answer
  } catch (error) {
    // The request comes again.
    if (error instanceof IndexPending) charge = 0
    throw error
  } finally {
    meter.spend(container, partitions, charge)
  }
}

function tooManyRequests(delayMs: number): Answer {
  return {
    status: 429,
    body: JSON.stringify({
      code: 'TooManyRequests',
      message:
        'Request rate is large. More Request Units may be needed, so no changes were made. ' +
        `Retry after ${delayMs} ms, or raise the throughput.`,
    }),
    charge: 0,
    headers: { [header.substatus]: '3200', [header.retryAfterMs]: String(delayMs) },
  }
}

/** Returns the partitions that a request names, or all partitions if it names none or is invalid. */
function partitionsOf(request: RestRequest, container: Container): readonly PhysicalPartition[] {
  try {
    const rangeId = request.headers[header.rangeId]
    if (rangeId !== undefined) return [container.partitionById(rangeId)]
    const key = keyOf(request, container)
    if (key !== undefined) return [container.locate(key).partition]
    return container.partitions
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return container.partitions
  }
}
