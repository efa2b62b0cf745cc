import type { Clock } from '../platform/index.js'

/** If a timer is this late, the event loop counts as blocked. */
const blockedAfterMs = 10_000

/** The time after a block in which the process takes no new work, because the loop may be blocked again. */
const restMs = 60_000

const lookEveryMs = 1_000

/** Measures how late the timers of this process fire. A late timer shows that the event loop was blocked. */
export class EventLoopWatch {
  private lookedAtMs: number
  private latestBlockMs: number | null = null
  private blockedAtMs = Number.NEGATIVE_INFINITY

  constructor(private readonly clock: Clock) {
    this.lookedAtMs = clock.monotonic()
  }

  async watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.clock.sleep(lookEveryMs, signal)
      const nowMs = this.clock.monotonic()
      const lateMs = nowMs - this.lookedAtMs - lookEveryMs
      this.lookedAtMs = nowMs
      this.latestBlockMs = lateMs > blockedAfterMs ? lateMs : null
      if (this.latestBlockMs !== null) this.blockedAtMs = nowMs
    }
  }

  /** The length in milliseconds of the block that the last check found, or null if there was none. */
  get blockedMs(): number | null {
    return this.latestBlockMs
  }

  /** Returns the reason why this process should take no new work, or null. */
  unhealthyReason(): string | null {
    const agoMs = this.clock.monotonic() - this.blockedAtMs
    return agoMs < restMs ? `the event loop was blocked ${Math.round(agoMs)} ms ago` : null
  }
}
