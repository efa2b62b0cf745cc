import { release, type Lease, type LeaseStore } from '../../lease-store/index.js'

/**
 * Releases the leases of one instance that is known to be dead, and returns the tokens of these leases. I12:
 * each write succeeds only if the etag has not changed since the read. A lease that another instance has
 * taken meanwhile therefore stays unchanged.
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
  const outcome = await leaseStore.replace(release(lease, now))
  return outcome.kind === 'written' ? [lease.leaseToken] : []
}
