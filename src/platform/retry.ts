import { isAborted } from './aborted.js'
import type { Clock } from './clock.js'
import type { Backoff, ResolvedRetry } from './options/retry-option.js'
import type { Random } from './random.js'

/**
 * Returns a delay that doubles from `minMs` to `maxMs` with each failure. A random part of up to half of the
 * delay is subtracted, so that callers do not retry at the same time.
 */
export function backoffDelayMs(failures: number, backoff: Backoff, random: Random): number {
  const doubled = backoff.minMs * 2 ** Math.min(Math.max(0, failures - 1), 30)
  const ceiling = Math.min(backoff.maxMs, doubled)
  return Math.round(ceiling * (1 - random.next() / 2))
}

/** The options of {@link retry}. */
export interface RetryOptions extends ResolvedRetry {
  readonly clock: Clock
  readonly random: Random
  readonly signal?: AbortSignal
  /** Checks whether this failure may be temporary. Other failures are thrown immediately. */
  readonly isTransient: (error: unknown) => boolean
}

/** Runs `operation` until it succeeds, all tries have failed, or the signal aborts. Throws the last error. */
export async function retry<T>(operation: () => Promise<T>, options: RetryOptions): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await operation()
    } catch (error) {
      const isLast = attempt >= options.tries || isAborted(options.signal)
      if (isLast || !options.isTransient(error)) throw error
      await options.clock.sleep(backoffDelayMs(attempt, options.backoff, options.random), options.signal)
      if (isAborted(options.signal)) throw error
    }
  }
}
