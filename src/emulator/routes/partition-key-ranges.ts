import { lookupCharge, type Container, type PhysicalPartition } from '../engine/index.js'
import { header, type Answer } from '../rest-message.js'
import { containerHeaders, containerOf, feedBody, type RouteContext } from './context.js'

/**
 * `…/pkranges`: the live ranges only, since clients demand a cover without overlaps. Clients that read it as an
 * incremental feed come back with the etag until they are told 304.
 */
export function routePartitionKeyRanges(context: RouteContext): Answer | undefined {
  if (context.request.method !== 'GET') return undefined
  const container = containerOf(context)
  const { partitions } = container
  const etag = `"${partitions.map((partition) => partition.id).join('-')}"`
  const headers = { ...containerHeaders(container), etag }
  if (context.request.headers['if-none-match'] === etag) return { status: 304, charge: lookupCharge, headers }
  const items = partitions.map((partition) => JSON.stringify(rangeResource(container, partition)))
  return {
    status: 200,
    body: feedBody(container.rid, 'PartitionKeyRanges', items),
    charge: lookupCharge,
    headers: { ...headers, [header.itemCount]: String(items.length) },
  }
}

function rangeResource(container: Container, { identity, lsn }: PhysicalPartition): Record<string, unknown> {
  return {
    id: identity.id,
    minInclusive: identity.range.min,
    maxExclusive: identity.range.max,
    parents: identity.parents,
    status: 'online',
    ridPrefix: Number(identity.id),
    throughputFraction: 1 / container.partitions.length,
    _rid: container.rid,
    _self: `${container.self}pkranges/${identity.id}/`,
    _etag: container.etag,
    _ts: container.ts,
    _lsn: lsn,
  }
}
