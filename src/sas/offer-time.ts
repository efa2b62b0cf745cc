import type { Attention } from './documents.js'

/** The longest that work which is not taken up is left alone, unless an attempt at it may take longer. */
const longestOfferMs = 3_600_000
/** The first pause after a dispatch whose deadline had passed when it was written. */
const firstPauseMs = 1_000

/**
 * How long work is offered that was offered in vain: at first as long as it may take, later as long as it is flagged
 * already, so the time between two offers doubles. Each offer is a change of the feed, which waits there for a reader:
 * a role that starts takes the work up at once.
 */
export function offerWithinMs(usualMs: number, attention: Attention | null, now: number): number {
  const flaggedMs = attention?.kind === 'unclaimed' ? now - Date.parse(attention.since) : 0
  return Math.max(usualMs, Math.min(flaggedMs, longestOfferMs))
}

/** How long to wait after this many dispatches in a row whose deadline had passed when they were written. */
export function pauseAfterLateMs(lateDispatches: number): number {
  return Math.min(firstPauseMs * 2 ** Math.min(lateDispatches, 30), longestOfferMs)
}
