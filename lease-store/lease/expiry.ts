import type { Lease } from './lease.js'
import type { LeaseObservations } from './observation.js'

/** The largest error of the difference between two times in whole seconds (`_ts` and the store's `Date`). */
const storeResolutionMs = 1_000

/**
 * Returns the tokens of owned leases whose owner has shown no sign of life for `expirationMs`. Only the
 * store's clock counts, so a host with a wrong clock never takes a lease from a living owner (F-L15).
 */
export function expired(
  leases: readonly Lease[],
  storeTimeMs: number,
  expirationMs: number,
): ReadonlySet<string> {
  return tokensOf(leases.filter((lease) => lease.owner !== null && isOlder(lease, storeTimeMs, expirationMs)))
}

/**
 * Returns the tokens of expired leases, like {@link expired}, but without the store's time. A lease counts as
 * expired if it has an owner and this instance has seen no change of the lease for `expirationMs`. Both
 * functions are equally safe. After a restart of this instance, this function finds an expired lease up to
 * one expiration interval later than `expired` does.
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

/** Returns whether a lease was last written longer ago than `intervalMs`, by the store's clock. */
export function isOlder(lease: Pick<Lease, 'storedAtMs'>, storeTimeMs: number, intervalMs: number): boolean {
  return lease.storedAtMs <= storeTimeMs - intervalMs - storeResolutionMs
}

function tokensOf(leases: readonly Lease[]): ReadonlySet<string> {
  return new Set(leases.map((lease) => lease.leaseToken))
}
