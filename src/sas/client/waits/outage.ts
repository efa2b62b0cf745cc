import type { Clock } from '../../../platform/index.js'
import { unlessAborted } from '../../../platform/internal.js'
import { StoreUnavailable } from '../../model/errors.js'

/** A wait survives an outage of the store for this time. Meanwhile, it reads with pauses of these lengths. */
const [outageMs, shortPauseMs, awayPauseMs] = [60_000, 250, 5_000]

/** An outage of the store that a wait survives, from the first read that fails to the first that succeeds. */
export class Outage {
  private sinceMs: number | null = null

  constructor(private readonly clock: Clock) {}

  end(): void {
    this.sinceMs = null
  }

  /**
   * Returns the pause before the next try of a read that has failed, in milliseconds.
   *
   * @throws `error` if it is not caused by an outage, or if the outage has lasted for a minute
   */
  pauseAfter(error: unknown): number {
    const now = this.clock.monotonic()
    this.sinceMs ??= now
    if (!(error instanceof StoreUnavailable) || now - this.sinceMs >= outageMs) throw error
    return Math.min(awayPauseMs, Math.max(shortPauseMs, now - this.sinceMs))
  }
}

/**
 * Reads. If the store is away, tries again for a minute, and then throws `StoreUnavailable`. Throws the signal's reason
 * if the signal aborts first, even if the store does not answer.
 */
export async function despiteOutage<T>(
  read: () => Promise<T>,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal | undefined },
): Promise<T> {
  const outage = new Outage(clock)
  for (;;) {
    try {
      const found = signal === undefined ? await read() : await unlessAborted(read(), signal)
      signal?.throwIfAborted()
      return found as T
    } catch (error) {
      signal?.throwIfAborted()
      await clock.sleep(outage.pauseAfter(error), signal)
      signal?.throwIfAborted()
    }
  }
}
