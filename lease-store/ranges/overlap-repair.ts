import { uncovered } from './coverage.js'
import { compare } from './compare.js'
import { keyCount, leaseTokenOf } from '../lease/feed-range.js'
import type { FeedRange, Lease } from '../lease/lease.js'
import { overlap } from './overlap.js'

/** A lease to remove because other leases cover its range. */
export interface OverlapRepair {
  readonly goes: Lease
  /** Parts of it that no other lease covers. They get leases at its position before it is removed. */
  readonly rest: readonly FeedRange[]
  /** The leases that stay. None of them is ahead of the one that goes. */
  readonly by: readonly Lease[]
}

/**
 * Plans which leases to replace so that no part of the feed has two. It works as for a split: the wider lease
 * goes, the finer ones stay. All hosts that look at the same leases therefore choose alike. Whatever they do
 * at the same time, the finest lease that a key ever had is never removed (I11).
 *
 * A lease goes only when it has reached the positions that the staying leases had at an earlier look. They
 * deliver everything after that, so nothing is left out (I10). Until then both are read.
 *
 * @param earlier the leases at the previous look; a lease that is missing from it may belong to a split under
 * way
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

/** Returns which of two overlapping leases stays: the finer one, whatever their positions. */
export function staying(one: Lease, other: Lease): { readonly stays: Lease; readonly goes: Lease } {
  return compareLeases(one, other) < 0 ? { stays: one, goes: other } : { stays: other, goes: one }
}

/**
 * Returns whether two leases follow the same feed, so that the one that goes can reach the position of the
 * other.
 */
export function canMeet(one: Lease, other: Lease): boolean {
  const isKnown = ({ continuationToken }: Lease): boolean =>
    continuationToken === null || lsnOf(continuationToken) !== null
  return one.mode === other.mode && isKnown(one) && isKnown(other)
}

/**
 * Orders leases; negative when the left one stays. It compares only what never changes about a lease, and a
 * part of a range always comes before the range. Of two leases of one range, the one named by its bounds
 * stays: hosts turn the other kind into this one, never the reverse.
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
 * Returns whether everything after the position of `later` also comes after that of `lease`. Tokens are
 * numbers of transactions. All leases that cover a key read it from the partition that holds it now, so their
 * tokens are comparable.
 */
function isBehindOrLevel(lease: Lease, later: Lease): boolean {
  if (lease.mode !== later.mode) return false
  if (lease.continuationToken === null) return startsBefore(lease, later)
  const [lsn, laterLsn] = [lsnOf(lease.continuationToken), lsnOf(later.continuationToken)]
  return lsn !== null && laterLsn !== null && lsn <= laterLsn
}

/** Compares first positions, for a lease that has not stored a position yet. */
function startsBefore({ firstPosition }: Lease, later: Lease): boolean {
  if (firstPosition?.kind === 'beginning') return true
  const isTimed = firstPosition?.kind === 'time' && later.firstPosition?.kind === 'time'
  return isTimed && later.continuationToken === null && firstPosition.atMs <= later.firstPosition.atMs
}

function lsnOf(continuationToken: string | null): bigint | null {
  const digits = /^"(\d+)"$/u.exec(continuationToken ?? '')?.[1]
  return digits === undefined ? null : BigInt(digits)
}
