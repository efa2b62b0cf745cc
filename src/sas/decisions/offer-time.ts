import type { Attention } from '../model/documents.js'

/** The longest time between two offers of work that no instance takes, unless an attempt may take longer. */
const longestOfferMs = 3_600_000
/** The pause after the first dispatch whose deadline had passed when it was written. */
const firstPauseMs = 1_000

/**
 * Returns the time until the work is offered again, in milliseconds. The first offer lasts for the time that
 * an attempt may take. Later offers double, because each lasts for the time since the work was flagged. An
 * offer stays in the feed, so an instance that starts later takes the work immediately.
 */
export function offerWithinMs(usualMs: number, attention: Attention | null, now: number): number {
  const flaggedMs = attention?.kind === 'unclaimed' ? now - Date.parse(attention.since) : 0
  return Math.max(usualMs, Math.min(flaggedMs, longestOfferMs))
}

/**
 * Returns the pause after a late dispatch, which is one that was written after its deadline.
 *
 * @param lateDispatches the number of late dispatches directly before it
 */
export function pauseAfterLateMs(lateDispatches: number): number {
  return Math.min(firstPauseMs * 2 ** Math.min(lateDispatches, 30), longestOfferMs)
}
