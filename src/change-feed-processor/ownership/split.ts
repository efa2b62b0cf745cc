import type { Lease, NewLease } from '../../../lease-store/index.js'
import { foreignProperties, leaseTokenOf } from '../../../lease-store/internal.js'
import type { FeedPosition, FeedStart, PhysicalRange } from '../feed/change-feed.js'

/**
 * Returns the leases that replace `parent` after its range was split. There is one for each part, at the
 * part's position. If `parent` was named by its bounds, the new leases are also named by their bounds.
 * Otherwise the name of each new lease is the id of its partition, as in .NET. Each new lease gets the
 * properties that other libraries wrote into `parent`.
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

/** Returns the stored form of a position. `now` has none, because its meaning changes with every read. */
function storedPosition(start: FeedStart): Pick<NewLease, 'continuationToken' | 'firstPosition'> {
  if (start.kind === 'continuation') return { continuationToken: start.token, firstPosition: null }
  return { continuationToken: null, firstPosition: start.kind === 'now' ? null : start }
}
