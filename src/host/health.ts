import type { Clock } from '../platform/index.js'

/** An answer to a probe: whether all is well, and if not, why. */
export interface Verdict {
  readonly isWell: boolean
  readonly problems: readonly string[]
}

/** Cycles of the load balancer that may be missing before its loop counts as dead. */
const missedCycles = 4
/** A process whose timers come this late is doing something else than its work. */
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
  private readonly cycles = new Map<string, number>()
  private lookedAtMs: number
  private latestMs = 0
  private blockedAtMs = Number.NEGATIVE_INFINITY

  constructor(
    private readonly clock: Clock,
    private readonly cycleMs: number,
    /** What keeps work from being done though this process lives: the store, or units that are not well. */
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

  /** A role's loop has begun a cycle, whatever becomes of it. */
  beat(role: string): void {
    this.cycles.set(role, this.clock.monotonic())
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
    const nowMs = this.clock.monotonic()
    const problems = [...this.cycles]
      .filter(([, beatMs]) => this.state === 'running' && nowMs - beatMs > missedCycles * this.cycleMs)
      .map(
        ([role, beatMs]) => `the ${role} has not looked at its leases for ${Math.round(nowMs - beatMs)} ms`,
      )
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

function verdict(problems: readonly string[]): Verdict {
  return { isWell: problems.length === 0, problems }
}
