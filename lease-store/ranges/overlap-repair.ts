import { uncovered } from './coverage.js'
import { compare } from './compare.js'
import { keyCount, leaseTokenOf } from '../lease/feed-range.js'
import type { FeedRange, Lease } from '../lease/lease.js'
import { overlap } from './overlap.js'

/** A lease to remove because other leases cover its range. */
export interface OverlapRepair {
  readonly goes: Lease
  /**
   * The parts of the range of `goes` that no lease of `by` covers. Before `goes` is removed, each part gets a
   * lease at the position of `goes`.
   */
  readonly rest: readonly FeedRange[]
  /**
   * The leases that stay. At the previous check, their positions were not after the position that `goes` has
   * now.
   */
  readonly by: readonly Lease[]
}

/**
 * Plans which leases to remove so that no part of the feed has two leases. As after a split, the wider lease
 * is removed and the finer leases stay. All hosts that see the same leases make the same choice. Even if
 * several hosts act at the same time, the finest of all leases that cover a key is never removed (I11).
 *
 * A lease is removed only after it has reached the positions that the remaining leases had at the previous
 * check. The remaining leases deliver all changes after those positions, so no change is lost (I10). Until
 * the removal, both leases deliver their common changes.
 *
 * @param earlier the leases at the previous check, without the leases of a split that was not complete then
 */
export function planOverlapRepairs(
  leases: readonly Lease[],
  earlier: readonly Lease[],
): readonly OverlapRepair[] {
  const before = new Map(earlier.map((lease) => [lease.leaseToken, lease]))
  return leases.flatMap((goes) => {
    if (!before.has(goes.leaseToken)) return []
    const finer = leases.filter(
      (other) => overlap(other.feedRange, goes.feedRange) && compareLeases(other, goes) < 0,
    )
    const by = finer.filter(({ leaseToken }) => {
      const was = before.get(leaseToken)
      return was !== undefined && isBehindOrLevel(was, goes)
    })
    const rest = uncovered(goes.feedRange, by)
    const isWaiting = finer.some(({ feedRange }) => rest.some((part) => overlap(part, feedRange)))
    return by.length === 0 || isWaiting ? [] : [{ goes, rest, by }]
  })
}

/** Returns which of two overlapping leases stays. The finer lease stays, whatever the positions are. */
export function staying(one: Lease, other: Lease): { readonly stays: Lease; readonly goes: Lease } {
  return compareLeases(one, other) < 0 ? { stays: one, goes: other } : { stays: other, goes: one }
}

/**
 * Returns whether the positions of both leases are comparable, so that one lease can reach the other's
 * position.
 */
export function canMeet(one: Lease, other: Lease): boolean {
  const isKnown = ({ continuationToken }: Lease): boolean =>
    continuationToken === null || lsnOf(continuationToken) !== null
  return one.mode === other.mode && isKnown(one) && isKnown(other)
}

/**
 * Returns a negative number if `left` stays. The comparison uses only values of a lease that never change. A
 * part of a range always comes before the whole range. If two leases have the same range, the lease named by
 * its bounds stays, because hosts never replace leases named by bounds with leases named by a partition.
 */
function compareLeases(left: Lease, right: Lease): number {
  const [one, other] = [left.feedRange, right.feedRange]
  return (
    compare(keyCount(one), keyCount(other)) ||
    compare(other.min, one.min) ||
    compare(one.max, other.max) ||
    Number(isNamedByBounds(right)) - Number(isNamedByBounds(left)) ||
    compare(left.leaseToken, right.leaseToken)
  )
}

function isNamedByBounds({ leaseToken, feedRange }: Lease): boolean {
  return leaseToken === leaseTokenOf(feedRange)
}

/**
 * Returns whether all changes after the position of `later` are also after the position of `lease`.
 * Continuation tokens are transaction numbers. All leases that cover a key read the key from the partition
 * that holds it now, so their tokens are comparable.
 */
function isBehindOrLevel(lease: Lease, later: Lease): boolean {
  if (lease.mode !== later.mode) return false
  if (lease.continuationToken === null) return startsBefore(lease, later)
  const [lsn, laterLsn] = [lsnOf(lease.continuationToken), lsnOf(later.continuationToken)]
  return lsn !== null && laterLsn !== null && lsn <= laterLsn
}

/** Compares first positions, because `lease` has no continuation token yet. */
function startsBefore({ firstPosition }: Lease, later: Lease): boolean {
  if (firstPosition?.kind === 'beginning') return true
  const isTimed = firstPosition?.kind === 'time' && later.firstPosition?.kind === 'time'
  return isTimed && later.continuationToken === null && firstPosition.atMs <= later.firstPosition.atMs
}

function lsnOf(continuationToken: string | null): bigint | null {
  const digits = /^"(\d+)"$/u.exec(continuationToken ?? '')?.[1]
  return digits === undefined ? null : BigInt(digits)
}
