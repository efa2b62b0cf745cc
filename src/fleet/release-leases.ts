import { releaseOfDead, type Lease, type LeaseStore } from '../../lease-store/index.js'

/**
 * Releases the leases of an instance that is known to be dead, and returns their tokens. A write succeeds
 * only if the etag has not changed since the read (I12), so a lease that another instance has taken stays
 * unchanged.
 */
export async function releaseLeasesOf(
  instanceName: string,
  leaseStore: LeaseStore,
  now: number,
): Promise<readonly string[]> {
  const { leases } = await leaseStore.list()
  const owned = leases.filter(({ owner }) => owner === instanceName)
  const released = await Promise.all(owned.map((lease) => releasedIfUnchanged(lease, leaseStore, now)))
  return released.flat()
}

async function releasedIfUnchanged(
  lease: Lease,
  leaseStore: LeaseStore,
  now: number,
): Promise<readonly string[]> {
  const outcome = await leaseStore.replace(releaseOfDead(lease, now))
  return outcome.kind === 'written' ? [lease.leaseToken] : []
}
