import { uncovered } from './coverage.js'
import type { FeedRange, Lease } from '../lease/lease.js'

/**
 * A lease whose whole range other leases cover, such as the parent of a split until this parent is deleted.
 */
export interface ReplacedLease {
  readonly lease: Lease
  readonly by: readonly Lease[]
}

/** The leases that share a part of the feed with another lease. */
export interface Overlaps {
  readonly replaced: readonly ReplacedLease[]
  /**
   * Pairs of leases that share a part by mistake. The changes of this part are delivered twice and out of
   * order.
   */
  readonly doubled: readonly (readonly [Lease, Lease])[]
}

/**
 * Finds the leases that share a part of the key space. Returns separately the overlaps that end without a
 * repair (I11).
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

/** Returns whether the leases together cover all of `range`. */
export function isCovered(range: FeedRange, leases: readonly Pick<Lease, 'feedRange'>[]): boolean {
  return uncovered(range, leases).length === 0
}

/** Compares bounds as text, because they are hexadecimal. */
function isPartOf(part: FeedRange, whole: FeedRange): boolean {
  const isSame = part.min === whole.min && part.max === whole.max
  return !isSame && part.min >= whole.min && part.max <= whole.max
}

/** Returns whether the ranges have keys in common. */
export function overlap(one: FeedRange, other: FeedRange): boolean {
  return one.min < other.max && other.min < one.max
}
