import { assertNamedMatch, etagOfNamed, type JsonObject, type NamedRecord } from '../../../engine/index.js'
import { header, isSet, type Answer } from '../../../messages/rest-message.js'
import { bodyObject, type RouteContext } from '../context.js'
import { resourceAnswer, writeCharge } from '../databases.js'
import { routeResources } from '../item-queries.js'

/** Answers `/dbs/{database}/users` and `/dbs/{database}/users/{user}`. */
export function routeUsers(context: RouteContext): Answer | undefined {
  const { engine, request, segments } = context
  const { rid, self } = engine.database(segments[1] ?? '')
  const resourceOf = (user: NamedRecord): JsonObject => userResource(user, self)
  if (segments[3] !== undefined) return routeUser(context, engine.users.get(rid, segments[3]), resourceOf)
  const feed = routeResources(context, 'Users', engine.users.of(rid).map(resourceOf), rid)
  if (feed !== undefined || request.method !== 'POST') return feed
  const id = bodyObject(request)['id'] as string
  const before = isSet(request, header.isUpsert) ? engine.users.find(rid, id) : undefined
  if (before !== undefined) return resourceAnswer(200, resourceOf(engine.users.replace(before, { id })))
  return resourceAnswer(201, resourceOf(engine.users.create(rid, { id })))
}

function routeUser(
  { engine, request }: RouteContext,
  user: NamedRecord,
  resourceOf: (user: NamedRecord) => JsonObject,
): Answer | undefined {
  if (request.method === 'GET') return resourceAnswer(200, resourceOf(user))
  if (request.method !== 'PUT' && request.method !== 'DELETE') return undefined
  assertNamedMatch(user, request.headers['if-match'])
  if (request.method === 'PUT') {
    const id = bodyObject(request)['id'] as string
    return resourceAnswer(200, resourceOf(engine.users.replace(user, { id })))
  }
  engine.deleteUser(user)
  return { status: 204, charge: writeCharge }
}

function userResource(user: NamedRecord, databaseSelf: string): JsonObject {
  const { id, rid, ts } = user
  const _self = `${databaseSelf}users/${rid}/`
  return { id, _rid: rid, _self, _etag: etagOfNamed(user), _permissions: 'permissions/', _ts: ts }
}
