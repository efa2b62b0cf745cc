import type { ProcessorHealth } from '../change-feed-processor/index.js'
import type { Clock } from '../platform/index.js'

/** An answer to a probe: whether all is well, and if not, why. */
export interface Verdict {
  readonly isWell: boolean
  readonly problems: readonly string[]
}

/** How late a timer may be before the event loop counts as blocked. */
const blockedAfterMs = 10_000

/** How long after that it takes no new work: what blocked it may do so again. */
const stalledForMs = 60_000

/** How often the event loop is looked at. */
const lookEveryMs = 1_000

/**
 * What a process knows of its own health. Alive is about this process only: its loops turn, its event loop is not
 * blocked. A store that is down makes it less than ready, never less than alive, since a restart would not help (R165).
 *
 * States: starting → running (`started`) → stopping (`stopping`).
 */
export class Health {
  private state: 'starting' | 'running' | 'stopping' = 'starting'
  private waitingFor: string | null = null
  private readonly roles = new Map<string, () => ProcessorHealth>()
  private lookedAtMs: number
  private latestMs = 0
  private blockedAtMs = Number.NEGATIVE_INFINITY

  constructor(
    private readonly clock: Clock,
    /** Reasons why no work is done although this process is alive: the store, or units that are not healthy. */
    private readonly troubles: () => readonly string[],
  ) {
    this.lookedAtMs = clock.monotonic()
  }

  /** Watches the event loop until `signal` aborts. */
  async watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.clock.sleep(lookEveryMs, signal)
      const nowMs = this.clock.monotonic()
      this.latestMs = Math.max(0, nowMs - this.lookedAtMs - lookEveryMs)
      this.lookedAtMs = nowMs
      if (this.latestMs > blockedAfterMs) this.blockedAtMs = nowMs
    }
  }

  /** What the start waits for, in words. */
  waits(reason: string): void {
    this.waitingFor = reason
  }

  /** Includes the health of a role's processor from now on. */
  watchRole(role: string, health: () => ProcessorHealth): void {
    this.roles.set(role, health)
  }

  started(): void {
    this.state = 'running'
    this.waitingFor = null
  }

  stopping(): void {
    this.state = 'stopping'
  }

  /** Why this process should take no new work; null when it may. */
  stalled(): string | null {
    const agoMs = this.clock.monotonic() - this.blockedAtMs
    return agoMs < stalledForMs ? `the event loop was blocked ${Math.round(agoMs)} ms ago` : null
  }

  /** Whether this process should be left alone. */
  live(): Verdict {
    const problems = this.state === 'running' ? [...this.roles].flatMap(stuckRole) : []
    if (this.latestMs > blockedAfterMs)
      problems.push(`the event loop was blocked for ${Math.round(this.latestMs)} ms`)
    return verdict(problems)
  }

  /** Whether work is being done. */
  ready(): Verdict {
    const problems = [
      ...(this.state === 'starting' ? [this.waitingFor ?? 'starting'] : []),
      ...(this.state === 'stopping' ? ['stopping'] : []),
      ...this.troubles(),
    ]
    return verdict([...problems, ...this.live().problems])
  }
}

function stuckRole([role, health]: readonly [string, () => ProcessorHealth]): string[] {
  const { isAlive, lastTurn } = health()
  if (isAlive) return []
  const since = lastTurn === null ? 'since it started' : `since ${lastTurn.toISOString()}`
  return [`role ${role} has not looked at its leases ${since}`]
}

function verdict(problems: readonly string[]): Verdict {
  return { isWell: problems.length === 0, problems }
}
