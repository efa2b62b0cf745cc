import {
  badRequest,
  notFound,
  notSupported,
  parsePartitionKeyPrefix,
  partitionKeyText,
  substatus,
  type Container,
  type Database,
  type JsonObject,
  type NamedRecord,
  type PermissionRecord,
} from '../../../engine/index.js'
import { documentIdIn } from '../../../messages/resource-link.js'
import { pathSegments } from '../../../messages/rest-message.js'
import { kindsOf } from '../context.js'

/** The part of a permission that the client chooses. */
export type PermissionSettings = Omit<PermissionRecord, Exclude<keyof NamedRecord, 'id'>>

/** Reads a permission in the body of a request. */
export function permissionSettings(
  body: JsonObject,

  database: Database,
): PermissionSettings {
  const { id, permissionMode, resource, resourcePartitionKey } = body
  if (typeof permissionMode !== 'string' || !['all', 'read'].includes(permissionMode.toLowerCase())) {
    throw badRequest(`The permissionMode is ${JSON.stringify(permissionMode)}; it must be All or Read.`)
  }
  if (typeof resource !== 'string') {
    throw badRequest('A permission must name its "resource", such as dbs/shop/colls/orders.')
  }
  const segments = pathSegments(resource)
  const container = containerIn(segments, resource, database)
  return {
    id: id as string,
    permissionMode,
    resource,
    containerRid: container.rid,
    documentId: documentIdIn(segments, container) ?? null,
    partitionKey: restrictionIn(resourcePartitionKey, container),
  }
}

function containerIn(segments: readonly string[], resource: string, database: Database): Container {
  const kinds = kindsOf(segments)
  if (/^dbs\/colls\/(?:sprocs|triggers|udfs|docs\/attachments)$/u.test(kinds)) {
    throw notSupported(`A permission for ${resource}`)
  }
  const isOwn = segments[1] === database.id || segments[1] === database.rid
  if (segments.length % 2 === 1 || !isOwn || (kinds !== 'dbs/colls' && kinds !== 'dbs/colls/docs')) {
    throw badRequest(
      `The resource '${resource}' of a permission must be a container or a document of the user's database, ` +
        'such as dbs/shop/colls/orders.',
    )
  }
  const container = database.container(segments[3] ?? '')
  if (container === undefined) throw notFound(`The container '${resource}'`, substatus.ownerNotFound)
  return container
}

function restrictionIn(value: unknown, { definition }: Container): readonly unknown[] | null {
  if (value === undefined || value === null) return null
  if (!Array.isArray(value)) {
    throw badRequest(
      `The resourcePartitionKey is ${JSON.stringify(value)}; it must be an array with a value for each level.`,
    )
  }
  const key = parsePartitionKeyPrefix(JSON.stringify(value), definition.partitionKey)
  return JSON.parse(partitionKeyText(key)) as readonly unknown[]
}
