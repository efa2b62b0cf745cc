import type { FirstPosition, Lease } from '../../../lease-store/index.js'
import type { ChangePage, FeedStart } from './change-feed.js'
import { madeAtMs, type AnyChange } from './change-identity.js'
import type { StartPosition } from './delegate.js'

/** Where to go on with a lease; `startFrom` counts only for one that another SDK created without a position. */
export function startOf(lease: Lease, startFrom: StartPosition): FeedStart {
  if (lease.continuationToken !== null) return { kind: 'continuation', token: lease.continuationToken }
  return lease.firstPosition ?? firstPositionOf(startFrom) ?? { kind: 'now' }
}

/** The option as a lease stores it; null for `'now'`, which must be asked of the feed. */
export function firstPositionOf(startFrom: StartPosition): FirstPosition | null {
  if (startFrom === 'now') return null
  // Nothing was written before the epoch, and some of the dates before it cannot be asked for.
  if (startFrom === 'beginning' || startFrom.getTime() <= 0) return { kind: 'beginning' }
  return { kind: 'time', atMs: startFrom.getTime() }
}

/** The time that a read asks for: a second earlier, because the service compares whole seconds and may skip changes. */
export function startingBefore(atMs: number): Date {
  return new Date(Math.floor(atMs / 1_000) * 1_000 - 1_000)
}

/**
 * Drops changes from before the lease's first position. Only the first read sends that time; later reads send a
 * position. After a merge, such a position may lie before older changes of the other partition.
 */
export function sinceFirstPosition<C extends AnyChange>(
  page: ChangePage<C>,
  first: FirstPosition | null,
): ChangePage<C> {
  if (first?.kind !== 'time') return page
  const fromMs = startingBefore(first.atMs).getTime()
  return { ...page, changes: page.changes.filter((change) => madeAtMs(change) >= fromMs) }
}
