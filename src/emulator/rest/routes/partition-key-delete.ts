import { badRequest, deleteKey } from '../../engine/index.js'
import { header, type Answer } from '../../messages/rest-message.js'
import { containerOf, keyOf, partitionHeaders, type RouteContext } from './context.js'

/** The service's charge for the request, for any number of documents. */
const orderCharge = 1

/** Answers POST `…/operations/partitionkeydelete`, which deletes every document of the key in the header. */
export function routePartitionKeyDelete(context: RouteContext): Answer | undefined {
  const { request, segments } = context
  if (request.method !== 'POST' || segments.length !== 6) return undefined
  if (segments[5]?.toLowerCase() !== 'partitionkeydelete') return undefined
  const container = containerOf(context)
  const key = keyOf(request, container)
  if (key === undefined) {
    throw badRequest(
      `The header ${header.partitionKey} is missing; it names the key whose documents are to be deleted.`,
    )
  }
  deleteKey(container, key)
  const { partition } = container.locate(key)
  return { status: 200, charge: orderCharge, headers: partitionHeaders(container, partition) }
}
