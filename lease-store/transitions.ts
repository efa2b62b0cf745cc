import type { Lease, LeaseOwner } from './lease.js'

/**
 * What may become of a lease. Each answers the lease to write on condition of its etag; `now` is the writer's wall
 * clock, stored as `timestamp` by every write because .NET hosts judge expiry by it.
 */

/** Owned by `owner` from now on, whoever had it before. */
export function acquire(lease: Lease, owner: LeaseOwner, now: number): Lease {
  return { ...lease, owner: owner.instanceName, incarnation: owner.incarnation, timestampMs: now }
}

/** Still owned: only the time of the last sign of life changes. */
export function renew(lease: Lease, now: number): Lease {
  return { ...lease, timestampMs: now }
}

/** Read up to `continuationToken`. Also a sign of life. */
export function checkpoint(lease: Lease, continuationToken: string, now: number): Lease {
  return { ...lease, continuationToken, timestampMs: now }
}

/** To be read from somewhere else: what was stored before counts no more. */
export function reposition(
  lease: Lease,
  position: Pick<Lease, 'continuationToken' | 'firstPosition'>,
): Lease {
  return { ...lease, ...position }
}

/** Free for anybody, at once. */
export function release(lease: Lease, now: number): Lease {
  return { ...lease, owner: null, incarnation: null, timestampMs: now }
}

/** Whether this very life of this very instance owns the lease. */
export function isOwnedBy(lease: Lease, owner: LeaseOwner): boolean {
  return lease.owner === owner.instanceName && lease.incarnation === owner.incarnation
}
