import { foreignProperties, leaseTokenOf, type Lease, type NewLease } from '../../../lease-store/index.js'
import type { FeedPosition, FeedStart, PhysicalRange } from '../feed/change-feed.js'

/**
 * The leases that take the place of `parent` when its range was split: one for each part, at that part's position.
 * Parts of a physical partition's own lease are named by the id of the partition they have become, as .NET names them;
 * parts of a lease that was named by its bounds are so again. What others keep in the parent's properties goes to each.
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

/** A position as a lease stores it. `now` is not one: it means another place whenever it is read. */
function storedPosition(start: FeedStart): Pick<NewLease, 'continuationToken' | 'firstPosition'> {
  if (start.kind === 'continuation') return { continuationToken: start.token, firstPosition: null }
  return { continuationToken: null, firstPosition: start.kind === 'now' ? null : start }
}
