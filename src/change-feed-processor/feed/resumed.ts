import type { Lease } from '../../../lease-store/index.js'
import type { FeedPosition, FeedStart } from './change-feed.js'

/** A part of the feed that is delivered again, because an earlier owner died during its work. */
export interface Resumed {
  /** The beginning of the part, as the lease stores it. */
  readonly from: string
  readonly start: FeedStart
  /** The position that the earlier owner stored. */
  readonly until: string
}

/** The stored form of a beginning before the first position of a lease. */
const firstStart = 'first'

/** Returns a position as `unfinishedFrom` stores it, or null if another reader could not begin there. */
export function unfinishedAt({ start }: FeedPosition): string | null {
  if (start.kind === 'continuation') return start.token
  return start.kind === 'now' ? null : firstStart
}

/** Returns the part to deliver again, or null. Positions can be compared only if they are numbers. */
export function resumedFrom(lease: Lease): Resumed | null {
  const { unfinishedFrom: from, continuationToken: until, firstPosition } = lease
  if (from === null || until === null || Number.isNaN(numberIn(until))) return null
  if (from === firstStart) return firstPosition === null ? null : { from, start: firstPosition, until }
  return isBefore(from, until) ? { from, start: { kind: 'continuation', token: from }, until } : null
}

/** Returns whether both positions are numbers, and the first is smaller. */
export function isBefore(token: string, other: string): boolean {
  return numberIn(token) < numberIn(other)
}

function numberIn(token: string): number {
  return Number(/^"(\d+)"$/u.exec(token)?.[1] ?? Number.NaN)
}
