import type { Lease, LeaseOwner } from './lease.js'

/**
 * The transitions of a lease. Each function returns the lease to write, which is written only if the stored
 * etag is unchanged (I12). `now` is the time by the writer's wall clock. Every write by an owner stores this
 * time as `timestamp`, because .NET hosts use the timestamp to decide whether a lease has expired.
 */

/**
 * Assigns the lease to `owner` and clears any pending hand-over. The unfinished work of an owner that is not
 * known to be dead stays with that owner.
 */
export function acquire(lease: Lease, owner: LeaseOwner, now: number): Lease {
  const {
    instanceName,
    incarnation,
    process = null,
    wakeAddress = null,
    version = null,
    serves = null,
  } = owner
  const unfinishedFrom = lease.owner === null ? lease.unfinishedFrom : null
  return {
    ...lease,
    owner: instanceName,
    incarnation,
    process,
    wakeAddress,
    version,
    serves,
    report: null,
    unfinishedFrom,
    handover: null,
    timestampMs: now,
  }
}

/** Replaces the requester. The owner's sign of life (`timestamp`) does not change. */
export function requestHandover(lease: Lease, requester: LeaseOwner): Lease {
  return { ...lease, handover: requester }
}

/** Removes the request. If the lease is free, it is then not reserved for any instance. */
export function withdrawRequest(lease: Lease): Lease {
  return { ...lease, handover: null }
}

/** Renews the lease. Only the time of the last sign of life changes. */
export function renew(lease: Lease, now: number): Lease {
  return { ...lease, timestampMs: now }
}

/** Stores `continuationToken` as the position reached. The write is also a sign of life. */
export function checkpoint(lease: Lease, continuationToken: string, now: number): Lease {
  return { ...lease, continuationToken, timestampMs: now }
}

/** Replaces the position from which the lease is read. */
export function reposition(
  lease: Lease,
  position: Pick<Lease, 'continuationToken' | 'firstPosition'>,
): Lease {
  return { ...lease, ...position, unfinishedFrom: null }
}

/** Frees the lease. If the lease has a requester, it is kept for that requester. */
export function release(lease: Lease, now: number): Lease {
  return { ...releaseOfDead(lease, now), unfinishedFrom: null }
}

/**
 * Frees the lease of an owner whose process has certainly ended. The next owner continues the unfinished
 * work. The report of the owner stays, because a part of it may still be true.
 */
export function releaseOfDead(lease: Lease, now: number): Lease {
  const unowned = {
    owner: null,
    incarnation: null,
    process: null,
    wakeAddress: null,
    version: null,
    serves: null,
  }
  return { ...lease, ...unowned, timestampMs: now }
}

/** Returns whether both owners are the same life of the same instance. */
export function isSameOwner(left: LeaseOwner, right: LeaseOwner): boolean {
  return left.instanceName === right.instanceName && left.incarnation === right.incarnation
}

/** Returns whether this life of this instance owns the lease. */
export function isOwnedBy(lease: Lease, owner: LeaseOwner): boolean {
  return lease.owner === owner.instanceName && lease.incarnation === owner.incarnation
}
