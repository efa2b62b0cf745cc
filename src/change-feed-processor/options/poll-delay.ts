import type { Clock } from '../../platform/index.js'
import type { Backoff } from '../../platform/internal.js'

/** Returns the pause after `emptyPolls` empty polls in a row. The pause doubles each time, within bounds. */
export function pollDelayMs(emptyPolls: number, { minMs, maxMs }: Backoff): number {
  return Math.min(maxMs, minMs * 2 ** Math.min(emptyPolls - 1, 30))
}

/**
 * Pauses between polls. A pause is short after changes, and grows while there are none. A hint ends the
 * pause. After a hint during a poll, the next pause is skipped, because the poll may have missed the hinted
 * write.
 */
export class PollDelay {
  private emptyPolls = 0
  private isWoken = false
  private resting: (() => void) | undefined

  constructor(
    private readonly clock: Clock,
    private readonly interval: Backoff,
  ) {}

  /** Makes the next pauses short again after changes. */
  reset(): void {
    this.emptyPolls = 0
  }

  wake(): void {
    this.isWoken = true
    this.reset()
    this.resting?.()
  }

  /** Forgets earlier hints before a poll, because the poll can miss only writes whose hints come later. */
  beginPoll(): void {
    this.isWoken = false
  }

  /** Resolves when it is time to poll again, or when `signal` aborts. */
  async rest(signal: AbortSignal, afterMs?: number): Promise<void> {
    this.emptyPolls += 1
    const delayMs = afterMs ?? pollDelayMs(this.emptyPolls, this.interval)
    if (this.isWoken || signal.aborted) return
    await new Promise<void>((resolve) => {
      const end = (): void => {
        timer.cancel()
        signal.removeEventListener('abort', end)
        resolve()
      }
      const timer = this.clock.schedule(delayMs, end)
      signal.addEventListener('abort', end)
      this.resting = end
    })
    this.resting = undefined
  }
}
