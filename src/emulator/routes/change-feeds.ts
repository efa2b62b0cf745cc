import {
  badRequest,
  readChanges,
  type ChangeFeedStart,
  type Container,
  type PhysicalPartition,
} from '../engine/index.js'
import { parseFeedEtag } from '../feed-etag.js'
import { header, type Answer, type RestRequest } from '../rest-message.js'
import { assertSessionReached } from '../session-token.js'
import { epkRangeOf, feedBody, keyOf, keyPrefixRangeOf, pageSizeOf, partitionHeaders } from './context.js'

/** GET `…/docs` with `A-IM`: a page of changes, or 304; the etag of either is the place to go on from. */
export function routeChangeFeed(request: RestRequest, container: Container): Answer {
  const mode = request.headers['a-im']?.toLowerCase()
  if (mode !== 'incremental feed') {
    throw badRequest(
      `The change feed mode '${request.headers['a-im'] ?? ''}' is not supported by the embedded Cosmos DB; read the latest version (Incremental Feed).`,
    )
  }
  const { partition, ...scope } = scopeOf(request, container)
  assertSessionReached(partition, request.headers[header.sessionToken])
  const page = readChanges(container, partition, {
    ...scope,
    start: startOf(request),
    maxItemCount: pageSizeOf(request),
  })
  const headers = {
    ...partitionHeaders(container, partition),
    etag: `"${page.lsn}"`,
    [header.itemCount]: String(page.versions.length),
  }
  if (page.versions.length === 0) return { status: 304, charge: page.charge, headers }
  const items = page.versions.map((version) => version.feedText)
  return { status: 200, body: feedBody(container.rid, 'Documents', items), charge: page.charge, headers }
}

interface FeedScope {
  readonly partition: PhysicalPartition
  readonly range?: { readonly min: string; readonly max: string }
  readonly keyText?: string
}

function scopeOf(request: RestRequest, container: Container): FeedScope {
  const prefix = keyPrefixRangeOf(request, container)
  if (prefix !== undefined) return { partition: container.partitionOf(prefix.min), range: prefix }
  const key = keyOf(request, container)
  if (key !== undefined) {
    const { partition, keyText } = container.locate(key)
    return { partition, keyText }
  }
  const rangeId = request.headers[header.rangeId] ?? onlyRangeId(container)
  const range = epkRangeOf(request)
  return { partition: container.partitionById(rangeId), ...(range === undefined ? {} : { range }) }
}

function onlyRangeId(container: Container): string {
  const [first, ...others] = container.partitions
  if (first !== undefined && others.length === 0) return first.id
  throw badRequest(
    `The container has ${container.partitions.length} ranges; name one in ${header.rangeId}, or a partition key.`,
  )
}

/** The etag wins over the time, which clients go on sending with every later page. */
function startOf({ headers }: RestRequest): ChangeFeedStart {
  const etag = headers['if-none-match']
  if (etag === '*') return { kind: 'now' }
  if (etag !== undefined) return { kind: 'after', lsn: parseFeedEtag(etag) }
  const since = headers['if-modified-since']
  if (since === undefined) return { kind: 'beginning' }
  const atMs = Date.parse(since)
  if (Number.isNaN(atMs)) throw badRequest(`If-Modified-Since is '${since}', which is not a date.`)
  return { kind: 'time', atMs }
}
