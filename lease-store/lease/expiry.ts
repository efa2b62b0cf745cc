import type { Lease } from './lease.js'
import type { LeaseObservations } from './observation.js'

/** `_ts` and the store's `Date` are whole seconds, so a difference may overstate the time that passed by this much. */
const storeResolutionMs = 1_000

/**
 * The tokens of the owned leases whose owner has given no sign of life for `expirationMs`, by the store's clock alone:
 * neither this host's clock nor the owner's is asked, so no skew can take a lease from a living owner (F-L15).
 */
export function expired(
  leases: readonly Lease[],
  storeTimeMs: number,
  expirationMs: number,
): ReadonlySet<string> {
  return tokensOf(leases.filter((lease) => lease.owner !== null && isOlder(lease, storeTimeMs, expirationMs)))
}

/**
 * Expiry while the store has not told its time: the owned leases that have not changed under our eyes for
 * `expirationMs`. Slower by one interval than {@link expired} after a restart, and as safe.
 */
export function expiredByObservation(
  leases: readonly Lease[],
  observations: LeaseObservations,
  monotonicMs: number,
  expirationMs: number,
): ReadonlySet<string> {
  const isSilent = ({ leaseToken, etag }: Lease): boolean => {
    const seen = observations.get(leaseToken)
    return seen?.lease.etag === etag && monotonicMs - seen.unchangedSinceMs > expirationMs
  }
  return tokensOf(leases.filter((lease) => lease.owner !== null && isSilent(lease)))
}

/** Whether a lease was last written longer ago than `intervalMs`, by the store's clock. */
export function isOlder(lease: Pick<Lease, 'storedAtMs'>, storeTimeMs: number, intervalMs: number): boolean {
  return lease.storedAtMs <= storeTimeMs - intervalMs - storeResolutionMs
}

function tokensOf(leases: readonly Lease[]): ReadonlySet<string> {
  return new Set(leases.map((lease) => lease.leaseToken))
}
