import {
  firstPartitionsFor,
  keylessDefinition,
  parseContainerDefinition,
  partitionsFor,
  Refusal,
  type Container,
  type ContainerDefinition,
  type Database,
  type JsonObject,
  type Throughput,
} from '../../engine/index.js'
import { header, type Answer, type RestRequest } from '../../messages/rest-message.js'
import { bodyObject, containerOf, type RouteContext } from './context.js'
import { quotaHeaders } from '../metering/resource-usage.js'
import { resourceAnswer, writeCharge } from './databases.js'
import { checkComputed } from './load-query.js'
import { routeResources } from './item-queries.js'
import { defaultThroughput, throughputOf } from './offers.js'

/** Answers `/dbs/{database}/colls` and `/dbs/{database}/colls/{container}`. */
export function routeContainers(context: RouteContext): Answer | undefined {
  const { engine, request, segments } = context
  if (segments[3] !== undefined) return routeContainer(context)
  const database = engine.database(segments[1] ?? '')
  const resources = database.containers.map((container) => container.resource())
  const feed = routeResources(context, 'DocumentCollections', resources, database.rid)
  if (feed !== undefined || request.method !== 'POST') return feed
  return answer(201, createContainer(context, database))
}

/**
 * Creates a container, with partitions and an offer for the requested throughput. If the request names no
 * throughput, the container shares the throughput of the database. If the database has none, the container
 * gets the default.
 */
function createContainer({ engine, request }: RouteContext, database: Database): Container {
  const wanted = throughputOf(request)
  const shared = engine.offers.of(database.rid)?.throughput
  const definition = definitionIn(request)
  checkedDefinition(definition)
  const container = engine.createContainer(database.id, definition, partitionCount(wanted, shared))
  if (shared === undefined || wanted !== undefined) {
    engine.offers.create(container, wanted ?? defaultThroughput)
  }
  return container
}

function partitionCount(wanted: Throughput | undefined, shared: Throughput | undefined): number | undefined {
  if (wanted !== undefined) return firstPartitionsFor(wanted)
  return shared === undefined ? undefined : partitionsFor(shared)
}

/**
 * Returns the definition in a request to create a container. Clients of the first versions of the interface
 * may leave out the partition key.
 */
function definitionIn(request: RestRequest): JsonObject {
  const body = bodyObject(request)
  const isKeyless = isOfFirstVersions(request) && (body['partitionKey'] ?? null) === null
  return isKeyless ? { ...body, partitionKey: keylessDefinition() } : body
}

/** Returns a definition whose computed properties have valid queries. */
function checkedDefinition(body: JsonObject): ContainerDefinition {
  const definition = parseContainerDefinition(body)
  checkComputed(definition.computedProperties)
  return definition
}

/** The version of the interface since which every container has a partition key. */
const firstVersionWithKeys = '2018-12-31'

function isOfFirstVersions({ headers }: RestRequest): boolean {
  return (headers[header.version] ?? firstVersionWithKeys) < firstVersionWithKeys
}

function routeContainer(context: RouteContext): Answer | undefined {
  const container = containerOf(context)
  switch (context.request.method) {
    case 'GET':
      return answer(200, container, quotaHeaders(context.request, container))
    case 'PUT':
      assertMatch(context.request, container)
      container.redefine(checkedDefinition(bodyObject(context.request)))
      return answer(200, container)
    case 'DELETE':
      context.engine.deleteContainer(context.segments[1] ?? '', context.segments[3] ?? '')
      return { status: 204, charge: writeCharge, headers: ownerHeaders(container) }
    default:
      return undefined
  }
}

function answer(status: 200 | 201, container: Container, more: Record<string, string> = {}): Answer {
  const { headers, ...rest } = resourceAnswer(status, container.resource())
  return { ...rest, headers: { ...headers, ...ownerHeaders(container), ...more } }
}

/** Returns the headers that name the container's database. Clients join its path and the container's name. */
function ownerHeaders({ link, databaseRid }: Container): Record<string, string> {
  return {
    [header.altContentPath]: link.slice(0, link.lastIndexOf('/colls/')),
    [header.contentPath]: databaseRid,
  }
}

function assertMatch(request: RestRequest, container: Container): void {
  const expected = request.headers['if-match']
  if (expected === undefined || expected === '*' || expected === container.etag) return
  throw new Refusal(
    412,
    `The container has etag ${container.etag}, not ${expected}. Read it, and decide again.`,
  )
}
