import { uncovered } from './coverage.js'
import type { FeedRange, Lease } from '../lease/lease.js'

/** A lease whose whole range other leases cover: the parent of a split, until it is deleted. */
export interface ReplacedLease {
  readonly lease: Lease
  readonly by: readonly Lease[]
}

/** Leases of which more than one is about the same part of the feed. */
export interface Overlaps {
  readonly replaced: readonly ReplacedLease[]
  /** Two that share a part by mistake: its changes are delivered twice, and not in order. */
  readonly doubled: readonly (readonly [Lease, Lease])[]
}

/** Which leases share a part of the key space, told apart by whether that passes by itself (I11). */
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

/** Whether leases are about all of `range`, each of a part. */
export function isCovered(range: FeedRange, leases: readonly Pick<Lease, 'feedRange'>[]): boolean {
  return uncovered(range, leases).length === 0
}

/** Bounds compare as text: they are hexadecimal. */
function isPartOf(part: FeedRange, whole: FeedRange): boolean {
  const isSame = part.min === whole.min && part.max === whole.max
  return !isSame && part.min >= whole.min && part.max <= whole.max
}

/** Whether there are keys in both. */
export function overlap(one: FeedRange, other: FeedRange): boolean {
  return one.min < other.max && other.min < one.max
}
