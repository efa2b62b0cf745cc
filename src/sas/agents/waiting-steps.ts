import type { Change } from '../../change-feed-processor/index.js'
import type { Clock } from '../../platform/index.js'

/** If the newest change of a page is older than this, the agents are behind, and more such changes follow. */
const behindAfterMs = 5_000

/** What one feed range has for these agents. */
interface Range {
  /** The times of the dispatches that wait for a slot. */
  readonly waiting: Map<object, number>
  /** The time up to which all dispatches have begun, if the feed has more. Null if the feed has no more. */
  behindMs: number | null
}

/**
 * Knows since when steps wait for these agents: those that wait for a slot, and those that the feed has not delivered yet.
 * All times are those of the store.
 */
export class WaitingSteps {
  private readonly ranges = new Map<string, Range>()

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /** Notes a step that waits for a slot. Returns the function that ends this. */
  add(leaseToken: string, { _ts }: { readonly _ts: number }): () => void {
    const { waiting } = this.rangeOf(leaseToken)
    const entry = {}
    waiting.set(entry, _ts * 1_000)
    return () => waiting.delete(entry)
  }

  /** Notes that all open steps of a page have begun. */
  begun(leaseToken: string, changes: readonly Change[]): void {
    const newestMs = changes.reduce((newest, { _ts }) => Math.max(newest, _ts * 1_000), 0)
    const isBehind = this.clock.now() - newestMs > behindAfterMs
    this.rangeOf(leaseToken).behindMs = isBehind ? newestMs : null
  }

  /** Notes that the feed has no more changes. */
  drained(leaseToken: string): void {
    const range = this.ranges.get(leaseToken)
    if (range !== undefined) range.behindMs = null
  }

  forget(leaseToken: string): void {
    this.ranges.delete(leaseToken)
  }

  /** Returns the time of the oldest dispatch that waits, or null. Older dispatches have all begun. */
  sinceMs(): number | null {
    let sinceMs = Infinity
    for (const { waiting, behindMs } of this.ranges.values()) {
      for (const dispatchedMs of waiting.values()) sinceMs = Math.min(sinceMs, dispatchedMs)
      sinceMs = Math.min(sinceMs, behindMs ?? Infinity)
    }
    return sinceMs === Infinity ? null : sinceMs
  }

  private rangeOf(leaseToken: string): Range {
    let range = this.ranges.get(leaseToken)
    if (range === undefined) {
      range = { waiting: new Map(), behindMs: null }
      this.ranges.set(leaseToken, range)
    }
    return range
  }
}
