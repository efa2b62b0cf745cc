import { BackgroundLoop, type Clock } from '../../platform/index.js'
import type { Telemetry } from '../../telemetry/index.js'

/** What a sweep asks, and how often. */
export interface SweepOptions {
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly intervalMs: number
  /** Asks the store once; answers in how many milliseconds to ask again: less than the interval when there is more. */
  readonly ask: () => Promise<number>
}

/** How soon a store that could not be asked is asked again. */
const soonMs = 1_000

/**
 * Asks the store for what the feed does not deliver, or delivered to an instance that has died. It asks on every acquired
 * lease. Every interval, the holder of the first range asks, so that only one instance does. Only this sweep finds
 * the work of a new lease, so a sweep that failed or did not get to the end stays due.
 *
 * States: idle → running (`start`) → idle (`stop`). Leases may come and go in any of them.
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

  holds(leaseToken: string): boolean {
    return this.held.has(leaseToken)
  }

  private async turn(): Promise<number> {
    const { intervalMs, ask } = this.options
    const wasDue = this.isDue
    if (!wasDue && !this.holdsFirst()) return intervalMs
    this.isDue = false
    let isComplete = false
    try {
      const restMs = await ask()
      isComplete = restMs >= intervalMs
      return restMs
    } finally {
      this.isDue ||= wasDue && !isComplete
    }
  }

  private holdsFirst(): boolean {
    return [...this.held.values()].some(({ isFirst }) => isFirst)
  }
}
