import {
  assertShape,
  badRequest,
  defaultPageSize,
  isJsonObject,
  keyRangeOfPrefix,
  parsePartitionKey,
  parsePartitionKeyPrefix,
  type Container,
  type CosmosEngine,
  type JsonObject,
  type KeyRange,
  type PartitionKey,
  type PhysicalPartition,
} from '../../engine/index.js'
import type { Signing } from '../authorization/master-key.js'
import { header, type RestRequest } from '../../messages/rest-message.js'
import { addUsage } from '../metering/resource-usage.js'
import { sessionToken } from '../../messages/session-token.js'

export interface RouteContext {
  readonly engine: CosmosEngine
  readonly request: RestRequest
  /** The decoded parts of the path: `dbs`, database, `colls`, container, `docs`, document. */
  readonly segments: readonly string[]
  /** Returns milliseconds since an arbitrary start. */
  readonly monotonic: () => number
  /** The key and the clock for new resource tokens. */
  readonly signing: Signing
  /** Whether a query may throw `IndexPending`. */
  readonly mayWait: boolean
}

/** Returns the names of the path's levels, such as `dbs`, `dbs/colls` or `dbs/colls/docs`. */
export function kindsOf(segments: readonly string[]): string {
  return segments.filter((_, index) => index % 2 === 0).join('/')
}

export function containerOf({ engine, segments }: RouteContext): Container {
  return engine.container(segments[1] ?? '', segments[3] ?? '')
}

export function bodyObject(request: RestRequest): JsonObject {
  const body = bodyJson(request)
  if (!isJsonObject(body)) throw badRequest('The request body must be a JSON object.')
  return body
}

/** The largest depth of a body. It is enough for a batch of the deepest documents, and safe for recursion. */
const deepestBody = 1_000

export function bodyJson(request: RestRequest): unknown {
  const body = parsedBody(request)
  assertShape(body, 'The request body', deepestBody)
  return body
}

function parsedBody(request: RestRequest): unknown {
  try {
    return JSON.parse(request.body)
  } catch (error) {
    throw badRequest(
      `The request body is not JSON: ${error instanceof Error ? error.message : 'unreadable'}.`,
    )
  }
}

/**
 * Returns the partition key in the header, or undefined if the request has no such header. The documents of a
 * container without a partition key need no header.
 */
export function keyOf(request: RestRequest, container: Container): PartitionKey | undefined {
  const { partitionKey } = container.definition
  const text = request.headers[header.partitionKey] ?? (partitionKey.systemKey === true ? '[]' : undefined)
  return text === undefined ? undefined : parsePartitionKey(text, partitionKey)
}

/** Returns the part of a range that the headers ask for, or undefined for the whole range. */
export function epkRangeOf({ headers }: RestRequest): KeyRange | undefined {
  const min = headers[header.startEpk]
  const max = headers[header.endEpk]
  return min === undefined && max === undefined ? undefined : { min: min ?? '', max: max ?? 'FF' }
}

/** The scope that the headers ask for: one partition key or a range, perhaps within one partition. */
interface NamedScope {
  readonly partition?: PhysicalPartition | undefined
  readonly range?: KeyRange | undefined
  readonly keyText?: string
  readonly epk?: string
}

/** Returns the scope of a request. The first levels of a hierarchical key select a range. */
export function namedScope({ headers }: RestRequest, container: Container): NamedScope {
  const id = headers[header.rangeId]
  const partition = id === undefined ? undefined : container.partitionById(id)
  const text = headers[header.partitionKey]
  if (text === undefined) return { partition }
  const { partitionKey } = container.definition
  const key = parsePartitionKeyPrefix(text, partitionKey)
  if (key.length < partitionKey.paths.length) return { partition, range: keyRangeOfPrefix(key) }
  const place = container.locate(key)
  // The scope is empty if the named partition does not have the key.
  const isElsewhere = partition !== undefined && partition !== place.partition
  return isElsewhere ? { partition, range: { min: '', max: '' } } : place
}

/** The largest allowed page size. */
const maxPageSize = 1000

export function pageSizeOf({ headers }: RestRequest): number {
  const text = headers[header.maxItemCount]
  if (text === undefined) return defaultPageSize
  const count = Number(text)
  if (!Number.isInteger(count) || count === 0 || count < -1) {
    throw badRequest(
      `The input PageSize ${text} is invalid. Ensure to pass a valid page size which must be a positive ` +
        'integer or -1 for a dynamic page size.',
    )
  }
  return count === -1 ? maxPageSize : Math.min(count, maxPageSize)
}

/**
 * Returns the headers of every answer about a container. Sessions and name caches of clients need them.
 * Headers are set one by one, because an object literal with computed names costs more than the rest of a
 * point read. All code that runs for every answer does the same.
 */
export function containerHeaders(container: Container): Record<string, string> {
  const headers: Record<string, string> = {}
  headers[header.altContentPath] = container.link
  headers[header.contentPath] = container.rid
  return headers
}

export function partitionHeaders(container: Container, partition: PhysicalPartition): Record<string, string> {
  const headers = containerHeaders(container)
  headers[header.sessionToken] = sessionToken(partition)
  headers[header.rangeId] = partition.id
  headers[header.lsn] = String(partition.lsn)
  addUsage(headers, container)
  return headers
}

/** Returns a feed in the form `{ _rid, <name>: […], _count }`, without parsing the items' JSON again. */
export function feedBody(rid: string, name: string, items: readonly string[]): string {
  return `{"_rid":${JSON.stringify(rid)},"${name}":[${items.join(',')}],"_count":${items.length}}`
}
