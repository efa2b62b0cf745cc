import { isOlder } from '../lease/expiry.js'
import type { Lease, LeaseOwner } from '../lease/lease.js'
import type { LeaseObservations } from '../lease/observation.js'
import { isSameOwner } from '../lease/transitions.js'

/** The facts that decide how long a request for hand-over stays valid. */
export interface HandoverPatience {
  readonly self: LeaseOwner
  readonly observations: LeaseObservations
  /** The observer's monotonic clock. */
  readonly monotonicMs: number
  /** The store's time, or null when it is not known. */
  readonly storeTimeMs: number | null
  readonly leaseRenewIntervalMs: number
  readonly leaseAcquireIntervalMs: number
}

/**
 * Returns the tokens of the leases that this instance has requested, whose owner has not answered within two
 * renew intervals, and that may be taken now.
 *
 * Only owners without an incarnation (.NET hosts) leave a request unanswered. An instance of this library
 * hands the lease over or, while its delegate is still at work, renews it. If it does neither, its lease
 * expires. Between instances of this library a lease therefore never has two owners (I12), and balancing does
 * not cut a long page short.
 */
export function unanswered(leases: readonly Lease[], patience: HandoverPatience): ReadonlySet<string> {
  const { self, leaseRenewIntervalMs } = patience
  return tokensOf(
    leases.filter(
      ({ leaseToken, owner, incarnation, handover }) =>
        owner !== null &&
        incarnation === null &&
        handover !== null &&
        isSameOwner(handover, self) &&
        waitedMs(leaseToken, patience) > 2 * leaseRenewIntervalMs,
    ),
  )
}

/**
 * Returns the tokens of the leases whose requester would have fetched them by now if it were alive. A free
 * lease is kept for its requester for two acquire intervals. An owned lease is kept until two acquire
 * intervals after the owner should have answered.
 */
export function lapsed(leases: readonly Lease[], patience: HandoverPatience): ReadonlySet<string> {
  const { self, leaseRenewIntervalMs, leaseAcquireIntervalMs } = patience
  const fetchMs = 2 * leaseAcquireIntervalMs
  const isLapsed = (lease: Lease): boolean => {
    if (lease.handover === null || isSameOwner(lease.handover, self)) return false
    const waited = waitedMs(lease.leaseToken, patience)
    if (lease.owner !== null) return waited > 2 * leaseRenewIntervalMs + fetchMs
    const isLongFree = patience.storeTimeMs !== null && isOlder(lease, patience.storeTimeMs, fetchMs)
    return isLongFree || waited > fetchMs
  }
  return tokensOf(leases.filter(isLapsed))
}

function waitedMs(leaseToken: string, { observations, monotonicMs }: HandoverPatience): number {
  return monotonicMs - (observations.get(leaseToken)?.handoverSinceMs ?? monotonicMs)
}

function tokensOf(leases: readonly Lease[]): ReadonlySet<string> {
  return new Set(leases.map((lease) => lease.leaseToken))
}
