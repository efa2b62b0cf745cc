import {
  Refusal,
  assertNamedMatch,
  badRequest,
  etagOfNamed,
  type JsonObject,
  type NamedRecord,
  type PermissionRecord,
} from '../../../engine/index.js'
import { header, isSet, type Answer, type RestRequest } from '../../../messages/rest-message.js'
import { resourceToken } from '../../authorization/resource-token.js'
import { bodyObject, type RouteContext } from '../context.js'
import { resourceAnswer, writeCharge } from '../databases.js'
import { routeResources } from '../item-queries.js'
import { permissionSettings, type PermissionSettings } from './permission-settings.js'

/** Answers `/dbs/{database}/users/{user}/permissions` and its permissions. Each answer has a new token. */
export function routePermissions(context: RouteContext): Answer | undefined {
  const { engine, request, segments } = context
  const database = engine.database(segments[1] ?? '')
  const user = engine.users.get(database.rid, segments[3] ?? '')
  const self = `${database.self}users/${user.rid}/`
  const seconds = expirySeconds(request)
  const resourceOf = (permission: PermissionRecord): JsonObject =>
    permissionResource(permission, self, resourceToken(permission.rid, seconds, context.signing))
  const named = segments[5]
  if (named !== undefined)
    return routePermission(context, engine.permissions.get(user.rid, named), resourceOf)
  const resources = engine.permissions.of(user.rid).map(resourceOf)
  const feed = routeResources(context, 'Permissions', resources, user.rid)
  if (feed !== undefined || request.method !== 'POST') return feed
  const settings = permissionSettings(bodyObject(request), database)
  const before = isSet(request, header.isUpsert) ? engine.permissions.find(user.rid, settings.id) : undefined
  assertOnlyOne(settings, engine.permissions.of(user.rid), before)
  if (before !== undefined)
    return resourceAnswer(200, resourceOf(engine.permissions.replace(before, settings)))
  return resourceAnswer(201, resourceOf(engine.permissions.create(user.rid, settings)))
}

function routePermission(
  { engine, request, segments }: RouteContext,
  permission: PermissionRecord,
  resourceOf: (permission: PermissionRecord) => JsonObject,
): Answer | undefined {
  if (request.method === 'GET') return resourceAnswer(200, resourceOf(permission))
  if (request.method !== 'PUT' && request.method !== 'DELETE') return undefined
  assertNamedMatch(permission, request.headers['if-match'])
  if (request.method === 'PUT') {
    const settings = permissionSettings(bodyObject(request), engine.database(segments[1] ?? ''))
    assertOnlyOne(settings, engine.permissions.of(permission.ownerRid), permission)
    return resourceAnswer(200, resourceOf(engine.permissions.replace(permission, settings)))
  }
  engine.permissions.delete(permission)
  return { status: 204, charge: writeCharge }
}

/** Refuses a second permission of one user for the same resource and partition key. */
function assertOnlyOne(
  { containerRid, documentId, partitionKey }: PermissionSettings,
  permissions: readonly PermissionRecord[],
  replaced: NamedRecord | undefined,
): void {
  const key = JSON.stringify(partitionKey)
  const same = permissions.find(
    (one) =>
      one.containerRid === containerRid &&
      one.documentId === documentId &&
      JSON.stringify(one.partitionKey) === key &&
      one.rid !== replaced?.rid,
  )
  if (same === undefined) return
  throw new Refusal(409, `The permission '${same.id}' of this user is for the same resource. Replace it.`)
}

const defaultSeconds = 3_600
const secondsBounds = { min: 10, max: 86_400 } as const

function expirySeconds({ headers }: RestRequest): number {
  const text = headers[header.expirySeconds]
  const seconds = text === undefined ? defaultSeconds : Number(text)
  if (Number.isInteger(seconds) && seconds >= secondsBounds.min && seconds <= secondsBounds.max)
    return seconds
  throw badRequest(
    `${header.expirySeconds} is ${text ?? ''}; it must be a whole number from ${secondsBounds.min} to ` +
      `${secondsBounds.max}.`,
  )
}

function permissionResource(permission: PermissionRecord, userSelf: string, token: string): JsonObject {
  const { id, rid, ts, permissionMode, resource, partitionKey } = permission
  return {
    id,
    permissionMode,
    resource,
    ...(partitionKey === null ? {} : { resourcePartitionKey: partitionKey }),
    _rid: rid,
    _self: `${userSelf}permissions/${rid}/`,
    _etag: etagOfNamed(permission),
    _ts: ts,
    _token: token,
  }
}
