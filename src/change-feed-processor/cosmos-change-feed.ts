import {
  ChangeFeedStartFrom,
  type ChangeFeedIteratorResponse,
  type ChangeFeedPullModelIterator,
  type Container,
  type FeedRange as SdkFeedRange,
  type Resource,
} from '@azure/cosmos'
import type { FeedRange } from '../../lease-store/index.js'
import type {
  Change,
  ChangeFeed,
  ChangePage,
  FeedPosition,
  FeedStart,
  PhysicalRange,
  ReadOptions,
} from './change-feed.js'
import { FeedError } from './errors.js'

/** Whose feed to read. */
export interface CosmosChangeFeedOptions {
  readonly container: Container
  /** Told the request units of every page. */
  readonly onCharge?: (operation: string, charge: number) => void
}

type Iterator = ChangeFeedPullModelIterator<Change>
type Answer = ChangeFeedIteratorResponse<(Change & Resource)[]>

/** An iterator between two reads, and the position it will go on from. */
interface Idle {
  readonly iterator: Iterator
  readonly token: string
  readonly maxItemCount: number
}

/** One entry of the SDK's composite token. */
interface TokenEntry {
  readonly minInclusive: string
  readonly maxExclusive: string
  readonly continuationToken?: string
}

/**
 * The change feed of a Cosmos DB container, read through the SDK's pull iterator.
 *
 * This file alone knows that iterator, and trusts it little. It keeps its own position, which it moves before anybody
 * has seen the page, so one is used again only from exactly where it stands. It hides splits, so the ranges in its
 * token are compared with the range asked for. On some failures it forgets its position and would go on from
 * somewhere else, so after anything but a page or "nothing new" it is thrown away. Its errors and charges are
 * incomplete, so both are taken from the headers.
 */
export class CosmosChangeFeed implements ChangeFeed {
  private readonly idle = new Map<string, Idle>()
  private containerRid: string | undefined

  constructor(private readonly options: CosmosChangeFeedOptions) {}

  async physicalRanges(): Promise<readonly PhysicalRange[]> {
    const { resources } = await this.options.container.readPartitionKeyRanges().fetchAll()
    return resources
      .map((range) => ({ id: range.id, min: range.minInclusive, max: range.maxExclusive }))
      .sort((left, right) => compare(left.min, right.min))
  }

  async readNext(from: FeedPosition, options: ReadOptions): Promise<ChangePage> {
    try {
      const iterator = this.reusable(from, options) ?? (await this.open(from, options))
      const answer = await orAborted(iterator.readNext(), options.signal)
      const page = pageOf(answer, from)
      this.options.onCharge?.('feed.read', page.charge)
      this.keep(iterator, page, { from, maxItemCount: options.maxItemCount })
      return page
    } catch (error) {
      const { min, max } = from.feedRange
      throw new FeedError(
        `the change feed of ${this.options.container.id} [${min}, ${max}) was not read`,
        error,
      )
    }
  }

  /** Taken out while it reads: if that fails, nobody puts it back. */
  private reusable({ feedRange, start }: FeedPosition, { maxItemCount }: ReadOptions): Iterator | undefined {
    const key = rangeKey(feedRange)
    const idle = this.idle.get(key)
    this.idle.delete(key)
    const standsThere = start.kind === 'continuation' && idle?.token === start.token
    return standsThere && idle.maxItemCount === maxItemCount ? idle.iterator : undefined
  }

  private keep(
    iterator: Iterator,
    page: ChangePage,
    { from, maxItemCount }: { from: FeedPosition; maxItemCount: number },
  ): void {
    const [next, ...others] = page.next
    // One started from a time goes on sending that time beside its position.
    if (next?.start.kind !== 'continuation' || others.length > 0 || from.start.kind === 'time') return
    this.idle.set(rangeKey(from.feedRange), { iterator, token: next.start.token, maxItemCount })
  }

  private async open({ feedRange, start }: FeedPosition, { maxItemCount }: ReadOptions): Promise<Iterator> {
    const changeFeedStartFrom =
      start.kind === 'time'
        ? ChangeFeedStartFrom.Time(startingBefore(start.atMs), await this.sdkFeedRange(feedRange))
        : ChangeFeedStartFrom.Continuation(compositeToken(await this.rid(), feedRange, start))
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- the SDK's factories return other classes than the one its options ask for
    return this.options.container.items.getChangeFeedIterator<Change>({ maxItemCount, changeFeedStartFrom })
  }

  private async rid(): Promise<string> {
    if (this.containerRid === undefined) {
      const { resource } = await this.options.container.read()
      if (resource === undefined) throw new Error(`container ${this.options.container.id} does not exist`)
      this.containerRid = resource._rid
    }
    return this.containerRid
  }

  /** The SDK takes only objects of its own class, of which it hands out those of whole partitions. */
  private async sdkFeedRange({ min, max }: FeedRange): Promise<SdkFeedRange> {
    const [sample] = await this.options.container.getFeedRanges()
    if (sample === undefined) throw new Error(`container ${this.options.container.id} has no feed ranges`)
    const range: unknown = Object.create(Object.getPrototypeOf(sample) as object)
    return Object.assign(range as SdkFeedRange, { minInclusive: min, maxExclusive: max })
  }
}

/**
 * The SDK's token for a position in one range. Its entry's token is sent as If-None-Match: the etag of a page, `*` for
 * "from now", or nothing for "from the beginning".
 */
function compositeToken(
  rid: string,
  { min, max }: FeedRange,
  start: Exclude<FeedStart, { kind: 'time' }>,
): string {
  const continuationToken =
    start.kind === 'continuation' ? start.token : { now: '*', beginning: '' }[start.kind]
  const entry: TokenEntry = { minInclusive: min, maxExclusive: max, continuationToken }
  return JSON.stringify({ rid, Continuation: [entry] })
}

function pageOf(answer: Answer, from: FeedPosition): ChangePage {
  const headers = Object.fromEntries(
    Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
  )
  if (answer.statusCode !== 200 && answer.statusCode !== 304) {
    const { statusCode: code, subStatusCode: substatus } = answer
    throw Object.assign(new Error(`the service answered ${code}`), { code, substatus, headers })
  }
  return {
    changes: answer.statusCode === 200 ? answer.result : [],
    next: nextPositions(answer.continuationToken, from),
    isDrained: answer.statusCode === 304,
    charge: Number(headers['x-ms-request-charge'] ?? 0),
    sessionToken: headers['x-ms-session-token'] ?? null,
    headers,
  }
}

/** Where to go on: one position, or those of the children when the range was split meanwhile. */
function nextPositions(token: string, from: FeedPosition): FeedPosition[] {
  const { Continuation } = JSON.parse(token) as { readonly Continuation: readonly TokenEntry[] }
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

/** The service compares whole seconds, and a change within the second asked for must not be missed. */
function startingBefore(atMs: number): Date {
  return new Date(Math.floor(atMs / 1_000) * 1_000 - 1_000)
}

/** The iterator cannot be cancelled, but nobody has to wait for it; what it reads then is never seen. */
async function orAborted<T>(read: Promise<T>, signal: AbortSignal): Promise<T> {
  let abort: (() => void) | undefined
  const aborted = new Promise<never>((_, reject) => {
    abort = () => {
      reject(new Error('the read was aborted'))
    }
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
  })
  try {
    return await Promise.race([read, aborted])
  } finally {
    if (abort !== undefined) signal.removeEventListener('abort', abort)
  }
}

function rangeKey({ min, max }: FeedRange): string {
  return `${min}-${max}`
}

function compare(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
