import type { Lease, NewLease } from '../../../lease-store/index.js'
import { foreignProperties, leaseTokenOf } from '../../../lease-store/internal.js'
import type { FeedPosition, FeedStart, PhysicalRange } from '../feed/change-feed.js'

/**
 * Returns the leases that replace `parent` when its range was split: one for each part, at that part's
 * position. Parts of a physical partition's own lease are named by the id of their new partition, as .NET
 * names them. Parts of a lease that was named by its bounds are named by their bounds, too. Each gets the
 * properties that other libraries wrote into the parent.
 */
export function childLeases(
  parent: Lease,
  parts: readonly FeedPosition[],
  physicalRanges: readonly PhysicalRange[],
): NewLease[] {
  const isNamedByBounds = parent.leaseToken === leaseTokenOf(parent.feedRange)
  return parts.map(({ feedRange, start }) => {
    const partition = physicalRanges.find(({ min, max }) => min === feedRange.min && max === feedRange.max)
    return {
      leaseToken: isNamedByBounds || partition === undefined ? leaseTokenOf(feedRange) : partition.id,
      feedRange,
      ...storedPosition(start),
      mode: parent.mode,
      properties: foreignProperties(parent.document['properties']),
    }
  })
}

/** Returns a position as a lease stores it. `now` cannot be stored: it means another place at every read. */
function storedPosition(start: FeedStart): Pick<NewLease, 'continuationToken' | 'firstPosition'> {
  if (start.kind === 'continuation') return { continuationToken: start.token, firstPosition: null }
  return { continuationToken: null, firstPosition: start.kind === 'now' ? null : start }
}
