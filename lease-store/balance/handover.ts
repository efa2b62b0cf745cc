import { isOlder } from '../lease/expiry.js'
import type { Lease, LeaseOwner } from '../lease/lease.js'
import type { LeaseObservations } from '../lease/observation.js'
import { isSameOwner } from '../lease/transitions.js'

/** The facts that decide how long a request for hand-over stays valid. */
export interface HandoverPatience {
  readonly self: LeaseOwner
  readonly observations: LeaseObservations
  /** The time by the observer's monotonic clock. */
  readonly monotonicMs: number
  /** The store's time, or null if it is unknown. */
  readonly storeTimeMs: number | null
  readonly leaseRenewIntervalMs: number
  readonly leaseAcquireIntervalMs: number
}

/**
 * Returns the tokens of leases that this instance has requested and may now take, because their owner has not
 * answered within two renew intervals.
 *
 * Only owners without an incarnation (.NET hosts) leave a request unanswered. An owner that runs this library
 * hands over the lease, or renews the lease while its delegate works on a page. Otherwise the lease expires.
 * Among instances of this library, a lease therefore never has two owners (I12). Balancing never interrupts a
 * long page.
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
 * Returns the tokens of leases whose requester has not taken them in time. The requester of a free lease has
 * two acquire intervals. If the lease still has an owner, two renew intervals are added, in which the owner
 * can answer.
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
