import type { FirstPosition, Lease } from '../../lease-store/index.js'
import type { FeedStart } from './change-feed.js'
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
