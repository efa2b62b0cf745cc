import type { FeedStart } from '../feed/change-feed.js'
import { LeaseLostError } from '../feed/errors.js'
import type { LeaseHolder } from '../lease/lease-holder.js'
import { positionAfterAll, positionsIn, type ReadPage } from './page-positions.js'

/** A page among all that one lease delivered, with what may be stored about it. */
export interface TrackedPage extends ReadPage {
  /** How many changes were delivered before it. */
  readonly before: number
  /** The position after its first `count` changes, or null where there is none: see {@link positionsIn}. */
  readonly positionAfter: (count: number) => string | null
}

/** A place in the changes that one lease delivered. It references no page: holds may last, and pages are large. */
interface Place {
  /** The number of changes delivered before its page. */
  readonly before: number
  /** The number of changes delivered before the place itself. */
  readonly upTo: number
  /** The position to store; null if none can be stored yet. */
  readonly token: string | null
}

/**
 * How far the changes of one lease were handled: the only one who tells its holder (I10). It counts the changes that
 * were delivered; a report about fewer than an earlier one changes nothing, so the position never goes back.
 */
export class Progress {
  private delivered = 0
  private handled = 0
  /** Pages from before a rewind are delivered again: what is said of them counts no more. */
  private rewoundAt = 0
  private isClosed = false
  /** The beginnings of pages that a delegate still works on, and the furthest place reported meanwhile. */
  private readonly holds = new Set<Place>()
  private reported: Place | null = null

  constructor(
    private readonly holder: LeaseHolder,
    private reached: FeedStart,
  ) {}

  /** Where to read from to get everything that was not reported as handled. */
  get start(): FeedStart {
    return this.reached
  }

  /** Whether something was delivered that nobody has reported as handled. */
  get isBehind(): boolean {
    return this.delivered > this.handled
  }

  /** A page that is about to be delivered. */
  track({ from, page }: ReadPage): TrackedPage {
    const before = this.delivered
    this.delivered += page.changes.length
    return { from, page, before, positionAfter: positionsOf(page) }
  }

  /** Reports that everything before `page` and its first `count` changes were handled. It is stored as the options say. */
  handledUpTo(page: TrackedPage, count: number): Promise<void> {
    return this.report(placeIn(page, count))
  }

  /** Stores nothing beyond the beginning of this page until the returned function is called (I10). */
  hold(page: TrackedPage): () => void {
    const hold = placeIn(page, 0)
    this.holds.add(hold)
    return () => {
      const { reported } = this
      this.holds.delete(hold)
      if (reported === null) return
      this.reported = null
      // A failure does no harm: changes that are not stored come again, and the next report stores them.
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

  /** As {@link handledUpTo}, and resolves when it is stored; rejects when the lease is not ours to store it in. */
  async store(page: TrackedPage, count: number): Promise<void> {
    await this.handledUpTo(page, count)
    if (this.isClosed || !(await this.holder.flush())) throw new LeaseLostError(this.holder.lease.leaseToken)
  }

  /** Nothing new up to here: worth keeping only when everything before was handled (I10). */
  async nothingNew({ page: { next } }: ReadPage): Promise<void> {
    const [only, ...others] = next
    if (this.isBehind || only?.start.kind !== 'continuation' || others.length > 0) return
    await this.reach(only.start.token, (token) => this.holder.notePosition(token))
  }

  /** Whatever was delivered since {@link start} is going to be delivered again. */
  rewind(): void {
    this.rewoundAt = this.delivered
    this.handled = this.delivered
  }

  /** From now on the lease is somebody else's business: what is said about its pages is refused. */
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

/** The last position in the page that covers at most `count` changes; with none, the start of the page. */
function lastPosition({ from, positionAfter }: TrackedPage, count: number): string | null {
  for (let passed = count; passed > 0; passed -= 1) {
    const token = positionAfter(passed)
    if (token !== null) return token
  }
  return from.start.kind === 'continuation' ? from.start.token : null
}

/** Places inside a page are looked for only when one is asked for: most pages are handled as a whole. */
function positionsOf(page: ReadPage['page']): TrackedPage['positionAfter'] {
  let inside: readonly (string | null)[] | undefined
  return (count) => {
    if (count === page.changes.length) return positionAfterAll(page)
    inside ??= positionsIn(page)
    return inside[count - 1] ?? null
  }
}
