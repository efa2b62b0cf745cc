import { lookupCharge, type Container, type PhysicalPartition } from '../../engine/index.js'
import { header, type Answer } from '../../messages/rest-message.js'
import { containerHeaders, containerOf, feedBody, type RouteContext } from './context.js'

/**
 * Answers `…/pkranges` with only the current ranges, because clients require ranges that cover the key space
 * without overlaps. A client may read the ranges as an incremental feed: it sends the etag until the answer
 * is 304. Later it gets only newer ranges, whose `parents` name the ranges that they replaced.
 */
export function routePartitionKeyRanges(context: RouteContext): Answer | undefined {
  const { request } = context
  if (request.method !== 'GET') return undefined
  const container = containerOf(context)
  const lastId = Math.max(...container.partitions.map((partition) => Number(partition.id)))
  const etag = `"${container.rid} ${lastId}"`
  const headers = { ...containerHeaders(container), etag }
  const known = request.headers['if-none-match']
  if (known === etag) return { status: 304, charge: lookupCharge, headers }
  const isIncremental = request.headers['a-im'] !== undefined
  const knownId = isIncremental && known !== undefined ? knownLastId(known, container) : -1
  const items = container.partitions
    .filter((partition) => Number(partition.id) > knownId)
    .map((partition) => JSON.stringify(rangeResource(container, partition)))
  return {
    status: 200,
    body: feedBody(container.rid, 'PartitionKeyRanges', items),
    charge: lookupCharge,
    headers: { ...headers, [header.itemCount]: String(items.length) },
  }
}

/**
 * Returns the largest range id that a client knows by its etag, or -1 if the etag belongs to another
 * container.
 */
function knownLastId(etag: string, container: Container): number {
  const [rid, id] = etag.replaceAll('"', '').split(' ')
  return rid === container.rid && id !== undefined && /^\d+$/u.test(id) ? Number(id) : -1
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
