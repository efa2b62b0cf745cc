import type { FeedStart } from '../feed/change-feed.js'
import { LeaseLostError } from '../feed/errors.js'
import type { LeaseHolder } from '../lease-holding/lease-holder.js'
import { positionAfterAll, positionsIn, type ReadPage } from './page-positions.js'

/**
 * A page delivered under one lease, with its place among the delivered changes and its positions to store.
 */
export interface TrackedPage extends ReadPage {
  /** The number of changes delivered before it. */
  readonly before: number
  /**
   * Returns the position after its first `count` changes, or null where none exists: see {@link positionsIn}.
   */
  readonly positionAfter: (count: number) => string | null
}

/**
 * A place in the changes delivered under one lease. It references no page: holds may last, and pages are
 * large.
 */
interface Place {
  /** The number of changes delivered before its page. */
  readonly before: number
  /** The number of changes delivered before the place itself. */
  readonly upTo: number
  /** The position to store; null if none can be stored yet. */
  readonly token: string | null
}

/**
 * Tracks how far the changes of one lease were handled. No other part reports positions to the lease holder
 * (I10). It counts the delivered changes. A report about fewer changes than an earlier one has no effect, so
 * the position never goes back.
 */
export class Progress {
  private delivered = 0
  private handled = 0
  /**
   * The number of changes delivered before the last rewind. Their pages are delivered again, so reports about
   * them are ignored.
   */
  private rewoundAt = 0
  private isClosed = false
  /** The beginnings of pages that a delegate still works on, and the furthest place reported meanwhile. */
  private readonly holds = new Set<Place>()
  private reported: Place | null = null

  constructor(
    private readonly holder: LeaseHolder,
    private reached: FeedStart,
  ) {}

  /** The position to read from to get everything that was not reported as handled. */
  get start(): FeedStart {
    return this.reached
  }

  /** Whether a delivered change has not been reported as handled. */
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
   * Reports that everything before `page` and its first `count` changes were handled. Stores it as the
   * options say.
   */
  handledUpTo(page: TrackedPage, count: number): Promise<void> {
    return this.report(placeIn(page, count))
  }

  /**
   * Prevents storing a position beyond the beginning of this page until the returned function is called
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
      // A failure does no harm: changes whose position is not stored are delivered again, and the next report
      // stores them.
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
   * Does the same as {@link handledUpTo}, and resolves when the position is stored. Rejects with {@link
   * LeaseLostError} when this instance no longer holds the lease, or after {@link close}.
   */
  async store(page: TrackedPage, count: number): Promise<void> {
    await this.handledUpTo(page, count)
    if (this.isClosed || !(await this.holder.flush())) throw new LeaseLostError(this.holder.lease.leaseToken)
  }

  /**
   * Records that no changes follow up to here. The position is kept only when everything before it was
   * handled (I10).
   */
  async nothingNew({ page: { next } }: ReadPage): Promise<void> {
    const [only, ...others] = next
    if (this.isBehind || only?.start.kind !== 'continuation' || others.length > 0) return
    await this.reach(only.start.token, (token) => this.holder.notePosition(token))
  }

  /** Prepares for everything since {@link start} to be delivered again. */
  rewind(): void {
    this.rewoundAt = this.delivered
    this.handled = this.delivered
  }

  /** Ends the use of the lease: later reports about its pages are refused. */
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
 * Returns the last position in the page that covers at most `count` changes; if there is none, the start of
 * the page.
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
