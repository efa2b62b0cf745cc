import { isOlder } from '../lease/expiry.js'
import type { Lease, LeaseOwner } from '../lease/lease.js'
import type { LeaseObservations } from '../lease/observation.js'
import { isSameOwner } from '../lease/transitions.js'

/** What decides how long a request for hand-over is worth something. */
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
 * The leases this instance has asked for whose owner has not answered within two renew intervals, and that may be taken
 * now. Only owners that do not say which life they are in, .NET hosts, do not answer: one of ours hands over or, its
 * delegate still at work, renews; when it does neither, its lease expires. So between instances of ours a lease never has
 * two owners (I12), and a long page is not cut short by balancing.
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
 * The leases that were asked for by an instance that, were it alive, would have them by now: kept for it for two
 * acquire intervals after they were handed over, or for so long after their owner should have answered.
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
