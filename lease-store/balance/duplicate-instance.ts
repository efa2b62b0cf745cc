import type { Lease, LeaseOwner } from '../lease/lease.js'
import type { LeaseObservations } from '../lease/observation.js'

/**
 * Returns a lease of another living process with the same name as this instance, or null if there is none. A
 * process counts as alive if it has written a lease within the last `expirationMs`. An earlier life of this
 * instance no longer writes leases, so this function does not return its leases (F-L16, F-L17).
 */
export function duplicateInstanceLease(
  observations: LeaseObservations,
  self: LeaseOwner,
  monotonicMs: number,
  expirationMs: number,
): Lease | null {
  for (const { lease, aliveAtMs } of observations.values()) {
    const { owner, incarnation } = lease
    const isTwin =
      owner?.toLowerCase() === self.instanceName.toLowerCase() &&
      incarnation !== null &&
      incarnation !== self.incarnation
    if (isTwin && aliveAtMs !== null && monotonicMs - aliveAtMs < expirationMs) return lease
  }
  return null
}

/** Returns whether this instance must stop in favour of `twin`. Exactly one of the two must stop. */
export function yieldsTo(self: LeaseOwner, twin: Pick<Lease, 'incarnation'>): boolean {
  return (twin.incarnation ?? self.incarnation) < self.incarnation
}
