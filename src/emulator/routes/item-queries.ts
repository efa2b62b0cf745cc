import {
  badRequest,
  isJsonObject,
  lookupCharge,
  wholeKeySpace,
  type Container,
  type JsonObject,
  type ScanScope,
} from '../engine/index.js'
import { readPage, type PageRequest } from '../item-pages.js'
import type { CompiledQuery, QueryParameter } from '../query/index.js'
import { compileQuery } from '../query-room.js'
import { header, type Answer, type RestRequest } from '../rest-message.js'
import { assertSessionReached, sessionTokens } from '../session-token.js'
import {
  bodyObject,
  containerHeaders,
  epkRangeOf,
  feedBody,
  isSet,
  keyOf,
  keyPrefixRangeOf,
  pageSizeOf,
} from './context.js'

/** POST `…/docs` with a query, or with the question how to run it. */
export function routeQuery(request: RestRequest, container: Container): Answer {
  const query = parseQuery(request)
  if (isSet(request, header.isQueryPlan)) return { status: 200, body: queryPlan(query), charge: lookupCharge }
  return answerPage(request, container, query)
}

/** GET `…/docs`: every document of the scope, a page at a time. */
export function routeReadFeed(request: RestRequest, container: Container): Answer {
  return answerPage(request, container, everyDocument)
}

const everyDocument: CompiledQuery = {
  equalities: new Map(),
  requiredTexts: [],
  isStreaming: true,
  rowsOf: (document) => [document],
  execute: (documents) => [...documents],
}

/** Queries over databases or containers, which are few: one page. */
export function queryResources(request: RestRequest, name: string, resources: readonly JsonObject[]): string {
  const rows = parseQuery(request).execute(resources)
  return feedBody(
    '',
    name,
    rows.map((row) => JSON.stringify(row)),
  )
}

function answerPage(request: RestRequest, container: Container, query: CompiledQuery): Answer {
  const scope = scopeOf(request, container)
  const token = request.headers[header.sessionToken]
  const partitions = scope.kind === 'container' ? container.partitions : [scope.partition]
  for (const partition of partitions) assertSessionReached(partition, token)
  const continuation = request.headers[header.continuation]
  const wanted: PageRequest = {
    scope,
    query,
    text: request.body,
    maxItemCount: pageSizeOf(request),
    ...(continuation === undefined || continuation === '' ? {} : { continuation }),
  }
  const page = readPage(container, wanted)
  return {
    status: 200,
    body: feedBody(container.rid, 'Documents', page.rows),
    charge: page.charge,
    headers: {
      ...containerHeaders(container),
      [header.sessionToken]: sessionTokens(container),
      [header.itemCount]: String(page.rows.length),
      ...(page.continuation === null ? {} : { [header.continuation]: page.continuation }),
    },
  }
}

function parseQuery(request: RestRequest): CompiledQuery {
  const { query, parameters = [] } = bodyObject(request)
  if (typeof query !== 'string') throw badRequest('A query request must have its text in "query".')
  if (!Array.isArray(parameters)) throw badRequest('The "parameters" of a query must be an array.')
  return compileQuery(query, parameters.map(parseParameter))
}

function parseParameter(parameter: unknown): QueryParameter {
  const name = isJsonObject(parameter) ? parameter['name'] : undefined
  if (!isJsonObject(parameter) || typeof name !== 'string') {
    throw badRequest('A parameter of a query must look like { "name": "@id", "value": … }.')
  }
  return { name, value: parameter['value'] }
}

/** The partition key if one is named, else the range, else the whole container, merged here. */
function scopeOf(request: RestRequest, container: Container): ScanScope {
  const prefix = keyPrefixRangeOf(request, container)
  if (prefix !== undefined) return { kind: 'container', range: prefix }
  const key = keyOf(request, container)
  if (key !== undefined) return { kind: 'key', ...container.locate(key) }
  const rangeId = request.headers[header.rangeId]
  if (rangeId === undefined) return { kind: 'container' }
  const range = epkRangeOf(request)
  return {
    kind: 'partition',
    partition: container.partitionById(rangeId),
    ...(range === undefined ? {} : { range }),
  }
}

/**
 * The plan of a query that each range may answer for itself. Others are answered here without a plan, so clients never
 * need theirs; a client that insists on one is told.
 */
function queryPlan(query: CompiledQuery): string {
  if (!query.isStreaming) {
    throw badRequest(
      'The embedded Cosmos DB answers queries with ORDER BY, aggregates, TOP, OFFSET or DISTINCT directly and gives no plan for them. Send the query without forceQueryPlan.',
    )
  }
  return JSON.stringify({
    partitionedQueryExecutionInfoVersion: 2,
    queryInfo: {
      distinctType: 'None',
      top: null,
      offset: null,
      limit: null,
      orderBy: [],
      orderByExpressions: [],
      groupByExpressions: [],
      groupByAliases: [],
      aggregates: [],
      groupByAliasToAggregateType: {},
      rewrittenQuery: '',
      hasSelectValue: false,
      dCountInfo: null,
      hasNonStreamingOrderBy: false,
    },
    queryRanges: [{ ...wholeKeySpace, isMinInclusive: true, isMaxInclusive: false }],
  })
}
