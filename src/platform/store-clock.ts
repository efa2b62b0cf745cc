import type { Clock } from './clock.js'
import { OffsetEstimate, type Offset } from './offset-estimate.js'

/** The readings of both clocks of this machine at one moment. */
interface Moment {
  readonly wallMs: number
  readonly monotonicMs: number
}

/** A larger drift between the clocks during a request means that a clock was stepped or the machine slept. */
const steadyMs = 1_000

/**
 * A clock that follows the store's time. Between answers it uses the monotonic clock, so steps of this
 * machine's wall clock do not matter. Before the first answer with a time, it shows the machine's wall clock.
 *
 * The clock learns from each answer ({@link sent}). The store's time in the answer lies between the moment
 * when the request left and the moment when the answer arrived. The clock moves only as far as these bounds
 * require, so a slow answer, whose bounds are wide, does not move the clock.
 */
export class StoreClock implements Clock {
  private readonly estimate = new OffsetEstimate()
  /** The corrected time minus the monotonic clock, or null until an answer contains the store's time. */
  private offsetMs: number | null = null

  /** @param onLearned called with {@link correctionMs} after each answer that contains the store's time */
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

  /**
   * Records the moment when a request leaves. Call the returned function when the answer arrives, with the
   * store's time from the answer in milliseconds, or with null if there is none.
   */
  sent(): (storeMs: number | null) => void {
    const before = this.moment()
    return (storeMs) => {
      if (storeMs !== null) this.learn(before, storeMs)
    }
  }

  /** Whether the bounds are so close that more answers would hardly improve them. */
  get isSettled(): boolean {
    return this.estimate.isClose
  }

  /** The error of this machine's wall clock in milliseconds. Positive if the wall clock is behind. */
  get correctionMs(): number {
    return this.now() - this.clock.now()
  }

  private learn(before: Moment, storeMs: number): void {
    const after = this.moment()
    const tookMs = after.monotonicMs - before.monotonicMs
    const isSteady = Math.abs(after.wallMs - before.wallMs - tookMs) < steadyMs
    // The answer is ignored if a clock was stepped, or the machine slept, during the request.
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
