import type { Lease } from './lease.js'

/** `_ts` and the store's `Date` are whole seconds, so a difference may overstate the time that passed by this much. */
const storeResolutionMs = 1_000

/**
 * The tokens of the owned leases whose owner has given no sign of life for `expirationMs`, by the store's clock alone:
 * neither this host's clock nor the owner's is asked, so no skew can take a lease from somebody alive.
 */
export function expired(
  leases: readonly Lease[],
  storeTimeMs: number,
  expirationMs: number,
): ReadonlySet<string> {
  const silentSinceMs = storeTimeMs - expirationMs - storeResolutionMs
  return tokensOf(leases.filter((lease) => lease.owner !== null && lease.storedAtMs <= silentSinceMs))
}

/** Since when each lease has been seen with the same etag, on the observer's monotonic clock. */
export type LeaseObservations = ReadonlyMap<string, { readonly etag: string; readonly sinceMs: number }>

/** What is known after seeing `leases` at `monotonicMs`: a changed etag is a sign of life. */
export function observe(
  earlier: LeaseObservations,
  leases: readonly Lease[],
  monotonicMs: number,
): LeaseObservations {
  return new Map(
    leases.map(({ leaseToken, etag }) => {
      const seen = earlier.get(leaseToken)
      return [leaseToken, seen?.etag === etag ? seen : { etag, sinceMs: monotonicMs }]
    }),
  )
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
  const isSilent = (lease: Lease): boolean => {
    const seen = observations.get(lease.leaseToken)
    return seen?.etag === lease.etag && monotonicMs - seen.sinceMs > expirationMs
  }
  return tokensOf(leases.filter((lease) => lease.owner !== null && isSilent(lease)))
}

function tokensOf(leases: readonly Lease[]): ReadonlySet<string> {
  return new Set(leases.map((lease) => lease.leaseToken))
}
