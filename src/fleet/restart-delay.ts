import type { Random } from '../platform/index.js'
import { backoffDelayMs, type Backoff } from '../platform/internal.js'

/** The uptime from which the end of a process is not part of a crash loop. */
export const soundAfterMs = 30_000

const backoff: Backoff = { minMs: 500, maxMs: 30_000 }

/**
 * Returns how long to wait before a process that ended by itself is replaced, in milliseconds. The first time
 * it is 0, so that its work goes on at once. The delay grows as long as no successor runs for half a minute.
 *
 * @param quickEnds the number of processes in a row that ended sooner than that, this one included
 */
export function restartDelayMs(quickEnds: number, random: Random): number {
  return quickEnds <= 1 ? 0 : backoffDelayMs(quickEnds - 1, backoff, random)
}
