import type { Change } from '../../change-feed-processor/index.js'
import type { Clock } from '../../platform/index.js'

/** If the newest change of a page is older than this, the agents are behind, and more old changes may follow. */
const behindAfterMs = 5_000

/** What one feed range has for these agents. */
interface Range {
  /** The times of the dispatches whose steps wait for a slot. */
  readonly waiting: Map<object, number>
  /**
   * The time of the newest change of the last page, if more old changes may follow. All steps that were dispatched before
   * it have begun. Null if no old changes follow.
   */
  behindMs: number | null
}

/**
 * Knows since when steps wait for these agents. Some wait for a slot, and the feed has not delivered others yet. All times
 * that it returns are those of the store.
 */
export class WaitingSteps {
  private readonly ranges = new Map<string, Range>()

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /** Notes a step that waits for a slot. Returns the function that notes the end of this wait. */
  add(leaseToken: string, { _ts }: { readonly _ts: number }): () => void {
    const { waiting } = this.rangeOf(leaseToken)
    const entry = {}
    waiting.set(entry, _ts * 1_000)
    return () => waiting.delete(entry)
  }

  /** Notes that the agents have begun all open steps of a page. */
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

  /** Returns the time of the oldest dispatch whose step may wait, or null. All steps with older dispatches have begun. */
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
