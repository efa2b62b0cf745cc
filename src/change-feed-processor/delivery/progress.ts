import type { FeedStart } from '../feed/change-feed.js'
import { LeaseLostError } from '../feed/errors.js'
import type { LeaseHolder } from '../lease-holding/lease-holder.js'
import { unfinishedAt } from '../feed/resumed.js'
import { positionAfterAll, positionsIn, type ReadPage } from './page-positions.js'

/** The largest number of changes that the next owner delivers again because of unfinished work. */
const mostDeliveredAgain = 10_000

/** The promise of a report that writes nothing. */
const nothingToDo = Promise.resolve()

/** A page delivered under one lease, with its place and the positions that can be stored. */
export interface TrackedPage extends ReadPage {
  /** The number of changes delivered before this page. */
  readonly before: number
  /**
   * Returns the position after the first `count` changes, or null if there is none. See {@link positionsIn}.
   */
  readonly positionAfter: (count: number) => string | null
}

/**
 * A place in the changes delivered under one lease. A place has no reference to its page, because pages are
 * large and a hold may keep the place for a long time.
 */
interface Place {
  /** The number of changes delivered before the place's page. */
  readonly before: number
  /** The number of changes delivered before the place itself. */
  readonly upTo: number
  /** The position to store, or null if none can be stored yet. */
  readonly token: string | null
}

/** A page that the user's code has not finished. `before` is the number of changes delivered before it. */
interface Unfinished {
  readonly before: number
  readonly position: string | null
}

/**
 * Tracks the handled changes of one lease. Only this class reports positions to the lease holder (I10). A
 * report that covers fewer changes than an earlier report has no effect, so the position never goes back.
 */
export class Progress {
  private delivered = 0
  private handled = 0
  /** The number of changes delivered before the last rewind. Reports for these deliveries are ignored. */
  private rewoundAt = 0
  private isClosed = false
  /** The beginnings of pages that a delegate still works on. */
  private readonly holds = new Set<Place>()
  /** The beginnings of pages with changes on which the user's code still works, although they are handled. */
  private readonly unfinished = new Set<Unfinished>()
  /** The furthest place that was reported while a hold prevented its storage. */
  private reported: Place | null = null

  constructor(
    private readonly holder: LeaseHolder,
    private reached: FeedStart,
  ) {
    holder.watchUnfinished(() => this.unfinishedFrom())
  }

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

  /** Reports that the first `count` changes of `page`, and all changes before them, were handled. */
  handledUpTo(page: TrackedPage, count: number): Promise<void> {
    return this.report(placeIn(page, count))
  }

  /** Until the returned function is called, stores no position after the beginning of this page (I10). */
  hold(page: TrackedPage): () => void {
    const hold = placeIn(page, 0)
    this.holds.add(hold)
    return () => {
      const { reported } = this
      this.holds.delete(hold)
      if (reported === null) return
      this.reported = null
      // A failure is harmless. The next report stores the position, or the changes are delivered again.
      this.report(reported).catch(() => undefined)
    }
  }

  /**
   * Records that work on this page continues after its delivery, until the returned function is called. The
   * checkpoint does not wait for the work. If this process dies, the next owner delivers the page again.
   */
  keepForSuccessor(page: TrackedPage): () => void {
    const work = { before: page.before, position: unfinishedAt(page.from) }
    this.unfinished.add(work)
    return () => void this.unfinished.delete(work)
  }

  /** Returns the position before the unfinished work, if it is before the position to store. */
  private unfinishedFrom(): string | null {
    let [first, position]: [number, string | null] = [this.handled, null]
    for (const work of this.unfinished) {
      const isNear = this.delivered - work.before <= mostDeliveredAgain
      if (!isNear || work.position === null || work.before >= first) continue
      first = work.before
      position = work.position
    }
    return position
  }

  private report(place: Place): Promise<void> {
    if (this.isClosed || place.before < this.rewoundAt) return nothingToDo
    const held = this.holds.size === 0 ? null : this.firstHeld()
    if (held === null || place.upTo <= held.before) return this.pass(place)
    if (this.reported === null || place.upTo > this.reported.upTo) this.reported = place
    return this.pass(held)
  }

  private firstHeld(): Place | null {
    const held = [...this.holds].filter(({ before }) => before >= this.rewoundAt)
    return held.reduce<Place | null>(
      (first, place) => (first !== null && first.before <= place.before ? first : place),
      null,
    )
  }

  private pass({ upTo, token }: Place): Promise<void> {
    if (upTo < this.handled) return nothingToDo
    const newChanges = upTo - this.handled
    this.handled = upTo
    return token === null
      ? nothingToDo
      : this.reach(token, (reached) => this.holder.checkpoint(reached, newChanges))
  }

  /**
   * Does the same as {@link handledUpTo}, and resolves when the position is stored. Rejects with
   * {@link LeaseLostError} if this instance no longer holds the lease, or after {@link close}.
   */
  async store(page: TrackedPage, count: number): Promise<void> {
    await this.handledUpTo(page, count)
    if (this.isClosed || !(await this.holder.flush())) throw new LeaseLostError(this.holder.lease.leaseToken)
  }

  /** Moves to the end of a page without changes, if all changes before the page were handled (I10). */
  async nothingNew({ page: { next } }: ReadPage): Promise<void> {
    const [only, ...others] = next
    if (this.isBehind || only?.start.kind !== 'continuation' || others.length > 0) return
    await this.reach(only.start.token, (token) => this.holder.notePosition(token))
  }

  /** Prepares for a second delivery of all changes since {@link start}. */
  rewind(): void {
    this.rewoundAt = this.delivered
    this.handled = this.delivered
  }

  /** Ends the use of the lease. Later reports for its pages are refused. */
  close(): void {
    this.isClosed = true
  }

  private reach(token: string, tell: (token: string) => Promise<void>): Promise<void> {
    if (this.reached.kind === 'continuation' && this.reached.token === token) return nothingToDo
    this.reached = { kind: 'continuation', token }
    return tell(token)
  }
}

function placeIn(page: TrackedPage, count: number): Place {
  const { before } = page
  return { before, upTo: before + count, token: lastPosition(page, count) }
}

/** Returns the last position that covers at most `count` changes of the page, or else the page's start. */
function lastPosition({ from, positionAfter }: TrackedPage, count: number): string | null {
  for (let passed = count; passed > 0; passed -= 1) {
    const token = positionAfter(passed)
    if (token !== null) return token
  }
  return from.start.kind === 'continuation' ? from.start.token : null
}

/** Looks for positions inside a page only on request, because most pages are handled as a whole. */
function positionsOf(page: ReadPage['page']): TrackedPage['positionAfter'] {
  let inside: readonly (string | null)[] | undefined
  return (count) => {
    if (count === page.changes.length) return positionAfterAll(page)
    inside ??= positionsIn(page)
    return inside[count - 1] ?? null
  }
}
