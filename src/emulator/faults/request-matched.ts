import { isJsonObject, parsedJson } from '../engine/index.js'
import {
  decodedOrRaw,
  header,
  isQuery,
  isSet,
  pathSegments,
  type RestRequest,
} from '../messages/rest-message.js'
import type { FaultOperation, RequestMatched } from './fault-match.js'

/**
 * Reads the properties of a request before the request is checked. Leaves out properties that cannot be read.
 */
export function requestMatched(request: RestRequest): RequestMatched {
  const segments = pathSegments(request.path)
  const [, database, , container, , id] = segments.map(decodedOrRaw)
  const partitionKey = parsedJson(request.headers[header.partitionKey] ?? '')
  return {
    operation: operationOf(request, segments),
    ...(database === undefined ? {} : { database }),
    ...(container === undefined ? {} : { container }),
    ids: id === undefined ? idsIn(request.body) : [id],
    ...(Array.isArray(partitionKey) ? { partitionKey: partitionKey as readonly unknown[] } : {}),
    request,
  }
}

function operationOf(request: RestRequest, segments: readonly string[]): FaultOperation {
  if (segments.length === 0) return 'account'
  const kinds = segments.filter((_, index) => index % 2 === 0).join('/')
  if (kinds !== 'dbs/colls/docs') return ofResources[kinds] ?? 'other'
  return segments.length === 6 ? (ofOneDocument[request.method] ?? 'other') : ofDocuments(request)
}

const ofResources: Readonly<Record<string, FaultOperation>> = {
  dbs: 'database',
  'dbs/colls': 'container',
  'dbs/colls/pkranges': 'pkranges',
  offers: 'offer',
}

const ofOneDocument: Readonly<Record<string, FaultOperation>> = {
  GET: 'read',
  PUT: 'replace',
  DELETE: 'delete',
  PATCH: 'patch',
}

function ofDocuments(request: RestRequest): FaultOperation {
  const { method, headers } = request
  if (method === 'GET') return headers['a-im'] === undefined ? 'readFeed' : 'changeFeed'
  if (method !== 'POST') return 'other'
  if (isSet(request, header.isBatch)) return isSet(request, header.isBatchAtomic) ? 'batch' : 'bulk'
  if (isSet(request, header.isQueryPlan)) return 'queryPlan'
  if (isQuery(request)) return 'query'
  return isSet(request, header.isUpsert) ? 'upsert' : 'create'
}

/** Returns the id of the document in the body, or the ids that the operations of a batch name. */
function idsIn(body: string): readonly string[] {
  const documents = [parsedJson(body)].flat().filter(isJsonObject)
  return documents.flatMap((document) => {
    const inner = document['resourceBody']
    const ids = [document['id'], isJsonObject(inner) ? inner['id'] : undefined]
    return ids.filter((id) => typeof id === 'string')
  })
}
