import type { Clock } from '../../platform/index.js'
import type { Backoff } from '../../platform/internal.js'

/** Returns the pause after `emptyPolls` empty polls in a row. The pause doubles each time, within bounds. */
export function pollDelayMs(emptyPolls: number, { minMs, maxMs }: Backoff): number {
  return Math.min(maxMs, minMs * 2 ** Math.min(emptyPolls - 1, 30))
}

/** The length of a pause. */
export interface RestOptions {
  /** The pause, instead of the one that follows from the number of empty polls. */
  readonly afterMs?: number
  readonly ageMs?: number
}

/**
 * Pauses between polls. A pause is short after changes, and grows while there are none. A hint ends the
 * pause. After a hint during a poll, the next pause is skipped, because the poll may have missed the hinted
 * write.
 */
export class PollDelay {
  private emptyPolls = 0
  private isWoken = false
  private isEnded = false
  private wokenAtMs = Number.NEGATIVE_INFINITY
  private resting: (() => void) | undefined

  constructor(
    private readonly clock: Clock,
    private readonly interval: Backoff,
  ) {}

  /** Makes the next pauses short again after changes. */
  reset(): void {
    this.emptyPolls = 0
  }

  /** Whether the last poll may have missed the write of a hint. */
  get hasHint(): boolean {
    return this.isWoken
  }

  wake(): void {
    this.isWoken = true
    this.wokenAtMs = this.clock.monotonic()
    this.reset()
    this.resting?.()
  }

  /** Ends the pause under way, or the next one if no poll comes before it. */
  end(): void {
    this.isEnded = true
    this.resting?.()
  }

  /** Forgets earlier hints before a poll, because its own request can miss only writes whose hints come later. */
  beginPoll(): void {
    this.isWoken = false
    this.isEnded = false
  }

  /** Notes that the request of the last poll began at this time. The poll may have missed writes of later hints. */
  polledAt(begunAtMs: number): void {
    if (this.wokenAtMs > begunAtMs) this.isWoken = true
  }

  /**
   * Resolves when it is time to poll again, or when `signal` aborts. Returns the length of the pause, or 0 if something
   * ended it early.
   *
   * @param ageMs the part of the pause that was already over when the pause began
   */
  async rest(signal: AbortSignal, { afterMs, ageMs = 0 }: RestOptions = {}): Promise<number> {
    this.emptyPolls += 1
    const delayMs = Math.max(0, (afterMs ?? pollDelayMs(this.emptyPolls, this.interval)) - ageMs)
    if (this.isWoken || this.isEnded || signal.aborted) return 0
    const isWhole = await new Promise<boolean>((resolve) => {
      const end = (isOver = false): void => {
        timer.cancel()
        signal.removeEventListener('abort', onAbort)
        resolve(isOver)
      }
      const onAbort = (): void => {
        end()
      }
      const timer = this.clock.schedule(delayMs, () => {
        end(true)
      })
      signal.addEventListener('abort', onAbort)
      this.resting = onAbort
    })
    this.resting = undefined
    return isWhole ? delayMs : 0
  }
}
