import type { Clock, Timer } from '../../platform/index.js'
import type { StepDocument } from '../model/documents.js'
import { rateOf, type GateOfStep } from '../model/gate-parts.js'

/** The rate of a key, by which the times of attempts were given. */
export interface Rate {
  /** Tells the rates of keys apart. */
  readonly name: string
  readonly intervalMs: number
  readonly burst: number
}

/** The largest number of rates that are remembered, before those are removed whose calls no longer count. */
const manyRates = 1_000

/** A call at the time of its rate may be a bit early, because the call before came a bit late. */
const leastEarlyMs = 10

/**
 * Counts the calls of this process by the rates of their limits, with the generic cell rate algorithm, as the limits do. Attempts
 * of one key whose times were given at different rates are counted apart. So a change of the rate slows down no attempts.
 */
export class Pace {
  /** The time until which the calls so far use up the rate, by the name of the rate. */
  private readonly busyUntilMs = new Map<string, number>()

  constructor(private readonly clock: Pick<Clock, 'monotonic' | 'schedule'>) {}

  /** Returns the time until the rate allows a call, in milliseconds. */
  waitMs({ name, intervalMs, burst }: Rate): number {
    const busyUntilMs = this.busyUntilMs.get(name)
    if (busyUntilMs === undefined) return 0
    return Math.max(0, Math.ceil(busyUntilMs - (burst - 1) * intervalMs - this.now() - rounding))
  }

  /** Checks whether the rate allows a call now, or so soon that the difference does not matter. */
  allowsNearly(rate: Rate): boolean {
    return this.waitMs(rate) <= Math.max(leastEarlyMs, rate.intervalMs / 2)
  }

  called({ name, intervalMs }: Rate): void {
    const now = this.now()
    this.busyUntilMs.set(name, Math.max(now, this.busyUntilMs.get(name) ?? now) + intervalMs)
    if (this.busyUntilMs.size <= manyRates) return
    for (const [known, untilMs] of this.busyUntilMs) if (untilMs <= now) this.busyUntilMs.delete(known)
  }

  now(): number {
    return this.clock.monotonic()
  }

  after(ms: number, action: () => void): Timer {
    return this.clock.schedule(ms, action)
  }
}

/** Removes errors of rounding from times in milliseconds. */
const rounding = 1e-3

/** Returns the rate of a limit, by which it gave the time of the attempt. */
export function rateAt(gate: GateOfStep): Rate {
  const { perSecond = 1, burst = Math.max(1, Math.ceil(perSecond)) } = rateOf(gate)
  return { name: JSON.stringify([gate.key, perSecond, burst]), intervalMs: 1_000 / perSecond, burst }
}

/** Returns the limits of a step that have a rate. An undo has none. */
export function ratesOf({ place, direction }: StepDocument): readonly GateOfStep[] {
  if (place === undefined || direction === 'undo') return none
  return place.gates.filter((gate) => rateOf(gate).perSecond !== undefined)
}

const none: readonly GateOfStep[] = []
