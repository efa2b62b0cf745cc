import type { FirstPosition, Lease } from '../../../lease-store/index.js'
import type { ChangePage, FeedStart } from './change-feed.js'
import { madeAtMs, type AnyChange } from './change-identity.js'
import type { StartPosition } from './delegate.js'

/**
 * Returns the position from which to read a lease. `startFrom` is used only if another SDK created the lease
 * without a position.
 */
export function startOf(lease: Lease, startFrom: StartPosition): FeedStart {
  if (lease.continuationToken !== null) return { kind: 'continuation', token: lease.continuationToken }
  return lease.firstPosition ?? firstPositionOf(startFrom) ?? { kind: 'now' }
}

/**
 * Returns the option in the form that a lease stores. Returns null for `'now'`, because that position must be
 * requested from the feed.
 */
export function firstPositionOf(startFrom: StartPosition): FirstPosition | null {
  if (startFrom === 'now') return null
  // No document is older than the epoch, and the service accepts only some of the dates before it.
  if (startFrom === 'beginning' || startFrom.getTime() <= 0) return { kind: 'beginning' }
  return { kind: 'time', atMs: startFrom.getTime() }
}

/**
 * Returns the time to send with a read. It is a second earlier, because the service compares whole seconds
 * and may skip changes.
 */
export function startingBefore(atMs: number): Date {
  return new Date(Math.floor(atMs / 1_000) * 1_000 - 1_000)
}

/**
 * Drops changes that are older than the lease's first position. Only the first read sends that time; later
 * reads send a position. After a merge, such a position may lie before older changes of the other partition.
 */
export function sinceFirstPosition<C extends AnyChange>(
  page: ChangePage<C>,
  first: FirstPosition | null,
): ChangePage<C> {
  if (first?.kind !== 'time') return page
  const fromMs = startingBefore(first.atMs).getTime()
  return { ...page, changes: page.changes.filter((change) => madeAtMs(change) >= fromMs) }
}
