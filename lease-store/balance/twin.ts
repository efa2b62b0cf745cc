import type { Lease, LeaseOwner } from '../lease/lease.js'
import type { LeaseObservations } from '../lease/observation.js'

/**
 * A lease of another living process that goes by the name of this instance, or null. Alive means seen writing within
 * `expirationMs`: the leases of an earlier life of this instance only lie there until they expire (F-L16, F-L17).
 */
export function twinLease(
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

/** Of two processes of one name that see each other, exactly one gives way. */
export function givesWayTo(self: LeaseOwner, twin: Pick<Lease, 'incarnation'>): boolean {
  return (twin.incarnation ?? self.incarnation) < self.incarnation
}
