import type { FeedStart } from '../feed/change-feed.js'
import { LeaseLostError } from '../feed/errors.js'
import type { LeaseHolder } from '../lease-holding/lease-holder.js'
import { positionAfterAll, positionsIn, type ReadPage } from './page-positions.js'

/**
 * A page delivered under one lease, with its place among the delivered changes and the positions that can be
 * stored.
 */
export interface TrackedPage extends ReadPage {
  /** The number of changes delivered before this page. */
  readonly before: number
  /**
   * Returns the position after the page's first `count` changes, or null if there is none: see
   * {@link positionsIn}.
   */
  readonly positionAfter: (count: number) => string | null
}

/**
 * A place in the changes delivered under one lease. It has no reference to its page, because pages are large
 * and a hold may keep the place for long.
 */
interface Place {
  /** The number of changes delivered before the place's page. */
  readonly before: number
  /** The number of changes delivered before the place itself. */
  readonly upTo: number
  /** The position to store; null if none can be stored yet. */
  readonly token: string | null
}

/**
 * Tracks how far the changes of one lease were handled. Only this class reports positions to the lease holder
 * (I10). It counts the delivered changes. A report that covers fewer changes than an earlier report has no
 * effect, so the position never goes back.
 */
export class Progress {
  private delivered = 0
  private handled = 0
  /**
   * The number of changes delivered before the last rewind. Their pages are delivered again, so reports for
   * the earlier deliveries are ignored.
   */
  private rewoundAt = 0
  private isClosed = false
  /** The beginnings of pages that a delegate still works on. */
  private readonly holds = new Set<Place>()
  /** The furthest place that was reported while a hold prevented its storage. */
  private reported: Place | null = null

  constructor(
    private readonly holder: LeaseHolder,
    private reached: FeedStart,
  ) {}

  /** The position from which a read returns every change that was not reported as handled. */
  get start(): FeedStart {
    return this.reached
  }

  /** Whether a delivered change has not yet been reported as handled. */
  get isBehind(): boolean {
    return this.delivered > this.handled
  }

  /** Registers a page that is about to be delivered. */
  track({ from, page }: ReadPage): TrackedPage {
    const before = this.delivered
    this.delivered += page.changes.length
    return { from, page, before, positionAfter: positionsOf(page) }
  }

  /**
   * Reports that everything before `page` and the first `count` changes of `page` were handled. The position
   * is stored at the time that the options set.
   */
  handledUpTo(page: TrackedPage, count: number): Promise<void> {
    return this.report(placeIn(page, count))
  }

  /**
   * Prevents the storage of positions beyond the beginning of this page until the returned function is called
   * (I10).
   */
  hold(page: TrackedPage): () => void {
    const hold = placeIn(page, 0)
    this.holds.add(hold)
    return () => {
      const { reported } = this
      this.holds.delete(hold)
      if (reported === null) return
      this.reported = null
      // A failure does no harm. The next report stores the position, or else the changes are delivered again.
      this.report(reported).catch(() => undefined)
    }
  }

  private async report(place: Place): Promise<void> {
    if (this.isClosed || place.before < this.rewoundAt) return
    const held = this.firstHeld()
    if (held === null || place.upTo <= held.before) return this.pass(place)
    if (this.reported === null || place.upTo > this.reported.upTo) this.reported = place
    await this.pass(held)
  }

  private firstHeld(): Place | null {
    const held = [...this.holds].filter(({ before }) => before >= this.rewoundAt)
    return held.reduce<Place | null>(
      (first, place) => (first !== null && first.before <= place.before ? first : place),
      null,
    )
  }

  private async pass({ upTo, token }: Place): Promise<void> {
    if (upTo < this.handled) return
    this.handled = upTo
    if (token !== null) await this.reach(token, (reached) => this.holder.checkpoint(reached))
  }

  /**
   * Does the same as {@link handledUpTo}, and resolves when the position is stored. Rejects with
   * {@link LeaseLostError} if this instance no longer holds the lease, or after {@link close}.
   */
  async store(page: TrackedPage, count: number): Promise<void> {
    await this.handledUpTo(page, count)
    if (this.isClosed || !(await this.holder.flush())) throw new LeaseLostError(this.holder.lease.leaseToken)
  }

  /**
   * Records that the feed has no more changes up to the end of this page. The position is kept only if
   * everything before it was handled (I10).
   */
  async nothingNew({ page: { next } }: ReadPage): Promise<void> {
    const [only, ...others] = next
    if (this.isBehind || only?.start.kind !== 'continuation' || others.length > 0) return
    await this.reach(only.start.token, (token) => this.holder.notePosition(token))
  }

  /** Prepares for a second delivery of everything since {@link start}. */
  rewind(): void {
    this.rewoundAt = this.delivered
    this.handled = this.delivered
  }

  /** Ends the use of the lease. Later reports for its pages are refused. */
  close(): void {
    this.isClosed = true
  }

  private async reach(token: string, tell: (token: string) => Promise<void>): Promise<void> {
    if (this.reached.kind === 'continuation' && this.reached.token === token) return
    this.reached = { kind: 'continuation', token }
    await tell(token)
  }
}

function placeIn(page: TrackedPage, count: number): Place {
  const { before } = page
  return { before, upTo: before + count, token: lastPosition(page, count) }
}

/**
 * Returns the last position in the page that covers at most `count` changes. If there is none, returns the
 * start of the page.
 */
function lastPosition({ from, positionAfter }: TrackedPage, count: number): string | null {
  for (let passed = count; passed > 0; passed -= 1) {
    const token = positionAfter(passed)
    if (token !== null) return token
  }
  return from.start.kind === 'continuation' ? from.start.token : null
}

/**
 * Looks for positions inside a page only when one is requested, because most pages are handled as a whole.
 */
function positionsOf(page: ReadPage['page']): TrackedPage['positionAfter'] {
  let inside: readonly (string | null)[] | undefined
  return (count) => {
    if (count === page.changes.length) return positionAfterAll(page)
    inside ??= positionsIn(page)
    return inside[count - 1] ?? null
  }
}
