import {
  badRequest,
  isJsonObject,
  lookupCharge,
  partitionsIn,
  type Container,
  type JsonObject,
  type ScanScope,
} from '../../engine/index.js'
import { readPage, type ItemQuery, type PageRequest } from '../pages/item-pages.js'
import { indexMetricsHeader } from '../pages/index-metrics.js'
import type { CompiledQuery, QueryOptions, QueryParameter } from '../../query/index.js'
import { refuseWithoutIndex } from '../rules/index-requirements.js'
import { planBody } from '../rules/query-plan.js'
import { refuseUnservable, type Scoping } from '../rules/unservable-query.js'
import { QueryMeasure } from '../metering/query-metrics.js'
import { compileQuery, queryOptions } from './load-query.js'
import { header, isQuery, isSet, type Answer, type RestRequest } from '../../messages/rest-message.js'
import { assertSessionReached } from '../../messages/session-token.js'
import {
  bodyObject,
  epkRangeOf,
  feedBody,
  namedScope,
  pageSizeOf,
  partitionHeaders,
  type RouteContext,
} from './context.js'

/** Answers POST `…/docs` if the request is a query or asks for the plan of a query. */
export function routeQuery({ request, monotonic, mayWait }: RouteContext, container: Container): Answer {
  const measure = isSet(request, header.populateQueryMetrics) ? new QueryMeasure(monotonic) : undefined
  const query = parseQuery(request, queryOptions(container))
  measure?.compiled()
  if (isSet(request, header.isQueryPlan)) {
    const features = request.headers[header.supportedQueryFeatures] ?? ''
    return { status: 200, body: planBody(container, query, features), charge: lookupCharge }
  }
  // The explorer cannot merge rows, so it gets the merged rows in one answer.
  if (!isSet(request, header.explorer)) refuseUnservable(query, container, scopingOf(request))
  refuseWithoutIndex(query, container.definition, isSet(request, header.enableScan))
  return answerPage(request, container, query, { measure, mayWait })
}

function scopingOf(request: RestRequest): Scoping {
  const { headers } = request
  return {
    isScoped: headers[header.partitionKey] !== undefined || headers[header.rangeId] !== undefined,
    isCrossPartition: isSet(request, header.enableCrossPartition),
    isParallel: isSet(request, header.parallelizeCrossPartition),
  }
}

/** Answers GET `…/docs` with every document of the scope, page by page. */
export function routeReadFeed(request: RestRequest, container: Container): Answer {
  return answerPage(request, container, everyDocument)
}

const everyDocument: ItemQuery = {
  equalities: new Map(),
  requiredTexts: [],
  conditions: [],
  presences: [],
  readPaths: null,
  order: [],
  isStreaming: true,
  isOrdered: false,
  mostRows: Infinity,
  readsContainer: true,
  beginPage: () => undefined,
  pageMs: () => 0,
  isTimeOver: () => false,
  usedPaths: () => ({ predicates: [], groupBy: [] }),
  rowsOf: (document) => [document],
  execute: (documents) => [...documents],
  executeCounted: (documents) => Array.from(documents, ([document]) => document),
  rowsInOrder: (documents) => documents,
  isComplete: () => false,
  matched: () => 0,
}

/**
 * Answers GET for databases, containers or offers, or a query over these resources. The answer has only one
 * page, because there are few of these resources. Returns undefined for any other request.
 *
 * @param rid the owner's rid, which only the answer to GET shows
 */
export function routeResources(
  { engine, request }: RouteContext,
  name: string,
  resources: readonly JsonObject[],
  rid = '',
): Answer | undefined {
  const isAsked = request.method === 'POST' && isQuery(request)
  if (!isAsked && request.method !== 'GET') return undefined
  const rows = isAsked ? parseQuery(request, { now: engine.now }).execute(resources) : resources
  const texts = rows.map((row) => JSON.stringify(row))
  return {
    status: 200,
    body: feedBody(isAsked ? '' : rid, name, texts),
    charge: lookupCharge,
    headers: { [header.itemCount]: String(texts.length) },
  }
}

function answerPage(
  request: RestRequest,
  container: Container,
  query: ItemQuery,
  { measure, mayWait }: Pick<PageRequest, 'measure' | 'mayWait'> = {},
): Answer {
  const scope = scopeOf(request, container)
  const token = request.headers[header.sessionToken]
  const partitions = partitionsIn(container, scope)
  for (const partition of partitions) assertSessionReached(partition, token)
  const page = readPage(container, {
    scope,
    query,
    text: request.body,
    maxItemCount: pageSizeOf(request),
    continuation: request.headers[header.continuation] ?? '',
    measure,
    mayWait,
  })
  return {
    status: 200,
    body: feedBody(container.rid, 'Documents', page.rows),
    charge: page.charge,
    headers: {
      // A session token covers only one range. Every read is strong, so the tokens of the other ranges are
      // not needed.
      ...(partitions[0] === undefined ? {} : partitionHeaders(container, partitions[0])),
      [header.itemCount]: String(page.rows.length),
      ...indexMetricsHeader(request, container, query),
      ...(measure === undefined ? {} : { [header.queryMetrics]: measure.metrics(page.rows) }),
      ...(page.continuation === null ? {} : { [header.continuation]: page.continuation }),
    },
  }
}

function parseQuery(request: RestRequest, options: QueryOptions): CompiledQuery {
  const { query, parameters = [] } = bodyObject(request)
  if (typeof query !== 'string') throw badRequest('A query request must have its text in "query".')
  if (!Array.isArray(parameters)) throw badRequest('The "parameters" of a query must be an array.')
  return compileQuery(query, parameters.map(parseParameter), options)
}

function parseParameter(parameter: unknown): QueryParameter {
  const name = isJsonObject(parameter) ? parameter['name'] : undefined
  if (!isJsonObject(parameter) || typeof name !== 'string') {
    throw badRequest('A parameter of a query must look like { "name": "@id", "value": … }.')
  }
  return { name, value: parameter['value'] }
}

/**
 * Returns the scope of a query. If the request names no partition, the emulator merges the results of all
 * partitions in the range.
 */
function scopeOf(request: RestRequest, container: Container): ScanScope {
  const { partition, range, keyText } = namedScope(request, container)
  if (partition === undefined) return { kind: 'range', range: range ?? epkRangeOf(request) }
  if (keyText !== undefined) return { kind: 'key', partition, keyText }
  return { kind: 'range', partition, range: range ?? epkRangeOf(request) }
}
