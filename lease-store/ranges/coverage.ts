import { compare } from './compare.js'
import { cutRange, leaseTokenOf } from '../lease/feed-range.js'
import type { FeedRange, Lease } from '../lease/lease.js'

/** A physical partition: its id and its part of the key space. */
export interface NamedRange extends FeedRange {
  readonly id: string
}

/** A lease that has yet to be created. */
export interface PlannedLease {
  readonly leaseToken: string
  readonly feedRange: FeedRange
}

/**
 * Returns the leases to create so that, together with the existing ones, they cover every physical range. An
 * uncovered range gets one lease named by its id, or `leasesPerFeedRange` leases named by their bounds. An
 * uncovered part of a range is named by its bounds, too. A range that the lease of a split parent covers, or
 * leases of merged partitions, needs no new lease: the reader of the existing lease replaces it.
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

/**
 * Returns the parts of `range` that lie in none of `covered`, which are in order of `min`. Bounds are
 * hexadecimal, so they compare as text.
 */
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
