import type { Clock } from '../../platform/index.js'
import { BackgroundLoop } from '../../platform/internal.js'
import type { Telemetry } from '../../telemetry/index.js'

export interface SweepOptions {
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly intervalMs: number
  /** Queries the store once. Returns the pause before the next query, or null at the end of the sweep. */
  readonly ask: () => Promise<number | null>
}

/** The pause after a failed query, unless the interval is shorter. */
const soonMs = 1_000

/**
 * Queries the store for work that the feed does not deliver, and for work that the feed delivered to an
 * instance that has died. Every acquired lease starts a sweep, because only a sweep finds the earlier work of
 * that lease. The sweep stays due if it fails or does not reach the end. The owner of the first range, and no
 * other instance, also starts a sweep at every interval.
 *
 * The object is idle, runs after `start`, and is idle again after `stop`. Leases may be acquired and released
 * at any time.
 */
export class Sweep {
  private readonly loop: BackgroundLoop
  private readonly held = new Map<string, { readonly isFirst: boolean }>()
  private isDue = false

  constructor(private readonly options: SweepOptions) {
    const { clock, telemetry, intervalMs } = options
    this.loop = new BackgroundLoop({
      clock,
      turn: () => this.turn(),
      onError: (error) => {
        telemetry.emit({ type: 'loop.failed', loop: 'sweep', error })
        return Math.min(soonMs, intervalMs)
      },
    })
  }

  start(): void {
    this.loop.start()
  }

  stop(): Promise<void> {
    return this.loop.stop()
  }

  leaseAcquired(leaseToken: string, isFirstRange: boolean): void {
    this.held.set(leaseToken, { isFirst: isFirstRange })
    this.isDue = true
    this.loop.wake()
  }

  leaseReleased(leaseToken: string): void {
    this.held.delete(leaseToken)
  }

  private async turn(): Promise<number> {
    const { intervalMs, ask } = this.options
    const wasDue = this.isDue
    if (!wasDue && !this.holdsFirst()) return intervalMs
    this.isDue = false
    let pauseMs: number | null = 0
    try {
      pauseMs = await ask()
      return pauseMs ?? intervalMs
    } finally {
      this.isDue ||= wasDue && pauseMs !== null
    }
  }

  private holdsFirst(): boolean {
    return [...this.held.values()].some(({ isFirst }) => isFirst)
  }
}
