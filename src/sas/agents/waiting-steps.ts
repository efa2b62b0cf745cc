import type { StateChange } from '../model/delivered/state-change.js'
import type { Clock } from '../../platform/index.js'
import type { AgentsPosition } from '../waiting/agents-position.js'

/**
 * Subtracted from the time of a read that found no more changes. A `_ts` is up to a second older than its write, and the
 * clock of this process is corrected by times in whole seconds.
 */
const slackMs = 3_000

/** A step that waits for these agents. */
interface Waiting {
  readonly agent: string
  readonly dispatchedMs: number
}

/** What one feed range has for these agents. */
interface Range {
  /** The steps of the page in delivery that wait for a slot. */
  readonly ofPage: Set<Waiting>
  /** The steps whose attempt begins at this moment, and the steps that wait in memory for a slot. */
  readonly entering: Set<Waiting>
  /** All steps that were dispatched before this time have begun, or are in one of the two sets above. */
  begunUntilMs: number
}

/** Knows how far these agents have come in each feed range that they read, as {@link AgentsPosition} describes it. */
export class WaitingSteps {
  private readonly ranges = new Map<string, Range>()

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  forget(leaseToken: string): void {
    this.ranges.delete(leaseToken)
  }

  /** Notes that the delivery of a page begins. Only one page of a range is in delivery at a time. */
  delivering(leaseToken: string): void {
    // After a delivery that failed, its steps are delivered again.
    this.rangeOf(leaseToken).ofPage.clear()
  }

  /** Notes that each open step of these changes has begun or waits. */
  delivered(leaseToken: string, changes: readonly StateChange[]): void {
    const range = this.rangeOf(leaseToken)
    range.begunUntilMs = changes.reduce(
      (newest, { _ts }) => Math.max(newest, _ts * 1_000),
      range.begunUntilMs,
    )
  }

  /** Notes that a read found no more changes `ageMs` ago. */
  drained(leaseToken: string, ageMs: number): void {
    const range = this.rangeOf(leaseToken)
    range.begunUntilMs = Math.max(range.begunUntilMs, this.clock.now() - ageMs - slackMs)
  }

  /** Notes a step of the page in delivery that waits for a slot. Returns a function that notes the end of this wait. */
  waits(leaseToken: string, agent: string, step: { readonly _ts: number }): () => void {
    return added(this.rangeOf(leaseToken).ofPage, agent, step)
  }

  /** Notes a step whose attempt begins, or that waits in memory for a slot. Returns a function that notes the end of this. */
  enters(leaseToken: string | null, agent: string, step: { readonly _ts: number }): () => void {
    return leaseToken === null ? () => undefined : added(this.rangeOf(leaseToken).entering, agent, step)
  }

  position(leaseToken: string): AgentsPosition {
    const { ofPage, entering, begunUntilMs } = this.rangeOf(leaseToken)
    const lines = new Map<string, number>()
    for (const { agent, dispatchedMs } of [...ofPage, ...entering])
      lines.set(agent, Math.min(dispatchedMs, lines.get(agent) ?? Infinity))
    return { begunUntilMs, lines }
  }

  private rangeOf(leaseToken: string): Range {
    let range = this.ranges.get(leaseToken)
    if (range === undefined) {
      range = { ofPage: new Set(), entering: new Set(), begunUntilMs: 0 }
      this.ranges.set(leaseToken, range)
    }
    return range
  }
}

function added(all: Set<Waiting>, agent: string, { _ts }: { readonly _ts: number }): () => void {
  const waiting = { agent, dispatchedMs: _ts * 1_000 }
  all.add(waiting)
  return () => all.delete(waiting)
}
