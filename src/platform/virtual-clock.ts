import process from 'node:process'
import TinyQueue from 'tinyqueue'
import { sleepOn, type Clock, type Timer } from './clock.js'

interface Pending {
  readonly at: number
  readonly order: number
  readonly action: () => void
  isOver: boolean
}

/** Where only promises are waited for, the event loop still turns this often: signals and other threads wait for it. */
const turnEvery = 1_000
/** What a delay takes that is too short to be told from none. */
const shortestDelayMs = 2 ** -10

/**
 * A clock that stands still until a test moves it. `advance` fires timers in the order of their times and lets all work
 * they set off come to rest before the next one, so minutes of protocol run in milliseconds and always the same way.
 */
export class VirtualClock implements Clock {
  private elapsed = 0
  private order = 0
  private live = 0
  private settlings = 0
  /** Cancelled ones stay until they come to the front: most are trust windows that were prolonged in time. */
  private readonly pending = new TinyQueue<Pending>([], earlierFirst)

  /**
   * @param startsAt wall clock at the beginning, milliseconds since the epoch (default 2026-01-01T00:00:00Z)
   * @param settlingTurns turns of the event loop that what a timer sets off is given to come to rest. With 0 all promises
   * come to rest, and nothing else; the real SDK needs several turns per request (default 12).
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

  /** The time after `ms`. A positive delay too short for the clock is lengthened; it would repeat without end otherwise. */
  private after(ms: number): number {
    const at = this.elapsed + ms
    return at === this.elapsed && ms > 0 ? at + shortestDelayMs : at
  }

  /** Sets the wall clock forward. The monotonic clock and timers do not change. */
  leap(ms: number): void {
    this.startsAt += ms
  }

  /** Moves time forward by `ms`, firing every timer that falls due on the way. */
  async advance(ms: number): Promise<void> {
    const until = this.elapsed + ms
    await this.settle()
    await this.fireDue(until)
    // Whoever advances while another does may have gone further already: time never goes back.
    this.elapsed = Math.max(this.elapsed, until)
  }

  /** Moves time forward timer by timer until `isReached`, at most by `limitMs`; tells whether it was reached. */
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

  /** Timers that are set and have not fired: what a leak check asserts to be 0. */
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
    // So that a timer cancelled by what it set off is not counted twice.
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

  /** Lets promises and in-process I/O come to rest. */
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
 * A tick that a promise asks for comes when no promise has anything left to do, and costs a tenth of a turn of the event
 * loop. One that is asked for outside of promises comes before them.
 */
function promisesAtRest(): Promise<void> {
  return new Promise((resolve) => {
    queueMicrotask(() => process.nextTick(resolve))
  })
}

function earlierFirst(one: Pending, other: Pending): number {
  return one.at - other.at || one.order - other.order
}
