import type { Lease, LeaseOwner } from './lease.js'

/**
 * The transitions of a lease. Each returns the lease to write on condition of its etag (I12). `now` is the
 * writer's wall clock. Every write of an owner stores it as `timestamp`, because .NET hosts judge expiry by
 * it.
 */

/** Assigns the lease to `owner` and clears any pending hand-over. */
export function acquire(lease: Lease, owner: LeaseOwner, now: number): Lease {
  const { instanceName, incarnation } = owner
  return { ...lease, owner: instanceName, incarnation, handover: null, timestampMs: now }
}

/**
 * Records the request of `requester`, in place of an earlier one. Another instance than the owner writes it,
 * so it does not change `timestamp`, the owner's sign of life.
 */
export function requestHandover(lease: Lease, requester: LeaseOwner): Lease {
  return { ...lease, handover: requester }
}

/** Renews the lease: only the time of the last sign of life changes. */
export function renew(lease: Lease, now: number): Lease {
  return { ...lease, timestampMs: now }
}

/** Stores `continuationToken` as the position reached. Also a sign of life. */
export function checkpoint(lease: Lease, continuationToken: string, now: number): Lease {
  return { ...lease, continuationToken, timestampMs: now }
}

/** Sets another position to read from. The position stored before no longer counts. */
export function reposition(
  lease: Lease,
  position: Pick<Lease, 'continuationToken' | 'firstPosition'>,
): Lease {
  return { ...lease, ...position }
}

/** Frees the lease at once, for its requester or else for any instance. */
export function release(lease: Lease, now: number): Lease {
  return { ...lease, owner: null, incarnation: null, timestampMs: now }
}

/** Returns whether both are the same life of the same instance. */
export function isSameOwner(left: LeaseOwner, right: LeaseOwner): boolean {
  return left.instanceName === right.instanceName && left.incarnation === right.incarnation
}

/** Returns whether this life of this instance owns the lease. */
export function isOwnedBy(lease: Lease, owner: LeaseOwner): boolean {
  return lease.owner === owner.instanceName && lease.incarnation === owner.incarnation
}
