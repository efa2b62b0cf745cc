import type { Lease, LeaseOwner } from './lease.js'

/**
 * What may become of a lease. Each answers the lease to write on condition of its etag (I12); `now` is the writer's
 * wall clock, stored as `timestamp` by every write of an owner because .NET hosts judge expiry by it.
 */

/** Makes `owner` the owner, whatever the owner or requester was before. */
export function acquire(lease: Lease, owner: LeaseOwner, now: number): Lease {
  const { instanceName, incarnation } = owner
  return { ...lease, owner: instanceName, incarnation, handover: null, timestampMs: now }
}

/**
 * Notes the request of `requester`, in place of an earlier one. It is the only write by another instance than the owner,
 * so it does not change `timestamp`, the owner's sign of life.
 */
export function requestHandover(lease: Lease, requester: LeaseOwner): Lease {
  return { ...lease, handover: requester }
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

/** Frees the lease at once, for its requester or else for any instance. */
export function release(lease: Lease, now: number): Lease {
  return { ...lease, owner: null, incarnation: null, timestampMs: now }
}

/** Whether both are the same life of the same instance. */
export function isSameOwner(left: LeaseOwner, right: LeaseOwner): boolean {
  return left.instanceName === right.instanceName && left.incarnation === right.incarnation
}

/** Whether this very life of this very instance owns the lease. */
export function isOwnedBy(lease: Lease, owner: LeaseOwner): boolean {
  return lease.owner === owner.instanceName && lease.incarnation === owner.incarnation
}
