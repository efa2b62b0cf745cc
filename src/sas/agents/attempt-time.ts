import type { Clock, Timer } from '../../platform/index.js'
import type { StepDocument } from '../model/documents.js'

/**
 * The time of one attempt.
 *
 * An attempt is running, over or closed. It is over when its time has passed or `end` is called, and its
 * signal then aborts. If the handler returns in time, the attempt is closed and the signal never aborts.
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

  /** The step's deadline, in milliseconds since the epoch. */
  get deadlineMs(): number {
    return this.latestMs
  }

  get signal(): AbortSignal {
    return this.aborting.signal
  }

  /** Checks whether the attempt will still be running after `ms`. */
  outlasts(ms: number): boolean {
    return this.clock.now() + ms < this.latestMs - this.settlingTimeMs
  }

  /** Moves the deadline, unless the attempt is over or closed. */
  runUntil(deadlineMs: number): void {
    if (this.isClosed || this.signal.aborted) return
    this.timer?.cancel()
    this.latestMs = deadlineMs
    const leftMs = deadlineMs - this.clock.now() - this.settlingTimeMs
    const passed = (): void => this.end(`the deadline of step ${this.step.stepId} is near`)
    if (leftMs <= 0) passed()
    else this.timer = this.clock.schedule(leftMs, passed)
  }

  /** Ends the attempt before its deadline, unless it is closed. */
  end(reason: string): void {
    this.timer?.cancel()
    if (!this.isClosed) this.aborting.abort(new Error(reason))
  }

  /** Closes the attempt, because no code waits for its handler any more. */
  close(): void {
    this.timer?.cancel()
    this.isClosed = true
  }

  /** @throws Error with the reason if the attempt is over or closed */
  throwIfOver(): void {
    this.signal.throwIfAborted()
    if (this.isClosed) throw new Error(`this attempt at step ${this.step.stepId} has ended`)
  }
}
