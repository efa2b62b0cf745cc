import type { Attention } from '../model/documents.js'

/**
 * The longest time between two offers of work that no instance takes up, unless an attempt may take longer.
 */
const longestOfferMs = 3_600_000
/** The first pause after a dispatch that was already over when it was written. */
const firstPauseMs = 1_000

/**
 * Returns how long an offer of work lasts before the next one, in milliseconds. The first offer lasts as long
 * as an attempt may take. Later offers last as long as the work has been flagged, so the time between two
 * offers doubles. An offer stays in the feed, so a role that starts later takes the work up at once.
 */
export function offerWithinMs(usualMs: number, attention: Attention | null, now: number): number {
  const flaggedMs = attention?.kind === 'unclaimed' ? now - Date.parse(attention.since) : 0
  return Math.max(usualMs, Math.min(flaggedMs, longestOfferMs))
}

/** Returns the pause after this many dispatches in a row that were already over when they were written. */
export function pauseAfterLateMs(lateDispatches: number): number {
  return Math.min(firstPauseMs * 2 ** Math.min(lateDispatches, 30), longestOfferMs)
}
