import type { Timer } from '../../platform/index.js'
import { rateOf, type GateOfStep } from '../model/gate-parts.js'
import type { Pace } from './pace.js'

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

/** Waiting work of one agent with the same rates. */
interface Group extends Required<Taker> {
  size: number
}

interface Waiting {
  readonly priority: number
  readonly group: Group
  readonly offered: () => void
}

/** Every eighth free slot goes to the work that has waited longest, so that no work waits indefinitely. */
const longestWaitingEvery = 8

/**
 * A limited number of slots, in total and for each agent. Work waits until a slot is free and its rates allow the start. The
 * most urgent work gets a slot first. Equally urgent work gets slots in the order of arrival (R125, R126).
 */
export class Slots {
  private taken = 0
  private given = 0
  private readonly takenBy = new Map<string, number>()
  private readonly line: Waiting[] = []
  private readonly groups = new Map<string, Group>()
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
      const waiting = { priority: candidate.priority, group: this.groupOf(candidate), offered }
      const leave = (): void => {
        this.leaveLine(waiting)
        if (this.line.length === 0) this.stopLooking()
        resolve(false)
      }
      signal.addEventListener('abort', leave, { once: true })
      waiting.group.size += 1
      this.line.push(waiting)
      this.lookWhenAllowed()
    })
  }

  /**
   * Takes a slot if one is free and the rates allow it. Waiting work does not miss a slot, because `release` offers each slot
   * to the waiting work first. Work does not pass other work that waits for the same rate and may start as soon.
   */
  takeFree({ agent, rates = [] }: Taker): boolean {
    if (!this.hasRoomFor(agent)) return false
    if (rates.length > 0 && (!this.pace.allowsNearly(rates) || this.isAwaited(rates))) return false
    this.give({ agent, rates })
    return true
  }

  /** Checks whether waiting work may start now or soon by one of these rates. */
  private isAwaited(rates: readonly GateOfStep[]): boolean {
    return [...this.groups.values()].some((group) => {
      const isShared = group.rates.some(({ key }) => rates.some((rate) => rate.key === key))
      return isShared && this.hasRoomFor(group.agent) && this.pace.allowsNearly(group.rates)
    })
  }

  private groupOf({ agent, rates = [] }: Taker): Group {
    const name = nameOf({ agent, rates })
    const group = this.groups.get(name) ?? { agent, rates, size: 0 }
    this.groups.set(name, group)
    return group
  }

  private leaveLine(waiting: Waiting): void {
    const { group } = waiting
    this.line.splice(this.line.indexOf(waiting), 1)
    group.size -= 1
    if (group.size === 0) this.groups.delete(nameOf(group))
  }

  private give({ agent, rates }: Required<Taker>): void {
    if (!this.apart.has(agent)) this.taken += 1
    this.takenBy.set(agent, (this.takenBy.get(agent) ?? 0) + 1)
    this.pace.called(rates)
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

  /** Gives the free slots to the waiting work that may start now, and looks again when a rate allows further work. */
  private offerFree(): void {
    for (let next = this.next(); next !== undefined; next = this.next()) {
      this.leaveLine(next)
      this.give(next.group)
      this.given += 1
      next.offered()
    }
    this.stopLooking()
    this.lookWhenAllowed()
  }

  /** Looks again when the rates of waiting work allow its start. Work without a free slot is offered one when it is freed. */
  private lookWhenAllowed(): void {
    const rated = [...this.groups.values()].filter(({ agent, rates }) => {
      return rates.length > 0 && this.hasRoomFor(agent)
    })
    if (rated.length === 0) return
    this.lookAfter(Math.min(...rated.map(({ rates }) => this.pace.waitMs(rates))))
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
    const able = new Set([...this.groups.values()].filter((group) => this.mayStart(group)))
    if (able.size === 0) return undefined
    const waiting = this.line.filter(({ group }) => able.has(group))
    if ((this.given + 1) % longestWaitingEvery === 0) return waiting[0]
    return waiting.reduce((first, each) => (each.priority > first.priority ? each : first))
  }

  private mayStart({ agent, rates }: Group): boolean {
    return this.hasRoomFor(agent) && (rates.length === 0 || this.pace.waitMs(rates) === 0)
  }
}

/** Returns the name of the group of work. */
function nameOf({ agent, rates }: Required<Taker>): string {
  return rates.length === 0 ? agent : JSON.stringify([agent, rates.map((gate) => [gate.key, rateOf(gate)])])
}

/** Returns the number of slots for each agent that may not use all slots, by the names of the agents. */
export function limitsOf(
  agents: Iterable<{ readonly name: string; readonly slots: number | null }>,
): ReadonlyMap<string, number> {
  const limits = [...agents].flatMap(({ name, slots }) => (slots === null ? [] : [[name, slots] as const]))
  return new Map(limits)
}
