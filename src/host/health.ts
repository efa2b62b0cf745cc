import type { ProcessorHealth } from '../change-feed-processor/index.js'
import type { Clock } from '../platform/index.js'

/** The result of a probe, with the problems found. */
export interface Verdict {
  readonly isWell: boolean
  readonly problems: readonly string[]
}

/** The delay of a timer from which the event loop counts as blocked. */
const blockedAfterMs = 10_000

/** The time after a block in which the process takes no new work, because it may block again. */
const stalledForMs = 60_000

/** The interval of checking the event loop. */
const lookEveryMs = 1_000

/**
 * Judges the health of a process. It is alive if its own loops turn and its event loop is not blocked. If the
 * store is down, the process is not ready but still alive, since a restart would not help (R165).
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
    /**
     * Returns why no work is done although this process is alive: the store, its account, or units that are not
     * healthy.
     */
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

  /** Sets what the start waits for, in words. */
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

  /** Returns why this process should take no new work; null when it may. */
  stalled(): string | null {
    const agoMs = this.clock.monotonic() - this.blockedAtMs
    return agoMs < stalledForMs ? `the event loop was blocked ${Math.round(agoMs)} ms ago` : null
  }

  /** Returns whether this process is alive. If not, a restart may help. */
  live(): Verdict {
    const problems = this.state === 'running' ? [...this.roles].flatMap(stuckRole) : []
    if (this.latestMs > blockedAfterMs)
      problems.push(`the event loop was blocked for ${Math.round(this.latestMs)} ms`)
    return verdict(problems)
  }

  /** Returns whether this process is doing its work. */
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
