import { unlessAborted } from '../../platform/internal.js'
import type { ChangePage, FeedPosition, ReadOptions } from './change-feed.js'
import { FeedError } from './errors.js'
import { RecentPages, type RecentPagesOptions } from './recent-pages.js'

interface SharedReadsOptions<C> extends RecentPagesOptions {
  readonly read: (from: FeedPosition, options: ReadOptions) => Promise<ChangePage<C>>
  /** Returns the changes of several pages in a row as one read would have returned them. */
  readonly merged: (changes: readonly C[]) => readonly C[]
}

/** A request under way. */
interface Reading<C> {
  readonly page: Promise<ChangePage<C>>
  /** The number of the request in the order in which requests began. */
  readonly number: number
  readonly begunAtMs: number
  readonly ending: AbortController
  /** The number of readers that wait for the page. */
  readers: number
}

/** An empty page that was read last in a range. */
interface Empty<C> {
  readonly key: string
  readonly page: ChangePage<C>
  readonly begunAtMs: number
}

/** A reader that is not reading now. */
interface Away {
  /** The key of its next page. */
  readonly key: string
  /** The size of all pages that had been kept at the end of its last read. */
  readonly keptBytes: number
}

/** The pages kept from a position on, as one page or null, and the position after them. */
interface Walk<C> {
  readonly page: ChangePage<C> | null
  readonly end: FeedPosition
}

/** The most pages that one walk visits. */
const longestWalk = 1_000
const throttleHeader = 'x-ms-throttle-retry'

/** Shares requests and recent pages of one feed. See `SharedChangeFeed`. */
export class SharedReads<C> {
  private readonly recent: RecentPages<C>
  private readonly underWay = new Map<string, Reading<C>>()
  /** The last read of each range, if it found nothing new. */
  private readonly empty = new Map<string, Empty<C>>()
  /** The readers that are not reading now. */
  private readonly away = new Map<() => void, Away>()
  private readonly watched = new WeakSet<AbortSignal>()
  private begun = 0

  constructor(private readonly options: SharedReadsOptions<C>) {
    this.recent = new RecentPages(options)
  }

  async readNext(from: FeedPosition, options: ReadOptions): Promise<ChangePage<C>> {
    const { onPagesWaiting, maxItemCount, signal } = options
    if (onPagesWaiting === undefined) return this.readOrShare(from, options)
    this.away.delete(onPagesWaiting)
    const page = await this.readOrShare(from, options)
    const [next, ...others] = page.next
    if (next !== undefined && others.length === 0 && !signal.aborted) {
      const key = keyOf(next, maxItemCount)
      this.away.set(onPagesWaiting, { key, keptBytes: this.recent.keptBytes })
      this.forgetAtEnd(onPagesWaiting, signal)
    }
    return page
  }

  /** Forgets a reader when its signal aborts. */
  private forgetAtEnd(onPagesWaiting: () => void, signal: AbortSignal): void {
    if (this.watched.has(signal)) return
    this.watched.add(signal)
    signal.addEventListener('abort', () => this.away.delete(onPagesWaiting), { once: true })
  }

  private async readOrShare(from: FeedPosition, options: ReadOptions): Promise<ChangePage<C>> {
    const { kind } = from.start
    if (options.signal.aborted || kind === 'now' || kind === 'time') return this.options.read(from, options)
    const begunBefore = this.begun
    for (let position = from; ;) {
      const { page: kept, end } = this.walk(position, options.maxItemCount)
      if (kept !== null) return kept
      const key = keyOf(end, options.maxItemCount)
      const empty = this.empty.get(rangeOf(end))
      if (empty?.key === key && this.isRecent(empty, options)) return shared(empty.page, empty.begunAtMs)
      const joined = this.underWay.get(key)
      const reading = joined ?? this.begin(key, end, options.maxItemCount)
      const page = await this.awaited(key, reading, options.signal)
      if (joined === undefined) return page
      // The store may have answered "nothing new" before this reader asked, and a change may have followed.
      const isCurrent = page.changes.length > 0 || page.next.length !== 1 || reading.number > begunBefore
      if (isCurrent || this.isRecent(reading, options)) return shared(page, reading.begunAtMs)
      position = page.next[0] ?? end
    }
  }

  /** Joins the kept pages from this position on, up to the number of changes, into one page. */
  private walk(from: FeedPosition, maxItemCount: number): Walk<C> {
    const pages: ChangePage<C>[] = []
    let [end, count, isFollowed] = [from, 0, false]
    for (let steps = 0; steps < longestWalk && !isFollowed; steps += 1) {
      const page = this.recent.find(keyOf(end, maxItemCount))
      const [next] = page?.next ?? []
      if (page === undefined || next === undefined) break
      isFollowed = count > 0 && count + page.changes.length > maxItemCount
      if (isFollowed) break
      if (page.changes.length > 0) pages.push(page)
      count += page.changes.length
      end = next
    }
    const last = pages.at(-1)
    if (last === undefined) return { page: null, end }
    const changes =
      pages.length === 1 ? last.changes : this.options.merged(pages.flatMap((page) => page.changes))
    const { begunAtMs = 0 } = last
    return { page: { ...shared(last, begunAtMs), changes, next: [end], isFollowed }, end }
  }

  private isRecent({ begunAtMs }: { begunAtMs: number }, { emptyWithinMs = 0 }: ReadOptions): boolean {
    return emptyWithinMs > 0 && this.options.clock.monotonic() - begunAtMs <= emptyWithinMs
  }

  private begin(key: string, from: FeedPosition, maxItemCount: number): Reading<C> {
    const ending = new AbortController()
    this.begun += 1
    const begunAtMs = this.options.clock.monotonic()
    const reading: Reading<C> = {
      page: this.read(from, { maxItemCount, signal: ending.signal }, begunAtMs),
      number: this.begun,
      begunAtMs,
      ending,
      readers: 0,
    }
    this.underWay.set(key, reading)
    return reading
  }

  private async read(from: FeedPosition, options: ReadOptions, begunAtMs: number): Promise<ChangePage<C>> {
    const page = await this.options.read(from, options)
    const [next, ...others] = page.next
    if (next === undefined || others.length > 0) return page
    const [key, nextKey] = [keyOf(from, options.maxItemCount), keyOf(next, options.maxItemCount)]
    // A lease begins at the beginning only once, and a page from there could hide that the range was split.
    // A page without changes is kept only if it leads to another position: nothing lies between the two.
    if (from.start.kind === 'continuation' && nextKey !== key) {
      this.recent.keep(key, { ...page, begunAtMs })
      this.callReaders()
    }
    if (page.isDrained && page.changes.length === 0)
      this.empty.set(rangeOf(from), { key: nextKey, page, begunAtMs })
    return page
  }

  /** Calls the readers whose next page is kept, before it is dropped. */
  private callReaders(): void {
    for (const [onPagesWaiting, { key, keptBytes }] of this.away) {
      if (this.recent.keptBytes - keptBytes <= this.options.maxBytes / 2) continue
      this.away.delete(onPagesWaiting)
      if (this.recent.find(key) !== undefined) onPagesWaiting()
    }
  }

  /**
   * Waits for the page. After the first reader has left, no reader can join the request: it is answered, or it
   * hangs. When the last reader has given up, the request ends.
   */
  private async awaited(key: string, reading: Reading<C>, signal: AbortSignal): Promise<ChangePage<C>> {
    reading.readers += 1
    try {
      const page = await unlessAborted(reading.page, signal)
      if (page === null)
        throw new FeedError('the change feed could not be read', new Error('the read was aborted'))
      return page
    } finally {
      reading.readers -= 1
      if (this.underWay.get(key) === reading) this.underWay.delete(key)
      if (signal.aborted && reading.readers === 0) reading.ending.abort()
    }
  }
}

function rangeOf({ feedRange: { min, max } }: FeedPosition): string {
  return `${min}-${max}`
}

/** Returns the page for a reader that did not cause its request. This page counts neither the charge nor the waits. */
function shared<C>(page: ChangePage<C>, begunAtMs: number): ChangePage<C> {
  const headers = Object.entries(page.headers).filter(([name]) => !name.startsWith(throttleHeader))
  return { ...page, begunAtMs, charge: 0, headers: Object.fromEntries(headers) }
}

function keyOf({ feedRange: { min, max }, start }: FeedPosition, maxItemCount: number): string {
  const place = start.kind === 'continuation' ? start.token : start.kind
  return `${min}-${max} ${maxItemCount} ${place}`
}
