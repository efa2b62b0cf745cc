import type { Random } from '../platform/index.js'
import { backoffDelayMs, type Backoff } from '../platform/internal.js'

/** If a process ran at least this long, its end is not part of a crash loop. */
export const soundAfterMs = 30_000

const backoff: Backoff = { minMs: 500, maxMs: 30_000 }

/**
 * Returns the delay, in milliseconds, before a process that ended unexpectedly is replaced. The first delay
 * is 0, so that the work continues immediately. The delay grows until a successor runs for half a minute.
 *
 * @param quickEnds the number of processes in a row that ended within half a minute, including this process
 */
export function restartDelayMs(quickEnds: number, random: Random): number {
  return quickEnds <= 1 ? 0 : backoffDelayMs(quickEnds - 1, backoff, random)
}
