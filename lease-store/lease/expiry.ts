import type { Lease } from './lease.js'
import type { LeaseObservations } from './observation.js'

/**
 * `_ts` and the store's `Date` are whole seconds. The difference between two such times may therefore exceed
 * the true interval by this much.
 */
const storeResolutionMs = 1_000

/**
 * Returns the tokens of the owned leases whose owner has shown no sign of life for `expirationMs`. Only the
 * store's clock counts, not the clock of this host or of the owner. Wrong clocks of hosts therefore never
 * take a lease from a living owner (F-L15).
 */
export function expired(
  leases: readonly Lease[],
  storeTimeMs: number,
  expirationMs: number,
): ReadonlySet<string> {
  return tokensOf(leases.filter((lease) => lease.owner !== null && isOlder(lease, storeTimeMs, expirationMs)))
}

/**
 * Returns the tokens of the expired leases. Unlike {@link expired}, this function does not need the store's
 * time. A lease counts as expired if it has an owner and this instance has seen the lease unchanged for
 * `expirationMs`. Both functions are equally safe. After a restart of this instance, however, this function
 * finds an expired lease one interval later.
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
