import type { Lease, LeaseOwner } from './lease.js'

/** The observations of one lease, with times of the observer's own monotonic clock. */
export interface LeaseObservation {
  readonly lease: Lease
  /** The time since which the lease has not changed at all. */
  readonly unchangedSinceMs: number
  /**
   * The time since which the same requester has been waiting for the same owner, or has not fetched the free
   * lease.
   */
  readonly handoverSinceMs: number
  /** The time when the owner was last seen writing the lease; null if it has not been seen writing. */
  readonly aliveAtMs: number | null
}

/** Observations by lease token. */
export type LeaseObservations = ReadonlyMap<string, LeaseObservation>

/**
 * Returns the observations after `leases` were seen at `monotonicMs`. Forgets leases that no longer exist.
 */
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
