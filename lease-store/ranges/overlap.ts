import { uncovered } from './coverage.js'
import type { FeedRange, Lease } from '../lease/lease.js'

/** A lease with a range that other leases cover completely, such as a split parent before its deletion. */
export interface ReplacedLease {
  readonly lease: Lease
  readonly by: readonly Lease[]
}

/** The leases that share a part of the feed with another lease. */
export interface Overlaps {
  readonly replaced: readonly ReplacedLease[]
  /** Pairs of leases that overlap by mistake. Their common changes are delivered twice and out of order. */
  readonly doubled: readonly (readonly [Lease, Lease])[]
}

/**
 * Finds the leases that share keys. Replaced leases are listed separately, because their overlaps end without
 * a repair (I11).
 */
export function findOverlaps(leases: readonly Lease[]): Overlaps {
  const replaced = leases.flatMap((lease) => {
    const by = leases.filter((other) => isPartOf(other.feedRange, lease.feedRange))
    return isCovered(lease.feedRange, by) ? [{ lease, by }] : []
  })
  const parents = new Set(replaced.map(({ lease }) => lease))
  const rest = leases.filter((lease) => !parents.has(lease))
  const doubled = rest.flatMap((lease, index) =>
    rest
      .slice(index + 1)
      .filter((other) => lease.leaseToken !== other.leaseToken && overlap(lease.feedRange, other.feedRange))
      .map((other): readonly [Lease, Lease] => [lease, other]),
  )
  return { replaced, doubled }
}

export function isCovered(range: FeedRange, leases: readonly Pick<Lease, 'feedRange'>[]): boolean {
  return uncovered(range, leases).length === 0
}

/** Compares bounds as text, because bounds are hexadecimal. */
function isPartOf(part: FeedRange, whole: FeedRange): boolean {
  const isSame = part.min === whole.min && part.max === whole.max
  return !isSame && part.min >= whole.min && part.max <= whole.max
}

/** Returns whether another lease covers a part of this lease's range. */
export function sharesItsRange({ leaseToken, feedRange }: Lease, leases: readonly Lease[]): boolean {
  return leases.some((other) => other.leaseToken !== leaseToken && overlap(feedRange, other.feedRange))
}

export function overlap(one: FeedRange, other: FeedRange): boolean {
  return one.min < other.max && other.min < one.max
}
