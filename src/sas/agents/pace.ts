import type { Clock, Timer } from '../../platform/index.js'
import type { GateOfStep } from '../model/gate-parts.js'

/**
 * Late calls have at least this part of the rate beside calls on time, which may use it up for hours, or exceed it
 * because an operator has raised it. Calls on time use up at most this many intervals more than a burst.
 */
const lateShare = 10

/** The largest number of keys that are remembered, before those are removed whose time has passed. */
const manyKeys = 1_000

/**
 * Spaces the calls of this process by the rates of their limits. The scheduler hands attempts over at the times of the rate.
 * But when agents cannot call at once, because no slot is free or their process was stopped, many of them are due together.
 * This is the generic cell rate algorithm, as at the limits, but for this process alone.
 */
export class Pace {
  /** The time until which the calls so far use up the rate, by the key of the limit. */
  private readonly busyUntilMs = new Map<string, number>()
  /** The time from which a late call is due in any case, by the key of the limit. */
  private readonly lateDueMs = new Map<string, number>()

  constructor(private readonly clock: Pick<Clock, 'monotonic' | 'schedule'>) {}

  /** Returns the time until these rates allow a late call, in milliseconds. */
  waitMs(rates: readonly GateOfStep[]): number {
    const now = this.clock.monotonic()
    return rates.reduce((longest, { key, ...rules }) => {
      const { intervalMs, burst } = numbersOf(rules)
      const freeAtMs = (this.busyUntilMs.get(key) ?? now) - (burst - 1) * intervalMs
      const atMs = Math.min(freeAtMs, this.lateDueMs.get(key) ?? Infinity)
      return Math.max(longest, Math.ceil(atMs - now))
    }, 0)
  }

  called(rates: readonly GateOfStep[], isLate: boolean): void {
    const now = this.clock.monotonic()
    for (const { key, ...rules } of rates) {
      const { intervalMs, burst } = numbersOf(rules)
      const busyUntilMs = Math.max(now, this.busyUntilMs.get(key) ?? now) + intervalMs
      this.busyUntilMs.set(key, Math.min(busyUntilMs, now + (burst + lateShare) * intervalMs))
      if (isLate || !this.lateDueMs.has(key)) this.lateDueMs.set(key, now + lateShare * intervalMs)
    }
    if (this.busyUntilMs.size <= manyKeys) return
    for (const [key, untilMs] of this.busyUntilMs) {
      if (untilMs > now) continue
      this.busyUntilMs.delete(key)
      this.lateDueMs.delete(key)
    }
  }

  now(): number {
    return this.clock.monotonic()
  }

  after(ms: number, action: () => void): Timer {
    return this.clock.schedule(ms, action)
  }
}

function numbersOf({ perSecond = 1, burst = Math.max(1, Math.ceil(perSecond)) }: Omit<GateOfStep, 'key'>) {
  return { intervalMs: 1_000 / perSecond, burst }
}
