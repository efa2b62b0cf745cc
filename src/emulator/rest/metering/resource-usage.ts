import type { Container } from '../../engine/index.js'
import { header, isSet, type RestRequest } from '../../messages/rest-message.js'

/** The storage of one physical partition in the service, in KB. */
const partitionKilobytes = 50 * 1024 * 1024

/** Adds the headers that say how much a container may hold and how much it holds. Sizes are in KB. */
export function addUsage(headers: Record<string, string>, container: Container): void {
  const { documentCount, documentBytes, partitions } = container
  const most = partitionKilobytes * partitions.length
  const held = Math.ceil(documentBytes / 1024)
  headers[header.resourceQuota] =
    `documentSize=2048;documentsSize=${most};documentsCount=-1;collectionSize=${most};`
  headers[header.resourceUsage] =
    `documentSize=0;documentsSize=${held};documentsCount=${documentCount};collectionSize=${held};`
}

/**
 * Returns what a client reads about a container if it asks for quota. The progress of indexes is always 100,
 * because a query brings an index up to date before it uses the index.
 */
export function quotaHeaders(request: RestRequest, container: Container): Record<string, string> {
  const headers: Record<string, string> = {}
  if (!isSet(request, header.populateQuotaInfo)) return headers
  addUsage(headers, container)
  headers[header.indexProgress] = '100'
  if (container.definition.isLazilyIndexed) headers[header.lazyIndexProgress] = '100'
  return headers
}
