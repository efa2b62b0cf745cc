import { compare } from './compare.js'
import { cutRange, leaseTokenOf } from '../lease/feed-range.js'
import type { FeedRange, Lease } from '../lease/lease.js'

/** A physical partition, with its id and its part of the key space. */
export interface NamedRange extends FeedRange {
  readonly id: string
}

/** A lease that does not exist yet and must be created. */
export interface PlannedLease {
  readonly leaseToken: string
  readonly feedRange: FeedRange
}

/**
 * Returns the leases to create. Together with the existing leases, the new leases cover every physical range.
 * An uncovered range gets one lease named by the id of the range, or `leasesPerFeedRange` leases named by
 * their bounds. An uncovered part of a range gets one lease, which is also named by its bounds. After a split
 * or a merge, the old leases still cover the new ranges. The reader of an old lease replaces that lease.
 */
export function planLeases(
  physicalRanges: readonly NamedRange[],
  leases: readonly Pick<Lease, 'feedRange'>[],
  leasesPerFeedRange = 1,
): readonly PlannedLease[] {
  const covered = inOrder(leases)
  return physicalRanges.flatMap(({ id, min, max }) =>
    gaps({ min, max }, covered).flatMap((gap) => {
      const isWhole = gap.min === min && gap.max === max
      if (isWhole && leasesPerFeedRange === 1) return [{ leaseToken: id, feedRange: gap }]
      const parts = isWhole ? cutRange(gap, leasesPerFeedRange) : [gap]
      return parts.map((feedRange) => ({ leaseToken: leaseTokenOf(feedRange), feedRange }))
    }),
  )
}

/** Returns the parts of `range` that no lease covers. */
export function uncovered(
  { min, max }: FeedRange,
  leases: readonly Pick<Lease, 'feedRange'>[],
): readonly FeedRange[] {
  return gaps({ min, max }, inOrder(leases))
}

function inOrder(leases: readonly Pick<Lease, 'feedRange'>[]): FeedRange[] {
  return leases.map((lease) => lease.feedRange).sort((left, right) => compare(left.min, right.min))
}

/** Returns the parts of `range` that no range of `covered` contains. `covered` must be in order of `min`. */
function gaps(range: FeedRange, covered: readonly FeedRange[]): FeedRange[] {
  const found: FeedRange[] = []
  let reached = range.min
  for (const { min, max } of covered) {
    if (min >= range.max) break
    if (min > reached) found.push({ min: reached, max: min })
    if (max > reached) reached = max
  }
  if (reached < range.max) found.push({ min: reached, max: range.max })
  return found
}
