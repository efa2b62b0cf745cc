import type { GateOfStep } from '../model/gate-parts.js'
import { rateAt, type Pace, type Rate } from './pace.js'

/** The agent of the work that takes a slot, and its limits with a rate. */
export interface Taker {
  readonly agent: string
  /** The limits with a rate of this work. It starts by these rates. Default: none. */
  readonly rates?: readonly GateOfStep[]
}

export interface Candidate extends Taker {
  /** Work with a larger priority gets a slot first. */
  readonly priority: number
}

/** Work that waits. */
export interface Waiting {
  readonly priority: number
  /** The number of its arrival among all work. */
  readonly arrival: number
  readonly offered: () => void
}

/** Every eighth start goes to the work that has waited longest, so that no work waits indefinitely. */
export const longestWaitingEvery = 8

/** Waiting work of one agent with the same rates, and the calls that it has taken from these rates for its next start. */
export class WaitingWork {
  /** The rates, lowest first. */
  readonly rates: readonly Rate[]
  private readonly line: Waiting[] = []
  private started = 0
  /** A slot was free for this group, but not its rates. So it takes calls before it has a slot. */
  hasMissedSlot = false
  /** The times at which calls were taken for the next start, by rate. */
  private readonly calls = new Map<Rate, number>()

  constructor(
    readonly name: string,
    readonly agent: string,
    gates: readonly GateOfStep[],
  ) {
    this.rates = gates.map(rateAt).sort((one, other) => other.intervalMs - one.intervalMs)
  }

  get size(): number {
    return this.line.length
  }

  /** The rates from which no call was taken yet. */
  get missing(): readonly Rate[] {
    return this.rates.filter((rate) => !this.calls.has(rate))
  }

  takes(rate: Rate, atMs: number): void {
    this.calls.set(rate, atMs)
  }

  add(waiting: Waiting): void {
    this.line.push(waiting)
  }

  remove(waiting: Waiting): void {
    this.line.splice(this.line.indexOf(waiting), 1)
  }

  /** Returns the work that starts next. The group must not be empty. */
  next(isForLongest: boolean): Waiting {
    const [oldest, ...others] = this.line
    if (oldest === undefined) throw new Error(`no work of ${this.name} waits`)
    if (isForLongest || (this.rates.length > 0 && (this.started + 1) % longestWaitingEvery === 0))
      return oldest
    return others.reduce((first, each) => (each.priority > first.priority ? each : first), oldest)
  }

  /**
   * Checks whether the calls of this group still count, or may be counted again. Calls that were taken long before, because no
   * slot was free, are given up if others have used the rate meanwhile. Otherwise many groups with such calls would start together.
   */
  hasCurrentCalls(pace: Pace): boolean {
    const lost = this.past(pace).filter((rate) => pace.waitMs(rate) > rate.intervalMs)
    for (const rate of lost) this.calls.delete(rate)
    return lost.length === 0
  }

  /** Notes that work of this group starts. Returns the rates whose calls are counted again. */
  start(waiting: Waiting, pace: Pace): readonly Rate[] {
    const past = this.past(pace)
    this.remove(waiting)
    this.started += 1
    this.calls.clear()
    this.hasMissedSlot = false
    return past
  }

  /** Returns the rates whose calls were taken so long before that they do not count any more. */
  private past(pace: Pace): readonly Rate[] {
    const past = [...this.calls].filter(([{ intervalMs }, takenMs]) => takenMs + intervalMs <= pace.now())
    return past.map(([rate]) => rate)
  }
}

/** Returns the name of the group of work with these rates. */
export function groupName({ agent, rates = [] }: Taker): string {
  return rates.length === 0 ? agent : JSON.stringify([agent, rates.map((gate) => rateAt(gate).name)])
}
