import {
  parsePartitionKeyPrefix,
  partitionKeyText,
  Refusal,
  type Container,
  type CosmosEngine,
  type PermissionRecord,
} from '../../engine/index.js'
import { documentIdIn } from '../../messages/resource-link.js'
import { header, isQuery, isSet, type RestRequest } from '../../messages/rest-message.js'
import type { Claim } from './signed-resource.js'

type Request = Pick<Claim, 'request' | 'segments'>

/**
 * Refuses a request that a permission does not allow. Every permission allows reading the account document.
 */
export function assertPermitted({ request, segments }: Request, engine: CosmosEngine, rid: string): void {
  if (segments.length === 0) return
  const permission = engine.permissions.withRid(rid)
  if (permission !== undefined && isPermitted({ request, segments }, engine, permission)) return
  throw new Refusal(
    403,
    'Insufficient permissions provided in the authorization header for the corresponding request. Please ' +
      'retry with another authorization header.',
  )
}

function isPermitted(
  { request, segments }: Request,
  engine: CosmosEngine,
  permission: PermissionRecord,
): boolean {
  const container = containerOf(segments, engine)
  if (container?.rid !== permission.containerRid) return false
  const isRead = isReading(request, segments)
  if (!isRead && permission.permissionMode.toLowerCase() !== 'all') return false
  if (isMetadata(segments)) return isRead || isUnrestricted(permission)
  return coversDocument(segments, container, permission) && coversKey(request, container, permission)
}

/** Returns the container that a route would use for this path. */
function containerOf(
  [dbs, database = '', colls, name = '']: readonly string[],
  engine: CosmosEngine,
): Container | undefined {
  if (dbs !== 'dbs' || colls !== 'colls') return undefined
  return engine.databaseNamed(database)?.container(name)
}

/** Checks whether a request only reads. A batch may write, even if its other headers are those of a query. */
function isReading(request: RestRequest, segments: readonly string[]): boolean {
  if (request.method === 'GET') return true
  const isFeed = segments.length === 5 && (segments[4] === 'docs' || segments[4] === 'conflicts')
  if (request.method !== 'POST' || !isFeed || isSet(request, header.isBatch)) return false
  return isQuery(request) || isSet(request, header.isQueryPlan)
}

/** Checks whether a path is about the container itself, which a client reads before it reads documents. */
function isMetadata(segments: readonly string[]): boolean {
  return segments.length === 4 || segments[4] === 'pkranges' || segments[4] === 'conflicts'
}

function isUnrestricted({ documentId, partitionKey }: PermissionRecord): boolean {
  return documentId === null && partitionKey === null
}

function coversDocument(
  segments: readonly string[],
  container: Container,
  { documentId }: PermissionRecord,
): boolean {
  return documentId === null || documentIdIn(segments, container) === documentId
}

/**
 * Checks whether a request stays within the partition key of a permission. A bulk request names a key for
 * each operation, so it is never covered.
 */
function coversKey(
  request: RestRequest,
  { definition }: Container,
  { partitionKey }: PermissionRecord,
): boolean {
  if (partitionKey === null) return true
  if (isSet(request, header.isBatch) && !isSet(request, header.isBatchAtomic)) return false
  const text = request.headers[header.partitionKey]
  if (text === undefined) return false
  const key = parsePartitionKeyPrefix(text, definition.partitionKey).slice(0, partitionKey.length)
  return partitionKeyText(key) === JSON.stringify(partitionKey)
}
