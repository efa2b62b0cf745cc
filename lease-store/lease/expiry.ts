import type { Lease } from './lease.js'
import type { LeaseObservations } from './observation.js'

/**
 * `_ts` and the store's `Date` are whole seconds, so a difference may overstate the time that passed by this
 * much.
 */
const storeResolutionMs = 1_000

/**
 * Returns the tokens of the owned leases whose owner has shown no sign of life for `expirationMs`. Only the
 * store's clock counts, neither this host's nor the owner's, so no skew can take a lease from a living owner
 * (F-L15).
 */
export function expired(
  leases: readonly Lease[],
  storeTimeMs: number,
  expirationMs: number,
): ReadonlySet<string> {
  return tokensOf(leases.filter((lease) => lease.owner !== null && isOlder(lease, storeTimeMs, expirationMs)))
}

/**
 * Returns the tokens of the expired leases while the store's time is unknown: the owned leases that this
 * instance has seen unchanged for `expirationMs`. After a restart this takes one interval longer than
 * {@link expired}, and is as safe.
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
