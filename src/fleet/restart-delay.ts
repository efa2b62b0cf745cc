import { backoffDelayMs, type Backoff, type Random } from '../platform/index.js'

/** A process that ran this long was not in a crash loop. */
export const soundAfterMs = 30_000

const backoff: Backoff = { minMs: 500, maxMs: 30_000 }

/**
 * How long to wait before a process that ended by itself is replaced. The first time not at all, so that its work goes
 * on at once; then longer and longer, as long as none of its successors ran for half a minute.
 *
 * @param quickEnds how many in a row have ended sooner than that, this one included
 */
export function restartDelayMs(quickEnds: number, random: Random): number {
  return quickEnds <= 1 ? 0 : backoffDelayMs(quickEnds - 1, backoff, random)
}
