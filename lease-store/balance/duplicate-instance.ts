import type { Lease, LeaseOwner } from '../lease/lease.js'
import type { LeaseObservations } from '../lease/observation.js'

/**
 * Returns a lease of another living process with the same name as this instance, or null. A process is alive
 * if it was seen writing within `expirationMs`. Leases of an earlier life of this instance are not written;
 * they only wait to expire (F-L16, F-L17).
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

/**
 * Returns whether this instance gives way to `twin`. Of two processes with one name that see each other,
 * exactly one does.
 */
export function yieldsTo(self: LeaseOwner, twin: Pick<Lease, 'incarnation'>): boolean {
  return (twin.incarnation ?? self.incarnation) < self.incarnation
}
