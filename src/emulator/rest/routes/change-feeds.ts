import {
  badRequest,
  readAllVersions,
  readChanges,
  type AllVersionsPage,
  type ChangeFeedRequest,
  type ChangeFeedStart,
  type Container,
  type PhysicalPartition,
} from '../../engine/index.js'
import { parseFeedEtag } from '../../messages/feed-etag.js'
import { header, type Answer, type RestRequest } from '../../messages/rest-message.js'
import { assertSessionReached } from '../../messages/session-token.js'
import { epkRangeOf, feedBody, namedScope, pageSizeOf, partitionHeaders } from './context.js'

/** The format with separate metadata. Reads of all versions require it, and the Java client prefers it. */
const separateMetadata = '2021-09-15'

/** Answers GET `…/docs` with `A-IM`: a page of changes or 304. The client continues from the etag. */
export function routeChangeFeed(request: RestRequest, container: Container): Answer {
  const mode = request.headers['a-im'] ?? ''
  const format = request.headers[header.changeFeedFormat]
  const isEveryVersion = mode.toLowerCase() === 'full-fidelity feed'
  if (!isEveryVersion && mode.toLowerCase() !== 'incremental feed') {
    throw badRequest(
      `The header A-IM is '${mode}'; it must be 'Incremental Feed' (the latest version of each document) ` +
        `or 'Full-Fidelity Feed' (all versions and deletes).`,
    )
  }
  if (isEveryVersion && format !== separateMetadata) {
    throw badRequest(
      `${header.changeFeedFormat} is '${format ?? ''}'; all versions and deletes need ` +
        `'${separateMetadata}'.`,
    )
  }
  const { partition, ...scope } = scopeOf(request, container)
  assertSessionReached(partition, request.headers[header.sessionToken])
  const wanted = { ...scope, start: startOf(request), maxItemCount: pageSizeOf(request) }
  const { texts, lsn, charge } = isEveryVersion
    ? readAllVersions(container, partition, wanted)
    : readLatest(container, partition, wanted, format === separateMetadata)
  const headers = {
    ...partitionHeaders(container, partition),
    [header.etag]: `"${lsn}"`,
    [header.itemCount]: String(texts.length),
  }
  if (texts.length === 0) return { status: 304, charge, headers }
  return { status: 200, body: feedBody(container.rid, 'Documents', texts), charge, headers }
}

function readLatest(
  container: Container,
  partition: PhysicalPartition,
  wanted: ChangeFeedRequest,
  isWrapped: boolean,
): AllVersionsPage {
  const { versions, lsn, charge } = readChanges(container, partition, wanted)
  const texts = versions.map((version) => (isWrapped ? version.wrappedText : version.feedText))
  return { texts, lsn, charge }
}

type FeedScope = Pick<ChangeFeedRequest, 'range' | 'keyText' | 'epk'> & {
  readonly partition: PhysicalPartition
}

function scopeOf(request: RestRequest, container: Container): FeedScope {
  const { partition, range, ...key } = namedScope(request, container)
  if (partition !== undefined && key.keyText !== undefined) return { partition, ...key }
  if (range !== undefined) return { partition: partition ?? container.partitionOf(range.min), range }
  return { partition: partition ?? onlyPartition(container), range: epkRangeOf(request) }
}

function onlyPartition(container: Container): PhysicalPartition {
  const [first, ...others] = container.partitions
  if (first !== undefined && others.length === 0) return first
  throw badRequest(
    `The container has ${container.partitions.length} ranges; name one in ${header.rangeId}, or a ` +
      'partition key.',
  )
}

/**
 * Returns the start of the read. An etag takes precedence over a time, because clients repeat the time with
 * every later page.
 */
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
