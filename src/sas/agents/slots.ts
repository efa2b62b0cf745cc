/** Who wants a place, and how urgently. */
export interface Candidate {
  readonly agent: string
  /** Larger goes first. */
  readonly priority: number
}

interface Waiting extends Candidate {
  readonly offered: () => void
}

/** Every eighth place goes to the work that has waited longest, so that urgent work cannot delay the rest forever. */
const longestWaitingEvery = 8

/**
 * A bounded number of places for work, in total and for each agent. Work that finds no place waits: the most urgent
 * first, equally urgent work in the order in which it came (R125, R126).
 */
export class Slots {
  private taken = 0
  private given = 0
  private readonly takenBy = new Map<string, number>()
  private readonly line: Waiting[] = []

  /** `limits`: places for agents that must not have all of them. */
  constructor(
    private readonly count: number,
    private readonly limits: ReadonlyMap<string, number> = new Map(),
  ) {}

  /** Places in use. */
  get inUse(): number {
    return this.taken
  }

  /** Resolves to true with a place, or to false when `signal` aborted first. */
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

  /** Takes a place for this agent if one is free. No work waits for a free place, because places are passed on at once. */
  takeFree(agent: string): boolean {
    if (!this.hasRoomFor(agent)) return false
    this.taken += 1
    this.takenBy.set(agent, (this.takenBy.get(agent) ?? 0) + 1)
    return true
  }

  /** Gives a place of this agent back: to the first in line who may have it. */
  release(agent: string): void {
    this.taken -= 1
    this.takenBy.set(agent, (this.takenBy.get(agent) ?? 0) - 1)
    const next = this.next()
    if (next === undefined || !this.takeFree(next.agent)) return
    this.line.splice(this.line.indexOf(next), 1)
    next.offered()
  }

  private hasRoomFor(agent: string): boolean {
    return this.taken < this.count && (this.takenBy.get(agent) ?? 0) < (this.limits.get(agent) ?? this.count)
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
