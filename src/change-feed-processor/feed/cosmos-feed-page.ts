import type { ChangeFeedIteratorResponse } from '@azure/cosmos'
import type { FeedRange } from '../../../lease-store/index.js'
import { compare } from '../../platform/internal.js'
import type { ChangePage, FeedPosition, FeedStart } from './change-feed.js'

/** One entry of the SDK's composite token. */
interface TokenEntry {
  readonly minInclusive: string
  readonly maxExclusive: string
  readonly continuationToken?: string
}

/** Converts an item of the service's answer to a change. Throws if the item cannot be understood. */
export type DecodeChange<C> = (value: unknown, index: number) => C

/**
 * Returns the SDK's token for a position in one range. The SDK sends the token of the entry as If-None-Match.
 * That token is the etag of a page, `*` for "from now", or empty for "from the beginning".
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
 * Converts an answer of the iterator to a page. Throws on all answers except changes and "nothing new",
 * because the SDK returns some failures as answers.
 */
export function pageOf<C>(
  answer: ChangeFeedIteratorResponse<readonly unknown[]>,
  from: FeedPosition,
  decode: DecodeChange<C>,
): ChangePage<C> {
  const headers = textsOf(answer.headers)
  if (answer.statusCode !== 200 && answer.statusCode !== 304) {
    const { statusCode: code, subStatusCode: substatus } = answer
    throw Object.assign(new Error(`the service answered ${code}`), { code, substatus, headers })
  }
  const changes = answer.statusCode === 200 ? answer.result.map(decode) : []
  // If the SDK cannot read a body, it reports an empty page. Without this check, the documents of such a page
  // would be skipped.
  const announced = Number(headers['x-ms-item-count'] ?? 0)
  if (changes.length < announced)
    throw new Error(`the page announced ${announced} changes and contained ${changes.length}`)
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

/** Returns the headers as they are if all of them are texts, because a copy for each page takes long. */
function textsOf(headers: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const names = Object.keys(headers)
  if (names.every((name) => typeof headers[name] === 'string')) return headers as Record<string, string>
  return Object.fromEntries(names.map((name) => [name, String(headers[name])]))
}

/** Returns the next position. If the range has been split, returns the positions of the children. */
function nextPositions(token: string, from: FeedPosition): FeedPosition[] {
  const { Continuation } = JSON.parse(token) as { readonly Continuation: readonly TokenEntry[] }
  const [only, another] = Continuation
  if (only !== undefined && another === undefined && isRange(from.feedRange, only)) {
    return [{ feedRange: from.feedRange, start: startOf(only.continuationToken, from.start, false) }]
  }
  const entries = [...Continuation].sort((left, right) => compare(left.minInclusive, right.minInclusive))
  const bounds = entries.map(({ minInclusive: min, maxExclusive: max }) => ({ min, max }))
  if (!tiles(bounds, from.feedRange))
    // The ranges changed during the read. The error has code 410, so that the caller reads again with a new
    // iterator.
    throw Object.assign(
      new Error(`the continuation covers ${JSON.stringify(bounds)}, not the requested range`),
      {
        code: 410,
      },
    )
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
  // A child that was not read starts at the position of its parent. For any other range, the position is
  // unknown.
  if (isChild && asked.kind !== 'continuation') return asked
  throw new Error('the service answered without an etag, so the next position is unknown')
}

function tiles(parts: readonly FeedRange[], whole: FeedRange): boolean {
  let reached = whole.min
  for (const { min, max } of parts) {
    if (min !== reached) return false
    reached = max
  }
  return reached === whole.max
}
