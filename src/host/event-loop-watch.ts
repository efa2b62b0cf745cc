import process from 'node:process'
import type { Clock } from '../platform/index.js'

/** If a timer is this late, the event loop counts as blocked. */
const blockedAfterMs = 10_000

/** The time after a block in which the process takes no new work, because the loop may be blocked again. */
const restMs = 60_000

const lookEveryMs = 1_000

/**
 * Measures how late the timers of this process fire. A late timer shows that the event loop was blocked, if the process was
 * computing meanwhile. A process that was paused, as with its machine, is no less healthy than before.
 */
export class EventLoopWatch {
  private lookedAtMs: number
  private latestBlockMs: number | null = null
  private blockedAtMs = Number.NEGATIVE_INFINITY
  private blockedForMs = 0
  private usedMs: number

  /** @param processorMs returns the processor time of this process so far, in milliseconds */
  constructor(
    private readonly clock: Clock,
    private readonly processorMs: () => number = ownProcessorMs,
  ) {
    this.lookedAtMs = clock.monotonic()
    this.usedMs = processorMs()
  }

  async watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.clock.sleep(lookEveryMs, signal)
      const nowMs = this.clock.monotonic()
      const lateMs = nowMs - this.lookedAtMs - lookEveryMs
      const usedMs = this.processorMs()
      const wasComputing = usedMs - this.usedMs > lateMs / 2
      this.lookedAtMs = nowMs
      this.usedMs = usedMs
      this.latestBlockMs = lateMs > blockedAfterMs && wasComputing ? lateMs : null
      if (this.latestBlockMs === null) continue
      this.blockedAtMs = nowMs
      this.blockedForMs = this.latestBlockMs
    }
  }

  /** The length in milliseconds of the block that the last check found, or null if there was none. */
  get blockedMs(): number | null {
    return this.latestBlockMs
  }

  /** Returns the reason why this process should take no new work, or null. */
  unhealthyReason(): string | null {
    const agoMs = this.clock.monotonic() - this.blockedAtMs
    if (agoMs >= restMs) return null
    const [forS, agoS] = [this.blockedForMs, agoMs].map((ms) => Math.round(ms / 1_000))
    return `the event loop was blocked for ${forS} s until ${agoS} s ago, so no new work is taken for ${restMs / 1_000} s`
  }
}

function ownProcessorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
