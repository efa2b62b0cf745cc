import type { FirstPosition, Lease } from '../../../lease-store/index.js'
import type { ChangePage, FeedStart } from './change-feed.js'
import { madeAtMs, type AnyChange } from './change-identity.js'
import type { StartPosition } from './delegate.js'

/**
 * Returns the position from which to read a lease. `startFrom` applies only to a lease that another SDK
 * created without a position.
 */
export function startOf(lease: Lease, startFrom: StartPosition): FeedStart {
  if (lease.continuationToken !== null) return { kind: 'continuation', token: lease.continuationToken }
  return lease.firstPosition ?? firstPositionOf(startFrom) ?? { kind: 'now' }
}

/**
 * Returns the option as a lease stores it, or null for `'now'`, because only the feed can supply that
 * position.
 */
export function firstPositionOf(startFrom: StartPosition): FirstPosition | null {
  if (startFrom === 'now') return null
  // No document is older than the epoch, and the service accepts only some of the dates before it.
  if (startFrom === 'beginning' || startFrom.getTime() <= 0) return { kind: 'beginning' }
  return { kind: 'time', atMs: startFrom.getTime() }
}

/**
 * Returns a time at least one second earlier. The service compares whole seconds, and could otherwise skip
 * changes.
 */
export function startingBefore(atMs: number): Date {
  return new Date(Math.floor(atMs / 1_000) * 1_000 - 1_000)
}

/**
 * Drops changes that are older than the time at which the lease begins, if it begins at a time. Only the
 * first read sends this time. Later reads send a continuation. After a merge, the continuation may lie before
 * older changes of the other partition.
 */
export function sinceFirstPosition<C extends AnyChange>(
  page: ChangePage<C>,
  first: FirstPosition | null,
): ChangePage<C> {
  if (first?.kind !== 'time') return page
  const fromMs = startingBefore(first.atMs).getTime()
  return { ...page, changes: page.changes.filter((change) => madeAtMs(change) >= fromMs) }
}
