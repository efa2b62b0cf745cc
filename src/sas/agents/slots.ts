import type { Timer } from '../../platform/index.js'
import type { GateOfStep } from '../model/gate-parts.js'
import type { Pace } from './pace.js'

export interface Candidate {
  readonly agent: string
  /** Work with a larger priority gets a slot first. */
  readonly priority: number
  /** The limits with a rate of this work. Work that had to wait starts by their rates. Default: none. */
  readonly rates?: readonly GateOfStep[]
}

/** The agent of the work that takes a slot at once, and its limits with a rate. */
export interface Taker extends Pick<Candidate, 'agent' | 'rates'> {
  /** True if the rates must allow the start of the work now, because it is late. */
  readonly isLate?: boolean
}

/** The taken slots. */
export interface SlotUsage {
  /** The number of handlers that may run at the same time. */
  readonly slots: number
  /** The number of handlers that run, without those of agents whose slots are apart. */
  readonly busy: number
  /** The agents that may not use all slots. */
  readonly limited: readonly LimitedAgent[]
}

/** An agent with its own number of slots. */
export interface LimitedAgent {
  readonly agent: string
  readonly slots: number
  readonly busy: number
}

interface Waiting extends Candidate {
  readonly offered: () => void
}

/** Every eighth free slot goes to the work that has waited longest, so that no work waits indefinitely. */
const longestWaitingEvery = 8

/**
 * A limited number of slots, in total and for each agent. Work without a slot waits. The most urgent work
 * gets a slot first. Equally urgent work gets slots in the order of arrival (R125, R126).
 */
export class Slots {
  private taken = 0
  private given = 0
  private readonly takenBy = new Map<string, number>()
  private readonly line: Waiting[] = []
  /** The next time at which a rate allows waiting work to start. */
  private look: { readonly atMs: number; readonly timer: Timer } | null = null

  /**
   * @param pace the rates of the work
   * @param limits the number of slots for each agent that may not use all slots
   * @param apart the agents among them whose slots do not count towards the total
   */
  constructor(
    private readonly count: number,
    private readonly pace: Pace,
    private readonly limits: ReadonlyMap<string, number> = new Map(),
    private readonly apart: ReadonlySet<string> = new Set(),
  ) {}

  /** Returns how many slots are taken, in total and by each agent that may not use all slots. */
  usage(): SlotUsage {
    const limited = [...this.limits].map(([agent, slots]) => {
      return { agent, slots, busy: this.takenBy.get(agent) ?? 0 }
    })
    return { slots: this.count, busy: this.taken, limited }
  }

  /** Waits for a slot. Resolves to true with a slot, or to false if `signal` aborted first. */
  async take(signal: AbortSignal, candidate: Candidate): Promise<boolean> {
    if (signal.aborted) return false
    if (this.takeFree({ ...candidate, isLate: true })) return true
    return new Promise((resolve) => {
      const offered = (): void => {
        signal.removeEventListener('abort', leave)
        resolve(true)
      }
      const waiting = { ...candidate, offered }
      const leave = (): void => {
        this.line.splice(this.line.indexOf(waiting), 1)
        if (this.line.length === 0) this.stopLooking()
        resolve(false)
      }
      signal.addEventListener('abort', leave, { once: true })
      this.line.push(waiting)
      const { agent, rates = [] } = candidate
      if (rates.length > 0 && this.hasRoomFor(agent)) this.lookAfter(this.pace.waitMs(rates))
    })
  }

  /**
   * Takes a slot if one is free. Waiting work does not miss a slot, because `release` offers each slot to the waiting
   * work first. Late work does not pass work that waits for the same rate.
   */
  takeFree({ agent, rates = [], isLate = false }: Taker): boolean {
    if (!this.hasRoomFor(agent)) return false
    if (isLate && rates.length > 0 && (this.pace.waitMs(rates) > 0 || this.isAwaited(rates))) return false
    this.give({ agent, rates, isLate })
    return true
  }

  private isAwaited(rates: readonly GateOfStep[]): boolean {
    const keys = new Set(rates.map(({ key }) => key))
    return this.line.some((waiting) => waiting.rates?.some(({ key }) => keys.has(key)) === true)
  }

  private give({ agent, rates = [], isLate = false }: Taker): void {
    if (!this.apart.has(agent)) this.taken += 1
    this.takenBy.set(agent, (this.takenBy.get(agent) ?? 0) + 1)
    this.pace.called(rates, isLate)
  }

  /** Checks whether work of this agent waits for a slot. */
  isAwaitedBy(agent: string): boolean {
    return this.line.some((waiting) => waiting.agent === agent)
  }

  /** Frees a slot of this agent, and gives the slot to the first waiting work that may use it. */
  release(agent: string): void {
    if (!this.apart.has(agent)) this.taken -= 1
    this.takenBy.set(agent, (this.takenBy.get(agent) ?? 0) - 1)
    this.offerFree()
  }

  /** Gives the free slots to the waiting work that may start now, and looks again when a rate allows further work. */
  private offerFree(): void {
    for (let next = this.next(); next !== undefined; next = this.next()) {
      this.line.splice(this.line.indexOf(next), 1)
      this.give({ ...next, isLate: true })
      this.given += 1
      next.offered()
    }
    this.stopLooking()
    const soonestMs = this.line.reduce((soonest, { agent, rates = [] }) => {
      if (rates.length === 0 || !this.hasRoomFor(agent)) return soonest
      return Math.min(soonest, this.pace.waitMs(rates))
    }, Infinity)
    if (soonestMs < Infinity) this.lookAfter(soonestMs)
  }

  private stopLooking(): void {
    this.look?.timer.cancel()
    this.look = null
  }

  private lookAfter(ms: number): void {
    const atMs = this.pace.now() + ms
    if (this.look !== null && this.look.atMs <= atMs) return
    this.stopLooking()
    const timer = this.pace.after(ms, () => {
      this.look = null
      this.offerFree()
    })
    this.look = { atMs, timer }
  }

  private hasRoomFor(agent: string): boolean {
    const hasOwnRoom = (this.takenBy.get(agent) ?? 0) < (this.limits.get(agent) ?? this.count)
    return hasOwnRoom && (this.apart.has(agent) || this.taken < this.count)
  }

  private next(): Waiting | undefined {
    const able = this.line.filter(({ agent, rates = [] }) => {
      return this.hasRoomFor(agent) && (rates.length === 0 || this.pace.waitMs(rates) === 0)
    })
    if ((this.given + 1) % longestWaitingEvery === 0) return able[0]
    return able.reduce<Waiting | undefined>(
      (first, waiting) => (first !== undefined && first.priority >= waiting.priority ? first : waiting),
      undefined,
    )
  }
}

/** Returns the number of slots for each agent that may not use all slots, by the names of the agents. */
export function limitsOf(
  agents: Iterable<{ readonly name: string; readonly slots: number | null }>,
): ReadonlyMap<string, number> {
  const limits = [...agents].flatMap(({ name, slots }) => (slots === null ? [] : [[name, slots] as const]))
  return new Map(limits)
}
