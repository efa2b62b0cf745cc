import type { Clock, Timer } from '../../platform/index.js'
import type { StepDocument } from '../model/documents.js'

/**
 * How long one attempt may go on.
 *
 * States: running → over (its time has passed, or `end`: the signal aborts) → closed (`close`); or running → closed,
 * when the handler has returned in time: its signal stays as it is.
 */
export class AttemptTime {
  private readonly aborting = new AbortController()
  private readonly settlingTimeMs: number
  private timer: Timer | null = null
  private isClosed = false
  private latestMs: number

  constructor(
    private readonly step: StepDocument,
    private readonly clock: Clock,
  ) {
    // Some of the time is kept for recording the outcome.
    this.settlingTimeMs = Math.min(1_000, step.completeWithinMs / 10)
    this.latestMs = step.completeByMs ?? clock.now()
    this.runUntil(this.latestMs)
  }

  /** The step's deadline, milliseconds since the epoch. */
  get deadlineMs(): number {
    return this.latestMs
  }

  /** Aborts shortly before the deadline. */
  get signal(): AbortSignal {
    return this.aborting.signal
  }

  /** Whether it will still be going on after this long. */
  outlasts(ms: number): boolean {
    return this.clock.now() + ms < this.latestMs - this.settlingTimeMs
  }

  /** Goes on until this deadline; what is over stays so. */
  runUntil(deadlineMs: number): void {
    if (this.isClosed || this.signal.aborted) return
    this.timer?.cancel()
    this.latestMs = deadlineMs
    const leftMs = deadlineMs - this.clock.now() - this.settlingTimeMs
    const passed = (): void => this.end(`the deadline of step ${this.step.stepId} is near`)
    if (leftMs <= 0) passed()
    else this.timer = this.clock.schedule(leftMs, passed)
  }

  /** The attempt is over before its time. */
  end(reason: string): void {
    this.timer?.cancel()
    if (!this.isClosed) this.aborting.abort(new Error(reason))
  }

  /** The handler is not waited for any more. */
  close(): void {
    this.timer?.cancel()
    this.isClosed = true
  }

  /** @throws Error saying why, once the attempt is over or closed */
  throwIfOver(): void {
    this.signal.throwIfAborted()
    if (this.isClosed) throw new Error(`this attempt at step ${this.step.stepId} has ended`)
  }
}
