import type { Lease, LeaseOwner } from './lease.js'

/** What this instance has observed about one lease. All times are by the observer's own monotonic clock. */
export interface LeaseObservation {
  readonly lease: Lease
  /** The time at which the lease was first seen in its current state. */
  readonly unchangedSinceMs: number
  /** The time at which the current requester was first seen with the current owner, or with no owner. */
  readonly handoverSinceMs: number
  /** The last time at which the owner was seen to have written the lease, or null if no write was seen. */
  readonly aliveAtMs: number | null
}

/** Observations by lease token. */
export type LeaseObservations = ReadonlyMap<string, LeaseObservation>

/** Returns the observations, updated with the leases seen at `monotonicMs`. Omits leases that are gone. */
export function observe(
  earlier: LeaseObservations,
  leases: readonly Lease[],
  monotonicMs: number,
): LeaseObservations {
  return new Map(
    leases.map((lease) => [lease.leaseToken, seenAgain(earlier.get(lease.leaseToken), lease, monotonicMs)]),
  )
}

function seenAgain(seen: LeaseObservation | undefined, lease: Lease, nowMs: number): LeaseObservation {
  const first = { lease, unchangedSinceMs: nowMs, handoverSinceMs: nowMs, aliveAtMs: null }
  if (seen === undefined) return first
  const isSameLife = seen.lease.owner === lease.owner && seen.lease.incarnation === lease.incarnation
  // A request for hand-over changes the etag too, but not the owner's timestamp.
  const isSignOfLife = isSameLife && lease.owner !== null && seen.lease.timestampMs !== lease.timestampMs
  return {
    lease,
    unchangedSinceMs: seen.lease.etag === lease.etag ? seen.unchangedSinceMs : nowMs,
    handoverSinceMs:
      isSameLife && isSameRequest(seen.lease.handover, lease.handover) ? seen.handoverSinceMs : nowMs,
    aliveAtMs: isSignOfLife ? nowMs : isSameLife ? seen.aliveAtMs : null,
  }
}

function isSameRequest(left: LeaseOwner | null, right: LeaseOwner | null): boolean {
  return left?.instanceName === right?.instanceName && left?.incarnation === right?.incarnation
}
