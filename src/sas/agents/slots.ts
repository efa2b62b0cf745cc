export interface Candidate {
  readonly agent: string
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

  /**
   * @param limits the number of slots for each agent that may not use all slots
   * @param apart the agents among them whose slots do not count towards the total
   */
  constructor(
    private readonly count: number,
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
    if (this.takeFree(candidate.agent)) return true
    return new Promise((resolve) => {
      const offered = (): void => {
        signal.removeEventListener('abort', leave)
        resolve(true)
      }
      const waiting = { ...candidate, offered }
      const leave = (): void => {
        this.line.splice(this.line.indexOf(waiting), 1)
        resolve(false)
      }
      signal.addEventListener('abort', leave, { once: true })
      this.line.push(waiting)
    })
  }

  /**
   * Takes a slot for this agent if one is free. Waiting work does not miss a slot, because `release` offers
   * each slot to the waiting work first.
   */
  takeFree(agent: string): boolean {
    if (!this.hasRoomFor(agent)) return false
    if (!this.apart.has(agent)) this.taken += 1
    this.takenBy.set(agent, (this.takenBy.get(agent) ?? 0) + 1)
    return true
  }

  /** Checks whether work of this agent waits for a slot. */
  isAwaitedBy(agent: string): boolean {
    return this.line.some((waiting) => waiting.agent === agent)
  }

  /** Frees a slot of this agent, and gives the slot to the first waiting work that may use it. */
  release(agent: string): void {
    if (!this.apart.has(agent)) this.taken -= 1
    this.takenBy.set(agent, (this.takenBy.get(agent) ?? 0) - 1)
    const next = this.next()
    if (next === undefined || !this.takeFree(next.agent)) return
    this.line.splice(this.line.indexOf(next), 1)
    next.offered()
  }

  private hasRoomFor(agent: string): boolean {
    const hasOwnRoom = (this.takenBy.get(agent) ?? 0) < (this.limits.get(agent) ?? this.count)
    return hasOwnRoom && (this.apart.has(agent) || this.taken < this.count)
  }

  private next(): Waiting | undefined {
    const able = this.line.filter(({ agent }) => this.hasRoomFor(agent))
    this.given += 1
    if (this.given % longestWaitingEvery === 0) return able[0]
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
