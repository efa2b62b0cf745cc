import type { Unit } from '../sas/internal.js'
import type { EventLoopWatch } from './event-loop-watch.js'

export interface Verdict {
  readonly isHealthy: boolean
  readonly problems: readonly string[]
}

/** Returns the verdict for these problems, which is healthy if there are none. */
export function verdict(problems: readonly string[] = []): Verdict {
  return { isHealthy: problems.length === 0, problems }
}

/** A part of the process that may be unable to work while the process itself is alive. */
export interface HealthSource {
  /** Returns the reason why the part cannot work at the moment, or null. */
  unhealthyReason(): string | null
}

export type WatchedUnit = Pick<Unit, 'health' | 'unhealthyReason'>

/**
 * Judges the health of a process. It is alive if its own loops run and its event loop is not blocked. While
 * the store is down, the process is not ready but still alive, because a restart would not help (R165).
 *
 * States: starting → running (`started`) → stopping (`stopping`).
 */
export class Health {
  private notRunning: string | null = 'starting'
  private readonly sources: HealthSource[] = []
  private readonly units = new Map<string, WatchedUnit>()

  constructor(private readonly eventLoop: Pick<EventLoopWatch, 'blockedMs'>) {}

  /** Sets the reason, in words, why the start waits. */
  waits(reason: string): void {
    this.notRunning = reason
  }

  started(): void {
    this.notRunning = null
  }

  stopping(): void {
    this.notRunning = 'stopping'
  }

  watch(source: HealthSource): void {
    this.sources.push(source)
  }

  watchUnit(role: string, unit: WatchedUnit): void {
    this.units.set(role, unit)
  }

  /** Returns whether this process is alive. If not, a restart may help. */
  live(): Verdict {
    const problems = this.notRunning === null ? [...this.units].flatMap(stuckUnit) : []
    const { blockedMs } = this.eventLoop
    if (blockedMs !== null) problems.push(`the event loop was blocked for ${Math.round(blockedMs)} ms`)
    return verdict(problems)
  }

  /** Returns whether this process is doing its work. */
  ready(): Verdict {
    const problems = [
      this.notRunning,
      ...this.sources.map((source) => source.unhealthyReason()),
      ...[...this.units].map(idleUnit),
      ...this.live().problems,
    ]
    return verdict(problems.filter((problem) => problem !== null))
  }
}

function stuckUnit([role, unit]: readonly [string, WatchedUnit]): string[] {
  const { isAlive, lastTurn } = unit.health()
  if (isAlive) return []
  const since = lastTurn === null ? 'since it started' : `since ${lastTurn.toISOString()}`
  return [`role ${role} has not looked at its leases ${since}`]
}

function idleUnit([role, unit]: readonly [string, WatchedUnit]): string | null {
  const reason = unit.unhealthyReason()
  return reason === null ? null : `role ${role} takes no work here: ${reason}`
}
