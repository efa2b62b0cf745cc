import type { ChangeFeedIteratorResponse } from '@azure/cosmos'
import type { FeedRange } from '../../../lease-store/index.js'
import type { ChangePage, FeedPosition, FeedStart } from './change-feed.js'

/** One entry of the SDK's composite token. */
interface TokenEntry {
  readonly minInclusive: string
  readonly maxExclusive: string
  readonly continuationToken?: string
}

/** Makes a change of what the service sent; throws when it cannot be understood. */
export type DecodeChange<C> = (value: unknown, index: number) => C

/**
 * The SDK's token for a position in one range. Its entry's token is sent as If-None-Match: the etag of a page, `*` for
 * "from now", or nothing for "from the beginning".
 */
export function compositeToken(
  rid: string,
  { min, max }: FeedRange,
  start: Exclude<FeedStart, { kind: 'time' }>,
): string {
  const continuationToken =
    start.kind === 'continuation' ? start.token : { now: '*', beginning: '' }[start.kind]
  const entry: TokenEntry = { minInclusive: min, maxExclusive: max, continuationToken }
  return JSON.stringify({ rid, Continuation: [entry] })
}

/**
 * What the iterator answered, as a page. Throws on anything but changes or "nothing new": the SDK hands some failures
 * over as if they were answers.
 */
export function pageOf<C>(
  answer: ChangeFeedIteratorResponse<readonly unknown[]>,
  from: FeedPosition,
  decode: DecodeChange<C>,
): ChangePage<C> {
  const headers: Record<string, string> = {}
  for (const name of Object.keys(answer.headers)) headers[name] = String(answer.headers[name])
  if (answer.statusCode !== 200 && answer.statusCode !== 304) {
    const { statusCode: code, subStatusCode: substatus } = answer
    throw Object.assign(new Error(`the service answered ${code}`), { code, substatus, headers })
  }
  const changes = answer.statusCode === 200 ? answer.result.map(decode) : []
  // The SDK takes a body it could not read for no documents, and would go on after them.
  const announced = Number(headers['x-ms-item-count'] ?? 0)
  if (changes.length < announced)
    throw new Error(`${announced} changes were announced and ${changes.length} came`)
  return {
    changes,
    next: nextPositions(answer.continuationToken, from),
    isDrained: answer.statusCode === 304,
    charge: Number(headers['x-ms-request-charge'] ?? 0),
    sessionToken: headers['x-ms-session-token'] ?? null,
    headers,
    diagnostics: answer.diagnostics,
  }
}

/** Where to go on: one position, or those of the children when the range was split meanwhile. */
function nextPositions(token: string, from: FeedPosition): FeedPosition[] {
  const { Continuation } = JSON.parse(token) as { readonly Continuation: readonly TokenEntry[] }
  const [only, another] = Continuation
  if (only !== undefined && another === undefined && isRange(from.feedRange, only)) {
    return [{ feedRange: from.feedRange, start: startOf(only.continuationToken, from.start, false) }]
  }
  const entries = [...Continuation].sort((left, right) => compare(left.minInclusive, right.minInclusive))
  const bounds = entries.map(({ minInclusive: min, maxExclusive: max }) => ({ min, max }))
  if (!tiles(bounds, from.feedRange))
    // Ranges changed while it read: the same as a 410 it had not hidden, and it passes with a new iterator.
    throw Object.assign(new Error(`its token covers ${JSON.stringify(bounds)}, not the range asked for`), {
      code: 410,
    })
  return entries.map(({ minInclusive: min, maxExclusive: max, continuationToken }) => ({
    feedRange: { min, max },
    start: startOf(continuationToken, from.start, entries.length > 1),
  }))
}

function isRange({ min, max }: FeedRange, { minInclusive, maxExclusive }: TokenEntry): boolean {
  return min === minInclusive && max === maxExclusive
}

function startOf(token: string | undefined, asked: FeedStart, isChild: boolean): FeedStart {
  if (token !== undefined && token !== '' && token !== '*') return { kind: 'continuation', token }
  // A child that has not been read yet stands where its parent began; anything else has lost its position.
  if (isChild && asked.kind !== 'continuation') return asked
  throw new Error('the service answered without an etag, so nobody knows where to go on')
}

function tiles(parts: readonly FeedRange[], whole: FeedRange): boolean {
  let reached = whole.min
  for (const { min, max } of parts) {
    if (min !== reached) return false
    reached = max
  }
  return reached === whole.max
}

/** By effective partition key, as the SDK compares them. */
export function compare(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
