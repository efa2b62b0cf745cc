import { uncovered } from './coverage.js'
import { keyCount, leaseTokenOf } from '../lease/feed-range.js'
import type { FeedRange, Lease } from '../lease/lease.js'
import { overlap } from './overlap.js'

/** A lease that is to go because others are about what it is about. */
export interface OverlapRepair {
  readonly goes: Lease
  /** Parts of it that no other lease covers: they get leases at its position before it goes. */
  readonly rest: readonly FeedRange[]
  /** Those that stay. None of them is ahead of the one that goes. */
  readonly by: readonly Lease[]
}

/**
 * Which leases to replace so that no part of the feed has two. Treated as a split is: what is wider goes, the finer stay,
 * so every two hosts that look at the same leases choose alike, and whatever they do at once, the finest lease that any
 * key ever had is never removed (I11). A lease goes only when it has come as far as those that stay were at an
 * earlier look: they deliver everything after that, so nothing is left out (I10). Until then both are read.
 *
 * @param earlier the leases as they were at the look before; what was not there then may be a split under way
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

/** Of two leases that overlap, which one stays: the finer, whatever their positions. */
export function staying(one: Lease, other: Lease): { readonly stays: Lease; readonly goes: Lease } {
  return compareLeases(one, other) < 0 ? { stays: one, goes: other } : { stays: other, goes: one }
}

/** Whether two leases follow one feed, so that the one that goes can come as far as the other. */
export function canMeet(one: Lease, other: Lease): boolean {
  const isKnown = ({ continuationToken }: Lease): boolean =>
    continuationToken === null || lsnOf(continuationToken) !== null
  return one.mode === other.mode && isKnown(one) && isKnown(other)
}

/**
 * Negative when the left one stays. By what never changes about a lease, and so that a part of a range always comes before
 * it. Of two of one range that named by its bounds stays: hosts make such a lease of the other kind, never the reverse.
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
 * Whether everything after the position of `later` also comes after that of `lease`. Tokens are numbers of transactions,
 * and all leases about a key read it from the partition that has it now, so there they count alike.
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

function compare<T extends string | bigint>(left: T, right: T): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
