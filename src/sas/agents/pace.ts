import type { Clock, Timer } from '../../platform/index.js'
import { rateOf, type GateOfStep } from '../model/gate-parts.js'

/** The largest number of keys that are remembered, before those are removed whose calls no longer count. */
const manyKeys = 1_000

/** A call at the time of its rate may be a bit early, because the call before came a bit late. */
const leastEarlyMs = 10

/** The calls of one key that still count. */
interface Level {
  readonly calls: number
  readonly atMs: number
  /** The interval of the rate of the last call. */
  readonly intervalMs: number
}

/**
 * Spaces the calls of this process by the rates of their limits. The scheduler hands attempts over at the times of the rate.
 * But when it was away, or when agents cannot call at once, many attempts are due together.
 *
 * Each call fills a bucket, which drains at the rate of the attempt that asks. So attempts whose times were given at
 * another rate, before an operator has set one, slow down no later ones.
 */
export class Pace {
  private readonly levels = new Map<string, Level>()

  constructor(private readonly clock: Pick<Clock, 'monotonic' | 'schedule'>) {}

  /** Returns the time until all these rates allow a call, in milliseconds. */
  waitMs(rates: readonly GateOfStep[]): number {
    return rates.reduce((longest, gate) => Math.max(longest, Math.ceil(this.waitAt(gate) - rounding)), 0)
  }

  /** Checks whether all these rates allow a call now, or so soon that the difference does not matter. */
  allowsNearly(rates: readonly GateOfStep[]): boolean {
    return rates.every((gate) => this.waitAt(gate) <= Math.max(leastEarlyMs, numbersOf(gate).intervalMs / 2))
  }

  called(rates: readonly GateOfStep[]): void {
    const atMs = this.clock.monotonic()
    for (const gate of rates) {
      const { intervalMs } = numbersOf(gate)
      this.levels.set(gate.key, { calls: this.callsAt(gate.key, intervalMs) + 1, atMs, intervalMs })
    }
    if (this.levels.size <= manyKeys) return
    for (const [key, { intervalMs }] of this.levels)
      if (this.callsAt(key, intervalMs) === 0) this.levels.delete(key)
  }

  now(): number {
    return this.clock.monotonic()
  }

  after(ms: number, action: () => void): Timer {
    return this.clock.schedule(ms, action)
  }

  private waitAt(gate: GateOfStep): number {
    const { intervalMs, burst } = numbersOf(gate)
    return (this.callsAt(gate.key, intervalMs) + 1 - burst) * intervalMs
  }

  /** Returns the calls that still count for an attempt whose rate has this interval. */
  private callsAt(key: string, intervalMs: number): number {
    const level = this.levels.get(key)
    return level === undefined ? 0 : Math.max(0, level.calls - (this.now() - level.atMs) / intervalMs)
  }
}

/** Removes errors of rounding from times in milliseconds. */
const rounding = 1e-3

function numbersOf(gate: GateOfStep) {
  const { perSecond = 1, burst = Math.max(1, Math.ceil(perSecond)) } = rateOf(gate)
  return { intervalMs: 1_000 / perSecond, burst }
}
