import { cosmosErrorKind } from '../../lease-store/internal.js'
import type { Clock, Duration, Random } from '../platform/index.js'
import { backoffDelayMs, isAborted, type Backoff } from '../platform/internal.js'
import { duration, optional, type Values } from '../platform/options.js'
import { StoreUnavailable } from '../sas/index.js'

/** The times for which a start waits for its store. */
export interface StorePatience {
  /** The time to wait for a store that does not answer. Default 0: the start fails immediately. */
  readonly unavailable?: Duration
  /** The time to wait for permissions. New permissions take minutes to take effect. Default 0. */
  readonly forbidden?: Duration
}

/** The kinds of {@link StorePatience}. */
export const patienceShape = {
  unavailable: optional(duration(0), 0),
  forbidden: optional(duration(0), 0),
}

interface Waiting {
  readonly patience: Values<typeof patienceShape>
  readonly clock: Clock
  readonly random: Random
  readonly signal: AbortSignal | undefined
  /** Called with the reason for waiting, once for each new reason. */
  readonly onWait: (error: Error) => void
}

const backoff: Backoff = { minMs: 250, maxMs: 10_000 }

/**
 * Repeats `attempt` until it succeeds, while the failures may be temporary and the time to wait has not
 * passed.
 *
 * @throws the last error, if it is not temporary, the time to wait has passed, or the signal aborted
 */
export async function awaitStore<T>(attempt: () => Promise<T>, waiting: Waiting): Promise<T> {
  const { patience, clock, random, signal, onWait } = waiting
  const sinceMs = clock.monotonic()
  let saying = ''
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt()
    } catch (error) {
      const leftMs = patienceFor(error, patience) - (clock.monotonic() - sinceMs)
      if (!(error instanceof Error) || leftMs <= 0 || isAborted(signal)) throw error
      if (error.message !== saying) onWait(error)
      saying = error.message
      await clock.sleep(Math.min(leftMs, backoffDelayMs(failures, backoff, random)), signal)
      if (isAborted(signal)) throw error
    }
  }
}

function patienceFor(error: unknown, { unavailable, forbidden }: Waiting['patience']): number {
  if (error instanceof StoreUnavailable) return unavailable
  const isForbidden = error instanceof Error && cosmosErrorKind(error.cause).kind === 'forbidden'
  return isForbidden ? forbidden : 0
}
