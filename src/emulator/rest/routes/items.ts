import {
  badRequest,
  partitionKeyOf,
  substatus,
  type Container,
  type ItemOperation,
  type PartitionKey,
  type WriteConditions,
} from '../../engine/index.js'
import {
  asksForPlan,
  header,
  isQuery,
  isSet,
  type Answer,
  type RestRequest,
} from '../../messages/rest-message.js'
import { documentIdIn } from '../../messages/resource-link.js'
import { assertSessionReached } from '../../messages/session-token.js'
import { routeBatch } from './batches.js'
import { routeChangeFeed } from './change-feeds.js'
import { bodyJson, bodyObject, containerOf, keyOf, partitionHeaders, type RouteContext } from './context.js'
import { routeQuery, routeReadFeed } from './item-queries.js'
import { parsePatch } from './patches.js'

/** Answers `…/docs` and `…/docs/{id}`. */
export function routeItems(context: RouteContext): Answer | undefined {
  const { request, segments } = context
  const container = containerOf(context)
  assertIntended(request, container)
  const id = documentIdIn(segments, container)
  if (id !== undefined) return routeItem(request, container, id)
  if (request.method === 'GET') {
    return request.headers['a-im'] === undefined
      ? routeReadFeed(request, container)
      : routeChangeFeed(request, container)
  }
  if (request.method !== 'POST') return undefined
  if (isSet(request, header.isBatch)) return routeBatch(request, container)
  if (isQuery(request) || asksForPlan(request, segments)) return routeQuery(context, container)
  const document = bodyObject(request)
  const kind = isSet(request, header.isUpsert) ? 'upsert' : 'create'
  const key = keyOf(request, container) ?? partitionKeyOf(document, container.definition.partitionKey)
  return execute(request, container, key, { kind, document, ...conditionsOf(request) })
}

/**
 * Refuses a request that is meant for an earlier container with the same name. Clients that cache containers
 * by name send the container's rid. After the refusal, they remove the name from their cache.
 */
function assertIntended({ headers }: RestRequest, { id, rid }: Container): void {
  const intended = headers[header.containerRid]
  if (intended === undefined || intended === '' || intended === rid) return
  throw badRequest(
    `The container '${id}' has rid ${rid}, not ${intended.slice(0, 60)}: another container of ` +
      'this name was deleted. Read the container again.',
    substatus.containerRidMismatch,
  )
}

function routeItem(request: RestRequest, container: Container, id: string): Answer | undefined {
  const operation = itemOperation(request, container, id)
  if (operation === undefined) return undefined
  const key = keyOf(request, container)
  if (key === undefined) {
    throw badRequest(`A request for one document must name its partition key in ${header.partitionKey}.`)
  }
  return execute(request, container, key, operation)
}

function itemOperation(request: RestRequest, container: Container, id: string): ItemOperation | undefined {
  const conditions = conditionsOf(request)
  switch (request.method) {
    case 'GET':
      return { kind: 'read', id, ...conditions }
    case 'PUT':
      return { kind: 'replace', id, document: bodyObject(request), ...conditions }
    case 'DELETE':
      return { kind: 'delete', id, ...conditions }
    case 'PATCH':
      return { kind: 'patch', id, patch: parsePatch(bodyJson(request), container), ...conditions }
    default:
      return undefined
  }
}

function conditionsOf({ headers }: RestRequest): WriteConditions {
  return { ifMatch: headers['if-match'], ifNoneMatch: headers['if-none-match'] }
}

function execute(
  request: RestRequest,
  container: Container,
  key: PartitionKey,
  operation: ItemOperation,
): Answer {
  const { partition } = container.locate(key)
  if (operation.kind === 'read') {
    assertSessionReached(partition, request.headers[header.sessionToken])
  }
  const { status, charge, version } = container.execute(key, operation)
  const headers = partitionHeaders(container, partition)
  if (version === null) return { status, charge, headers }
  headers[header.etag] = version.etag
  headers[header.itemLsn] = String(version.lsn)
  const isMinimal = operation.kind !== 'read' && request.headers['prefer'] === 'return=minimal'
  if (isMinimal || status === 304) return { status, charge, headers }
  return { status, charge, headers, body: version.fields.text }
}
