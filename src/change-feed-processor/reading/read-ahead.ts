import type { Clock } from '../../platform/index.js'
import type { CloseReason } from '../delivery/close-reason.js'
import type { ChangePage, FeedPosition } from '../feed/change-feed.js'
import type { AnyChange } from '../feed/change-identity.js'
import type { PagesAhead } from '../runtime/pages-ahead.js'

/** A page, or the reason to stop reading. */
export type PageOrEnd = ChangePage<AnyChange> | CloseReason

/**
 * The duration of a delivery up to which the next page is read ahead. Beside a slower delivery the time of a
 * read does not matter. The page of a quick delivery is read ahead too, because the store works meanwhile.
 */
const longestDeliveryMs = 1_000

/** The age from which a page is read again, because newer versions of its documents may exist. */
const tooOldMs = 5_000

/** The age from which a page without changes is read again: the shortest default pause between polls. */
const emptyForMs = 100

interface Ahead {
  readonly from: FeedPosition
  readonly page: Promise<PageOrEnd>
  readonly begunAtMs: number
}

/**
 * Reads the next page of one lease while the delegate handles the page before it. At most one page is read
 * ahead, and only if the last delivery succeeded and was not slow. After a failure, the same changes may be
 * read again, so a page that was read ahead would only cost request units.
 */
export class ReadAhead {
  private ahead: Ahead | null = null
  private isWorthwhile = false
  /** Ends the request under way. It serves all pages until one is dropped, because most pages are taken. */
  private ending = new AbortController()

  constructor(
    private readonly room: PagesAhead,
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly read: (from: FeedPosition, signal: AbortSignal) => Promise<PageOrEnd>,
  ) {}

  /** Whether no page was read ahead. */
  get isEmpty(): boolean {
    return this.ahead === null
  }

  /** Records the result and the duration of a delivery. */
  delivered(isSuccess: boolean, tookMs: number): void {
    this.isWorthwhile = isSuccess && tookMs <= longestDeliveryMs
  }

  /** Begins to read the page at this position, if that is worthwhile and there is room for the page. */
  begin(from: FeedPosition): void {
    if (!this.isWorthwhile || this.ahead !== null || !this.room.reserve()) return
    const begunAtMs = this.clock.monotonic()
    const page = this.read(from, this.ending.signal)
    // The page may be dropped before anything awaits it. Then a failure has no meaning.
    page.catch(() => undefined)
    this.ahead = { from, page, begunAtMs }
  }

  /**
   * Returns the page at this position if it was read ahead, and otherwise null. A page without changes is read
   * again after a short time, because changes may have been written while the delegate ran.
   */
  async take(from: FeedPosition): Promise<PageOrEnd | null> {
    const { ahead } = this
    if (ahead === null) return null
    const ageMs = this.clock.monotonic() - ahead.begunAtMs
    if (ahead.from !== from || ageMs > tooOldMs) {
      this.drop()
      return null
    }
    const page = await ahead.page
    if (this.ahead === ahead) this.forget()
    if ('reason' in page || page.changes.length > 0 || page.next.length > 1) return page
    return ageMs <= emptyForMs ? page : null
  }

  /** Forgets the page that was read ahead, and ends its request. */
  drop(): void {
    if (this.ahead === null) return
    this.ending.abort()
    this.ending = new AbortController()
    this.forget()
  }

  private forget(): void {
    this.ahead = null
    this.room.giveBack()
  }
}
