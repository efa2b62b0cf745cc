import type { Clock } from './clock.js'
import { OffsetEstimate, type Offset } from './offset-estimate.js'

/** Both clocks of this machine at one moment. */
interface Moment {
  readonly wallMs: number
  readonly monotonicMs: number
}

/** How far the clocks of a machine may drift apart while one answer is waited for; more is a step, or a sleep. */
const steadyMs = 1_000

/**
 * Time as the store tells it, between its answers by the monotonic clock, so that steps of this machine's wall clock do
 * not matter. Before the first answer, and where answers tell no time, it is the machine's wall clock.
 *
 * It learns from answers as they come ({@link sent}): each bounds the offset by when its request left, when it arrived
 * and the second that it names. Time is moved only as far as these bounds demand, so an answer that takes long, whose
 * bounds are wide, moves nothing.
 */
export class StoreClock implements Clock {
  private readonly estimate = new OffsetEstimate()
  /** The corrected time minus the monotonic clock. Null until an answer told the store's time. */
  private offsetMs: number | null = null

  /** @param onLearned called after each answer that told the store's time, with {@link correctionMs} */
  constructor(
    private readonly clock: Clock,
    private readonly onLearned: (correctionMs: number) => void = () => undefined,
  ) {}

  now(): number {
    return this.offsetMs === null ? this.clock.now() : Math.round(this.clock.monotonic() + this.offsetMs)
  }

  monotonic(): number {
    return this.clock.monotonic()
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.clock.sleep(ms, signal)
  }

  schedule(ms: number, action: () => void): ReturnType<Clock['schedule']> {
    return this.clock.schedule(ms, action)
  }

  /** A request leaves; what is returned is told the second that the answer names, in milliseconds, or null. */
  sent(): (storeMs: number | null) => void {
    const before = this.moment()
    return (storeMs) => {
      if (storeMs !== null) this.learn(before, storeMs)
    }
  }

  /** Whether the bounds are close enough that more answers would tell little. */
  get isSettled(): boolean {
    return this.estimate.isClose
  }

  /** What this machine's wall clock would have to be moved by, milliseconds. */
  get correctionMs(): number {
    return this.now() - this.clock.now()
  }

  private learn(before: Moment, storeMs: number): void {
    const after = this.moment()
    const tookMs = after.monotonicMs - before.monotonicMs
    const isSteady = Math.abs(after.wallMs - before.wallMs - tookMs) < steadyMs
    // A clock was stepped, or the machine slept, while the answer was on its way: it says nothing.
    if (tookMs < 0 || !isSteady) return
    const wallOffsetMs = after.wallMs - after.monotonicMs
    const offset: Offset = { minMs: storeMs - after.monotonicMs, maxMs: storeMs + 1_000 - before.monotonicMs }
    const heldMs = this.offsetMs ?? wallOffsetMs
    this.offsetMs = this.estimate.learn(offset, { nowMs: after.monotonicMs, wallOffsetMs, heldMs })
    this.onLearned(this.correctionMs)
  }

  private moment(): Moment {
    return { wallMs: this.clock.now(), monotonicMs: this.clock.monotonic() }
  }
}
