import {
  badRequest,
  readAllVersions,
  readChanges,
  type ChangeFeedStart,
  type Container,
  type PhysicalPartition,
} from '../../engine/index.js'
import { parseFeedEtag } from '../../messages/feed-etag.js'
import { header, type Answer, type RestRequest } from '../../messages/rest-message.js'
import { assertSessionReached } from '../../messages/session-token.js'
import {
  emptyRange,
  epkRangeOf,
  feedBody,
  keyOf,
  keyPrefixRangeOf,
  namedPartition,
  pageSizeOf,
  partitionHeaders,
} from './context.js'

/**
 * Answers GET `…/docs` with `A-IM`: a page of changes, or 304. The etag of either is the position to continue
 * from.
 */
export function routeChangeFeed(request: RestRequest, container: Container): Answer {
  const mode = request.headers['a-im']?.toLowerCase()
  if (mode === 'full-fidelity feed') return allVersions(request, container)
  if (mode !== 'incremental feed') {
    throw badRequest(
      `There is no change feed mode '${request.headers['a-im'] ?? ''}'. Read the latest version (Incremental Feed) or all versions and deletes (Full-Fidelity Feed).`,
    )
  }
  const { partition, ...scope } = scopeOf(request, container)
  assertSessionReached(partition, request.headers[header.sessionToken])
  const page = readChanges(container, partition, {
    ...scope,
    start: startOf(request),
    maxItemCount: pageSizeOf(request),
  })
  const isWrapped = request.headers[header.changeFeedFormat] === separateMetadata
  const texts = page.versions.map((version) => (isWrapped ? version.wrappedText : version.feedText))
  return answerWith({ ...page, texts }, container, partition)
}

/** Returns the answer for a page of either mode: 304 if it is empty. */
function answerWith(
  {
    lsn,
    charge,
    texts,
  }: { readonly lsn: number; readonly charge: number; readonly texts: readonly string[] },
  container: Container,
  partition: PhysicalPartition,
): Answer {
  const headers = {
    ...partitionHeaders(container, partition),
    etag: `"${lsn}"`,
    [header.itemCount]: String(texts.length),
  }
  if (texts.length === 0) return { status: 304, charge, headers }
  return { status: 200, body: feedBody(container.rid, 'Documents', texts), charge, headers }
}

/**
 * The format with metadata beside the document. Reads of all versions require it; Java also asks for it when it
 * reads latest versions.
 */
const separateMetadata = '2021-09-15'

function allVersions(request: RestRequest, container: Container): Answer {
  const format = request.headers[header.changeFeedFormat]
  if (format !== separateMetadata) {
    throw badRequest(
      `${header.changeFeedFormat} is '${format ?? ''}'; all versions and deletes are shown as '${separateMetadata}'.`,
    )
  }
  const { partition, ...scope } = scopeOf(request, container)
  assertSessionReached(partition, request.headers[header.sessionToken])
  const page = readAllVersions(container, partition, {
    ...scope,
    start: startOf(request),
    maxItemCount: pageSizeOf(request),
  })
  return answerWith(page, container, partition)
}

interface FeedScope {
  readonly partition: PhysicalPartition
  readonly range?: { readonly min: string; readonly max: string }
  readonly keyText?: string
  readonly epk?: string
}

/**
 * Returns the scope of the named key, or of the named range. If both are named and the range does not own the key,
 * the scope is empty.
 */
function scopeOf(request: RestRequest, container: Container): FeedScope {
  const named = namedPartition(request, container)
  const prefix = keyPrefixRangeOf(request, container)
  if (prefix !== undefined) return { partition: named ?? container.partitionOf(prefix.min), range: prefix }
  const key = keyOf(request, container)
  if (key !== undefined) {
    const place = container.locate(key)
    const isElsewhere = named !== undefined && named !== place.partition
    return isElsewhere ? { partition: named, range: emptyRange } : place
  }
  const range = epkRangeOf(request)
  return { partition: named ?? onlyPartition(container), ...(range === undefined ? {} : { range }) }
}

function onlyPartition(container: Container): PhysicalPartition {
  const [first, ...others] = container.partitions
  if (first !== undefined && others.length === 0) return first
  throw badRequest(
    `The container has ${container.partitions.length} ranges; name one in ${header.rangeId}, or a partition key.`,
  )
}

/** Returns the start. The etag takes precedence over the time, which clients keep sending with every later page. */
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
