import { assertAuthorized } from './authorization/authorize.js'
import type { Signing } from './authorization/master-key.js'
import { badRequest, lookupCharge, Refusal, type CosmosEngine } from '../engine/index.js'
import type { Faults } from '../faults/index.js'
import { IndexPending } from '../indexes/index-pending.js'
import { QueryError } from '../query/language/query-error.js'
import {
  header,
  pathSegments,
  type Answer,
  type RestRequest,
  type RestResponse,
} from '../messages/rest-message.js'
import { readAccount } from './routes/account.js'
import { routeAdmin } from './routes/admin.js'
import { routeConflicts } from './routes/conflicts.js'
import { routeContainers } from './routes/containers.js'
import { kindsOf, type RouteContext } from './routes/context.js'
import { routeDatabases } from './routes/databases.js'
import { routeFaults } from './routes/faults-admin.js'
import { routeItems } from './routes/items.js'
import { routePartitionKeyDelete } from './routes/partition-key-delete.js'
import { routeOffers } from './routes/offers.js'
import { routePermissions } from './routes/users/permissions.js'
import { routeUsers } from './routes/users/users.js'
import { refuseUnsupported } from './routes/unsupported.js'
import { metered } from './routes/metered.js'
import { routePartitionKeyRanges } from './routes/partition-key-ranges.js'
import type { ThroughputMeter } from './metering/throughput-meter.js'

export interface RoutesOptions {
  readonly engine: CosmosEngine
  readonly faults: Faults
  readonly signing: Signing
  readonly nextId: () => string
  /** Returns milliseconds since an arbitrary start, by which queries are measured. */
  readonly monotonic: () => number
  /** The meter that limits requests for documents to the purchased throughput; null for no limit. */
  readonly meter: ThroughputMeter | null
}

/**
 * Answers requests synchronously. The caller decides when the answer may be sent.
 *
 * @param mayWait whether to throw `IndexPending` if a query needs an index that is far behind
 */
export type Routes = (request: RestRequest, mayWait?: boolean) => RestResponse

/**
 * Creates the REST interface of an engine. A problem with a request becomes an answer, never an exception.
 */
export function createRoutes(options: RoutesOptions): Routes {
  return (request, mayWait = false) => {
    let answer: Answer
    try {
      answer = route(request, mayWait, options)
    } catch (error) {
      if (error instanceof IndexPending) throw error
      answer = refused(error)
    }
    return complete(answer, options)
  }
}

function route(
  request: RestRequest,
  mayWait: boolean,
  { engine, faults, meter, monotonic, signing }: RoutesOptions,
): Answer {
  const rawSegments = pathSegments(request.path)
  const segments = rawSegments.map(decodedSegment)
  if (request.isOwn !== true) assertAuthorized({ request, segments, rawSegments }, engine, signing)
  refuseUnsupported(request, segments)
  const answer =
    segments.join('/') === '_stepward/faults'
      ? routeFaults(request, faults)
      : dispatch({ engine, request, segments, monotonic, signing, mayWait }, meter)
  if (answer !== undefined) return answer
  throw badRequest(
    `Request url is invalid. ${request.method} /${segments.join('/')} is not an operation of the embedded ` +
      'Cosmos DB; check the method and the path.',
  )
}

function dispatch(context: RouteContext, meter: ThroughputMeter | null): Answer | undefined {
  const { segments } = context
  if (segments.length === 0) return context.request.method === 'GET' ? readAccount(context) : undefined
  switch (kindsOf(segments)) {
    case 'dbs':
      return routeDatabases(context)
    case 'dbs/users':
      return routeUsers(context)
    case 'dbs/users/permissions':
      return routePermissions(context)
    case 'dbs/colls':
      return routeContainers(context)
    case 'dbs/colls/pkranges':
      return segments.length === 5 ? routePartitionKeyRanges(context) : undefined
    case 'dbs/colls/docs':
      return metered(context, meter, routeItems)
    case 'dbs/colls/conflicts':
      return routeConflicts(context)
    case 'dbs/colls/operations':
      return routePartitionKeyDelete(context)
    case '_stepward':
      return routeAdmin(context)
    case 'offers':
      return routeOffers(context)
    default:
      return undefined
  }
}

function decodedSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw badRequest(`The path part '${segment}' is not percent-encoded properly.`)
  }
}

function refused(error: unknown): Answer {
  if (error instanceof Refusal || error instanceof QueryError) {
    const { status, message } = error
    if (error instanceof QueryError) return { status, body: errorBody(status, message), charge: lookupCharge }
    const headers = { [header.substatus]: String(error.substatus) }
    const body = errorBody(status, message, error.additionalErrorInfo)
    return { status, body, charge: lookupCharge, headers }
  }
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { status: 500, body: errorBody(500, `The embedded Cosmos DB failed: ${reason}`), charge: 0 }
}

const errorCodes: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  408: 'RequestTimeout',
  409: 'Conflict',
  410: 'Gone',
  412: 'PreconditionFailed',
  413: 'RequestEntityTooLarge',
  429: 'TooManyRequests',
  431: 'RequestHeaderFieldsTooLarge',
  449: 'RetryWith',
  501: 'NotImplemented',
  503: 'ServiceUnavailable',
}

/** Returns the body of an error. Clients fail if either field is missing. */
function errorBody(status: number, message: string, additionalErrorInfo?: string): string {
  return JSON.stringify({ code: errorCodes[status] ?? 'InternalServerError', message, additionalErrorInfo })
}

/** Returns an error answer for code outside the routes. */
export function errorResponse(status: number, message: string): RestResponse {
  const body = errorBody(status, message)
  return {
    status,
    body,
    headers: { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) },
  }
}

function complete(answer: Answer, { engine, nextId }: RoutesOptions): RestResponse {
  const body = answer.body ?? ''
  const headers: Record<string, string> = { ...answer.headers }
  headers['content-type'] = 'application/json'
  headers['content-length'] = String(Buffer.byteLength(body))
  headers['date'] = new Date(engine.now()).toUTCString()
  headers[header.charge] = String(answer.charge)
  headers[header.activityId] = nextId()
  return { status: answer.status, body, headers }
}
