import { CosmosLeaseStore, release, type Lease, type LeaseStore } from '../../../lease-store/index.js'
import type { Clock } from '../../platform/index.js'
import { openConnection, type Connection } from '../connection.js'
import { processorNameOf, type Role } from '../role.js'

/**
 * Releases what one instance, known to be dead, still owns. I12: each write stands on the etag that was read, so what
 * somebody has taken meanwhile stays theirs; no other owner's lease is touched.
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

/** The leases of a role's processes, as their parent looks at them: how many there are, and whose are to be released. */
export class FleetLeases {
  private stores: Promise<readonly LeaseStore[]> | null = null
  private close: () => void = () => undefined

  constructor(
    private readonly connection: Connection & { readonly unitPrefix?: string },
    private readonly roles: readonly Role[],
    private readonly clock: Clock,
  ) {}

  /** Every lease it owned, in all roles. A store that does not answer is left alone: the leases expire (I8). */
  async release(instanceName: string): Promise<readonly string[]> {
    try {
      this.stores ??= this.open()
      const stores = await this.stores
      const now = this.clock.now()
      const released = await Promise.all(stores.map((store) => releaseLeasesOf(instanceName, store, now)))
      return released.flat()
    } catch {
      this.dispose()
      return []
    }
  }

  /** How many leases the role with most has, so how many instances are of use; null when the store does not say. */
  async count(): Promise<number | null> {
    try {
      this.stores ??= this.open()
      const listings = await Promise.all((await this.stores).map((store) => store.list()))
      return Math.max(...listings.map(({ leases }) => leases.length))
    } catch {
      this.dispose()
      return null
    }
  }

  dispose(): void {
    this.close()
    this.close = () => undefined
    this.stores = null
  }

  private async open(): Promise<readonly LeaseStore[]> {
    const { connection: given, roles } = this
    const connection = await openConnection(given)
    this.close = () => connection.close()
    const database = connection.client.database(connection.database)
    return Promise.all(
      roles.map((role) =>
        CosmosLeaseStore.open({
          leaseContainer: database.container(connection.leaseContainer),
          monitoredContainer: database.container(connection.container),
          processorName: processorNameOf(role, given.unitPrefix),
        }),
      ),
    )
  }
}
