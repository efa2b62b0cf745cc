import type { Lease, LeaseOwner } from './lease.js'

/** What an observer has seen of one lease, and since when, on its own monotonic clock. */
export interface LeaseObservation {
  readonly lease: Lease
  /** Since when the lease has not changed at all. */
  readonly unchangedSinceMs: number
  /** Since when the same instance has been waiting for the same owner to hand it over, or to fetch it. */
  readonly handoverSinceMs: number
  /** When the owner was last seen to write it; null if it has not been seen writing. */
  readonly aliveAtMs: number | null
}

/** By lease token. */
export type LeaseObservations = ReadonlyMap<string, LeaseObservation>

/** What is known after seeing `leases` at `monotonicMs`. Leases that are gone are forgotten. */
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
