import process from 'node:process'
import TinyQueue from 'tinyqueue'
import { sleepOn, type Clock, type Timer } from './clock.js'

interface Pending {
  readonly at: number
  readonly order: number
  readonly action: () => void
  isOver: boolean
}

/**
 * After this number of calls of `settle`, the event loop gets at least one turn, because signals and threads
 * need turns.
 */
const turnEvery = 1_000
/** The delay that replaces a positive delay which is too short to change the time. */
const shortestDelayMs = 2 ** -10

/**
 * A clock that moves only when a test moves it. `advance` fires timers in the order of their times. Before
 * the next timer, it waits until all work that the last timer caused has settled. A protocol of several
 * minutes therefore runs in milliseconds, and always in the same way.
 */
export class VirtualClock implements Clock {
  private elapsed = 0
  private order = 0
  private live = 0
  private settlings = 0
  /** The set timers. A cancelled timer stays in the queue until it reaches the front. */
  private readonly pending = new TinyQueue<Pending>([], earlierFirst)

  /**
   * @param startsAt the time of the wall clock at the beginning, in milliseconds since the epoch (default
   * 2026-01-01T00:00:00Z)
   * @param settlingTurns the number of turns of the event loop in which the work that a timer caused can
   * settle (default 12). With 0 all promises settle, but no I/O settles. The real SDK needs several turns for
   * each request.
   */
  constructor(
    private startsAt: number = Date.UTC(2026, 0, 1),
    private readonly settlingTurns = 12,
  ) {}

  now(): number {
    return this.startsAt + this.elapsed
  }

  monotonic(): number {
    return this.elapsed
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn((delay, action) => this.schedule(delay, action), ms, signal)
  }

  schedule(ms: number, action: () => void): Timer {
    const timer = { at: this.after(Math.max(0, ms)), order: this.order++, action, isOver: false }
    this.pending.push(timer)
    this.live += 1
    return {
      cancel: () => {
        if (timer.isOver) return
        timer.isOver = true
        this.live -= 1
      },
    }
  }

  /**
   * Returns the time after `ms`. Lengthens a delay that is too short to change the time, because a loop with
   * such a delay would never end.
   */
  private after(ms: number): number {
    const at = this.elapsed + ms
    return at === this.elapsed && ms > 0 ? at + shortestDelayMs : at
  }

  /** Sets the wall clock forward. The monotonic clock and timers do not change. */
  leap(ms: number): void {
    this.startsAt += ms
  }

  /** Moves time forward by `ms`, and fires every timer that becomes due meanwhile. */
  async advance(ms: number): Promise<void> {
    const until = this.elapsed + ms
    await this.settle()
    await this.fireDue(until)
    // A concurrent call of `advance` may already have moved the time further, and time never goes back.
    this.elapsed = Math.max(this.elapsed, until)
  }

  /** Moves time forward timer by timer, by at most `limitMs`. Returns whether `isReached` returned true. */
  async advanceUntil(isReached: () => boolean, limitMs: number): Promise<boolean> {
    const until = this.elapsed + limitMs
    await this.settle()
    while (!isReached()) {
      const next = this.earliest(until)
      if (next === undefined) return false
      await this.fireDue(next.at)
    }
    return true
  }

  /** The number of timers that are set and have not fired. A leak check asserts that it is 0. */
  get pendingTimers(): number {
    return this.live
  }

  private async fireDue(until: number): Promise<void> {
    for (let next = this.earliest(until); next !== undefined; next = this.earliest(until)) {
      this.pending.pop()
      this.elapsed = Math.max(this.elapsed, next.at)
      this.fire(next)
      await this.settle()
    }
  }

  private fire(timer: Pending): void {
    // `isOver` is set before the action, so that a timer whose action cancels it is not counted twice.
    timer.isOver = true
    this.live -= 1
    timer.action()
  }

  private earliest(until: number): Pending | undefined {
    let first = this.pending.peek()
    while (first?.isOver === true) {
      this.pending.pop()
      first = this.pending.peek()
    }
    return first === undefined || first.at > until ? undefined : first
  }

  /** Lets promises and in-process I/O settle. */
  private async settle(): Promise<void> {
    this.settlings += 1
    const turns = this.settlings % turnEvery === 0 ? Math.max(1, this.settlingTurns) : this.settlingTurns
    if (turns === 0) await promisesAtRest()
    for (let turn = 0; turn < turns; turn += 1) {
      await new Promise<void>((resolve) => {
        setImmediate(resolve)
      })
    }
  }
}

/**
 * Resolves when no microtask is left, at a tenth of the cost of a turn of the event loop. A tick that is
 * requested in a microtask comes at that moment. Any other tick comes too early.
 */
function promisesAtRest(): Promise<void> {
  return new Promise((resolve) => {
    queueMicrotask(() => process.nextTick(resolve))
  })
}

function earlierFirst(one: Pending, other: Pending): number {
  return one.at - other.at || one.order - other.order
}
