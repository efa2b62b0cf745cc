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
  /** The store's time, or null if it is unknown. */
  readonly storeTimeMs: number | null
  readonly leaseRenewIntervalMs: number
  readonly leaseAcquireIntervalMs: number
}

/**
 * Returns the tokens of the leases that this instance has requested and may now take without an answer. The
 * owner of each lease has not answered within two renew intervals.
 *
 * This happens only to leases of owners without an incarnation (.NET hosts). An owner of this library hands
 * over the lease, or renews it while its delegate still works on a page. If the owner does neither, the lease
 * expires. Between instances of this library, a lease therefore never has two owners (I12), and balancing
 * never interrupts a long page.
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
 * Returns the tokens of the leases whose requester has had enough time to take them, and has not done so. A
 * free lease is kept for its requester for two acquire intervals. If the lease still has its owner, the
 * requester has two renew intervals (for the owner's answer) plus two acquire intervals.
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
