import { lookupCharge, type JsonObject } from '../../engine/index.js'
import { header, type Answer } from '../../messages/rest-message.js'
import { bodyObject, type RouteContext } from './context.js'
import { routeResources } from './item-queries.js'
import { throughputOf } from './offers.js'

/** Answers `/dbs` and `/dbs/{database}`. Returns undefined for a method that these paths do not have. */
export function routeDatabases(context: RouteContext): Answer | undefined {
  const { engine, request, segments } = context
  const name = segments[1]
  if (name !== undefined) {
    if (request.method === 'GET') return resourceAnswer(200, engine.database(name).resource())
    if (request.method !== 'DELETE') return undefined
    engine.deleteDatabase(name)
    return { status: 204, charge: writeCharge }
  }
  const resources = engine.databases.map((database) => database.resource())
  const feed = routeResources(context, 'Databases', resources)
  if (feed !== undefined || request.method !== 'POST') return feed
  const throughput = throughputOf(request)
  const database = engine.createDatabase(bodyObject(request)['id'] as string)
  if (throughput !== undefined) engine.offers.create(database, throughput)
  return resourceAnswer(201, database.resource())
}

/** The service's charge for a change of a database or container. */
export const writeCharge = 4.95

export function resourceAnswer(status: 200 | 201, resource: JsonObject): Answer {
  return {
    status,
    body: JSON.stringify(resource),
    charge: status === 201 ? writeCharge : lookupCharge,
    headers: { [header.etag]: String(resource['_etag']) },
  }
}
