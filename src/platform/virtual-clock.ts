import { sleepOn, type Clock, type Timer } from './clock.js'

interface Pending {
  readonly at: number
  readonly order: number
  readonly action: () => void
}

/**
 * A clock that stands still until a test moves it. `advance` fires timers in the order of their times and lets all work
 * they set off come to rest before the next one, so minutes of protocol run in milliseconds and always the same way.
 */
export class VirtualClock implements Clock {
  private elapsed = 0
  private order = 0
  private pending: Pending[] = []

  /** @param startsAt wall clock at the beginning, milliseconds since the epoch (default 2026-01-01T00:00:00Z) */
  constructor(private readonly startsAt: number = Date.UTC(2026, 0, 1)) {}

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
    const timer: Pending = { at: this.elapsed + Math.max(0, ms), order: this.order++, action }
    this.pending.push(timer)
    return {
      cancel: () => {
        this.pending = this.pending.filter((other) => other !== timer)
      },
    }
  }

  /** Moves time forward by `ms`, firing every timer that falls due on the way. */
  async advance(ms: number): Promise<void> {
    const until = this.elapsed + ms
    await this.settle()
    for (let next = this.earliest(until); next !== undefined; next = this.earliest(until)) {
      this.elapsed = Math.max(this.elapsed, next.at)
      this.pending = this.pending.filter((other) => other !== next)
      next.action()
      await this.settle()
    }
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
      await this.advance(Math.max(0, next.at - this.elapsed))
    }
    return true
  }

  /** Timers that are set and have not fired: what a leak check asserts to be 0. */
  get pendingTimers(): number {
    return this.pending.length
  }

  private earliest(until: number): Pending | undefined {
    let first: Pending | undefined
    for (const timer of this.pending) {
      if (timer.at > until) continue
      if (
        first === undefined ||
        timer.at < first.at ||
        (timer.at === first.at && timer.order < first.order)
      ) {
        first = timer
      }
    }
    return first
  }

  /** Lets promises and in-process I/O come to rest. The real SDK needs several turns of the event loop per request. */
  private async settle(): Promise<void> {
    for (let turn = 0; turn < 12; turn += 1) {
      await new Promise<void>((resolve) => {
        setImmediate(resolve)
      })
    }
  }
}
