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
  tokens = new RangeTokens(),
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
    next: tokens.positionsAfter(answer.continuationToken, headers['etag'], from),
    isDrained: answer.statusCode === 304,
    charge: Number(headers['x-ms-request-charge'] ?? 0),
    sessionToken: headers['x-ms-session-token'] ?? null,
    headers,
    diagnostics: answer.diagnostics,
  }
}

/** Returns the headers as they are if all of them are texts, because a copy for each page takes long. */
function textsOf(headers: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  for (const name in headers) {
    if (typeof headers[name] !== 'string')
      return Object.fromEntries(Object.entries(headers).map(([key, value]) => [key, String(value)]))
  }
  return headers as Record<string, string>
}

/**
 * Reads the tokens of one iterator. While its range is not split, the tokens differ only in the etag, so a
 * token is compared with the texts around the last etag. Only a token that differs from them is parsed.
 */
export class RangeTokens {
  private around: readonly [before: string, after: string] | null = null

  /**
   * Returns the next position. If the range has been split, returns the positions of the children.
   *
   * @param etag the etag of the answer, if it has one
   */
  positionsAfter(token: string, etag: string | undefined, from: FeedPosition): FeedPosition[] {
    // The marks "from now" and "from the beginning" are no positions.
    if (etag?.startsWith('"') !== true) return positionsIn(token, from)
    const written = JSON.stringify(etag)
    if (this.around !== null && token === this.around[0] + written + this.around[1])
      return [{ feedRange: from.feedRange, start: { kind: 'continuation', token: etag } }]
    const positions = positionsIn(token, from)
    const [before, after, ...more] = token.split(written)
    const isOneRange = positions.length === 1 && before !== undefined && after !== undefined
    this.around = isOneRange && more.length === 0 ? [before, after] : null
    return positions
  }
}

function positionsIn(token: string, from: FeedPosition): FeedPosition[] {
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
