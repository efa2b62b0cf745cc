import { cutRange, leaseTokenOf } from '../lease/feed-range.js'
import type { FeedRange, Lease } from '../lease/lease.js'

/** A physical partition: its id and its part of the key space. */
export interface NamedRange extends FeedRange {
  readonly id: string
}

/** A lease that is missing. */
export interface PlannedLease {
  readonly leaseToken: string
  readonly feedRange: FeedRange
}

/**
 * The leases to create so that together with those there are they cover every physical range. An uncovered range
 * gets one lease under its id, or `leasesPerFeedRange` named by their bounds; a part of one is named by its bounds too. A range that is covered by the lease of a parent
 * that was split, or by those of merged ones, needs none: the reader of that lease takes care of it.
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

/** The parts of `range` that none of the leases is about. */
export function uncovered(
  { min, max }: FeedRange,
  leases: readonly Pick<Lease, 'feedRange'>[],
): readonly FeedRange[] {
  return gaps({ min, max }, inOrder(leases))
}

function inOrder(leases: readonly Pick<Lease, 'feedRange'>[]): FeedRange[] {
  return leases.map((lease) => lease.feedRange).sort((left, right) => compare(left.min, right.min))
}

/** The parts of `range` that lie in none of `covered`, which are in order of `min`. Bounds compare as text: they are hexadecimal. */
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

function compare(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
