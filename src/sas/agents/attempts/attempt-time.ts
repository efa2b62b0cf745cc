import type { Clock, Timer } from '../../../platform/index.js'
import type { StepDocument } from '../../model/documents.js'

/**
 * The time of one attempt.
 *
 * An attempt is running, over or closed. It is over when its time has passed or `end` or `endSoon` is called, and its
 * signal then aborts. If the handler returns in time, the attempt is closed and the signal never aborts.
 */
export class AttemptTime {
  private aborting: AbortController | null = null
  /** The reason why the attempt is over. */
  private reason: Error | null = null
  private isOverNow: () => void = () => undefined
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

  get isOver(): boolean {
    return this.reason !== null
  }

  /** Aborts when the attempt is over. It is made only if it is needed, because it costs as much as a step without work. */
  get signal(): AbortSignal {
    this.aborting ??= new AbortController()
    if (this.reason !== null) this.aborting.abort(this.reason)
    return this.aborting.signal
  }

  /** Settles in the same way as `work`, or resolves with null when the attempt is over. After `endSoon`, waits a
   * moment for `work` first. Call it only once. */
  unlessOver<T>(work: Promise<T>): Promise<T | null> {
    return new Promise((resolve, reject) => {
      this.isOverNow = () => resolve(null)
      if (this.isOver) resolve(null)
      work.then(resolve, reject)
    })
  }

  /** Checks whether the attempt will still be running after `ms`. */
  outlasts(ms: number): boolean {
    return this.clock.now() + ms < this.latestMs - this.settlingTimeMs
  }

  /** Moves the deadline, unless the attempt is over or closed. */
  runUntil(deadlineMs: number): void {
    if (this.isClosed || this.isOver) return
    this.timer?.cancel()
    this.latestMs = deadlineMs
    const leftMs = deadlineMs - this.clock.now() - this.settlingTimeMs
    const passed = (): void => this.end(`the deadline of step ${this.step.stepId} is near`)
    if (leftMs <= 0) passed()
    else this.timer = this.clock.schedule(leftMs, passed)
  }

  /** Ends the attempt before its deadline, unless it is closed. */
  end(reason: string): void {
    this.abort(reason)
    if (this.isOver && !this.isClosed) {
      this.timer?.cancel()
      this.isOverNow()
    }
  }

  /** Does the same as {@link end}, but waits a moment for the handler to return. */
  endSoon(reason: string): void {
    if (this.abort(reason)) this.timer = this.clock.schedule(this.settlingTimeMs, () => this.isOverNow())
  }

  private abort(reason: string): boolean {
    if (this.isClosed || this.isOver) return false
    this.timer?.cancel()
    this.reason = new Error(reason)
    this.aborting?.abort(this.reason)
    return true
  }

  /** Closes the attempt, because no code waits for its handler any more. */
  close(): void {
    this.timer?.cancel()
    this.isClosed = true
  }

  /** @throws Error with the reason if the attempt is over or closed */
  throwIfOver(): void {
    if (this.reason !== null) throw this.reason
    if (this.isClosed) throw new Error(`this attempt at step ${this.step.stepId} has ended`)
  }
}
