import type { Timer } from '../../platform/index.js'
import { rateAt, type Pace, type Rate } from './pace.js'
import {
  groupName,
  longestWaitingEvery,
  WaitingWork,
  type Candidate,
  type Taker,
  type Waiting,
} from './waiting-work.js'

export type { Candidate, Taker } from './waiting-work.js'

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

/**
 * A limited number of slots, in total and for each agent. Work waits until its rates allow the start and a slot is free. The
 * most urgent work gets a slot first. Equally urgent work gets slots in the order of arrival (R125, R126).
 *
 * Waiting work of one agent with the same rates is a group. For its next start, the group takes a call from each of its rates,
 * one after another, while a slot is free or after it has missed one (ADR 0092). Otherwise, work with several rates, or with few
 * slots, would never find all of them free at once.
 */
export class Slots {
  private taken = 0
  private given = 0
  private arrived = 0
  private readonly takenBy = new Map<string, number>()
  /** The groups of waiting work, by name. */
  private readonly groups = new Map<string, WaitingWork>()
  /** Those whose rates allow a start. */
  private readonly ready = new Set<WaitingWork>()
  /** Those that wait for a rate. They take turns. */
  private readonly lacking = new Set<WaitingWork>()
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
    if (this.takeFree(candidate)) return true
    return new Promise((resolve) => {
      const offered = (): void => {
        signal.removeEventListener('abort', leave)
        resolve(true)
      }
      this.arrived += 1
      const waiting = { priority: candidate.priority, arrival: this.arrived, offered }
      const group = this.joined(candidate, waiting)
      const leave = (): void => {
        group.remove(waiting)
        if (group.size === 0) this.forget(group)
        resolve(false)
      }
      signal.addEventListener('abort', leave, { once: true })
    })
  }

  /**
   * Takes a slot if one is free and the rates allow it. Waiting work does not miss a slot, because `release` offers each slot
   * to the waiting work first. Work does not pass other work that waits for the same rate.
   */
  takeFree(taker: Taker): boolean {
    const { agent, rates: gates = [] } = taker
    if (!this.hasRoomFor(agent)) return false
    if (gates.length > 0) {
      const rates = gates.map(rateAt)
      if (rates.some((rate) => this.isWanted(rate) || !this.pace.allowsNearly(rate))) return false
      if (this.groups.has(groupName(taker))) return false
      for (const rate of rates) this.pace.called(rate)
    }
    this.give(agent)
    return true
  }

  /**
   * Checks whether work of this agent finds a free slot after other work has found some, and after one has become free.
   *
   * @param others the agents of the other work
   * @param ended the agent of the work whose slot becomes free, or null
   */
  willHaveRoomFor(agent: string, others: Iterable<string>, ended: string | null): boolean {
    if (this.groups.size > 0) return false
    let [ofAll, ofAgent] = [this.apart.has(agent) ? 0 : 1, 1]
    for (const name of others) {
      if (!this.apart.has(name)) ofAll += 1
      if (name === agent) ofAgent += 1
    }
    const freed = ended === null || this.apart.has(ended) ? 0 : 1
    const limit = this.limits.get(agent) ?? Infinity
    const busy = (this.takenBy.get(agent) ?? 0) - (ended === agent ? 1 : 0)
    return this.taken - freed + ofAll <= this.count && busy + ofAgent <= limit
  }

  private give(agent: string): void {
    if (!this.apart.has(agent)) this.taken += 1
    this.takenBy.set(agent, (this.takenBy.get(agent) ?? 0) + 1)
  }

  /** Checks whether work of this agent waits for a slot. */
  isAwaitedBy(agent: string): boolean {
    return [...this.groups.values()].some((group) => group.agent === agent)
  }

  /** Frees a slot of this agent, and gives the slot to the first waiting work that may use it. */
  release(agent: string): void {
    if (!this.apart.has(agent)) this.taken -= 1
    this.takenBy.set(agent, (this.takenBy.get(agent) ?? 0) - 1)
    this.offerFree()
  }

  /** Checks whether a group may take calls from its rates: if a slot is free, or was free when a rate did not allow a call. */
  private mayTake(group: WaitingWork): boolean {
    return this.hasRoomFor(group.agent) || group.hasMissedSlot
  }

  private isWanted({ name }: Rate): boolean {
    return [...this.lacking].some((group) => this.mayTake(group) && group.missing[0]?.name === name)
  }

  /** Gives the free slots to the waiting work that may start now. */
  private offerFree(): void {
    this.takeAllCalls()
    for (const group of this.lacking) if (this.hasRoomFor(group.agent)) group.hasMissedSlot = true
    for (let next = this.next(); next !== undefined; next = this.next()) {
      const { group, waiting } = next
      this.ready.delete(group)
      if (group.hasCurrentCalls(this.pace)) this.start(group, waiting)
      else this.lacking.add(group)
      if (group.rates.length > 0) this.takeAllCalls()
    }
  }

  private start(group: WaitingWork, waiting: Waiting): void {
    for (const rate of group.start(waiting, this.pace)) this.pace.called(rate)
    this.give(group.agent)
    this.given += 1
    if (group.size === 0) this.forget(group)
    else this.waits(group)
    waiting.offered()
  }

  /** Lets the groups take calls from the rates that allow it, and looks again when another rate does. */
  private takeAllCalls(): void {
    this.stopLooking()
    for (const group of this.lacking) if (this.mayTake(group)) this.takeCalls(group)
  }

  /** Lets a group take calls, from the lowest rate first. So it does not hold calls of a high rate while it waits for a low one. */
  private takeCalls(group: WaitingWork): void {
    for (const rate of group.missing) {
      const waitMs = this.pace.waitMs(rate)
      if (waitMs > 0) {
        this.lookAfter(waitMs)
        return
      }
      this.pace.called(rate)
      group.takes(rate, this.pace.now())
    }
    this.lacking.delete(group)
    this.ready.add(group)
  }

  /** Adds work to its group, and returns the group. */
  private joined(taker: Taker, waiting: Waiting): WaitingWork {
    const name = groupName(taker)
    const known = this.groups.get(name)
    const group = known ?? new WaitingWork(name, taker.agent, taker.rates ?? [])
    group.add(waiting)
    if (known === undefined) {
      this.groups.set(name, group)
      this.waits(group)
      const [first] = group.missing
      if (first !== undefined && this.hasRoomFor(group.agent)) this.lookAfter(this.pace.waitMs(first))
    }
    return group
  }

  /** Notes that a group waits: for its rates, or only for a slot. */
  private waits(group: WaitingWork): void {
    const line = group.rates.length === 0 ? this.ready : this.lacking
    line.add(group)
  }

  private forget(group: WaitingWork): void {
    this.lacking.delete(group)
    this.ready.delete(group)
    this.groups.delete(group.name)
    if (this.lacking.size === 0) this.stopLooking()
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

  /** Returns the work that starts next, with its group. */
  private next(): { readonly group: WaitingWork; readonly waiting: Waiting } | undefined {
    const able = [...this.ready].filter(({ agent }) => this.hasRoomFor(agent))
    const isForLongest = (this.given + 1) % longestWaitingEvery === 0
    const [first, ...others] = able.map((group) => ({ group, waiting: group.next(isForLongest) }))
    if (first === undefined) return undefined
    return others.reduce((best, each) => {
      const [one, other] = [each.waiting, best.waiting]
      const isMoreUrgent = !isForLongest && one.priority !== other.priority
      return (isMoreUrgent ? one.priority > other.priority : one.arrival < other.arrival) ? each : best
    }, first)
  }
}

/** Returns the number of slots for each agent that may not use all slots, by the names of the agents. */
export function limitsOf(
  agents: Iterable<{ readonly name: string; readonly slots: number | null }>,
): ReadonlyMap<string, number> {
  const limits = [...agents].flatMap(({ name, slots }) => (slots === null ? [] : [[name, slots] as const]))
  return new Map(limits)
}
