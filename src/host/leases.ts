import { CosmosLeaseStore, expired } from '../../lease-store/index.js'
import type { Connection } from './connection.js'
import { withContainers } from './connect.js'
import { processorNameOf, roles, type Role } from './role.js'

/** A lease as people look at it. */
export interface LeaseRow {
  readonly role: Role
  readonly leaseToken: string
  readonly owner: string | null
  /** Whether the owner has not renewed it for the expiration interval. */
  readonly isExpired: boolean
  readonly continuationToken: string | null
  /** ISO-8601 UTC: the owner's last write, by the store's clock. */
  readonly renewedAt: string
}

/** Default of the processor: how long a lease stands without a renewal. */
const defaultExpirationMs = 60_000

/** The leases of every role's unit, by role and token. */
export async function listLeases(
  connection: Connection & { readonly unitPrefix?: string; readonly expirationIntervalMs?: number },
): Promise<readonly LeaseRow[]> {
  const { unitPrefix, expirationIntervalMs = defaultExpirationMs } = connection
  return withContainers(connection, async ({ connection: opened, containers }) => {
    const rows: LeaseRow[] = []
    for (const role of roles) {
      const store = await CosmosLeaseStore.open({
        leaseContainer: containers.leases,
        monitoredContainer: containers.state,
        processorName: processorNameOf(role, unitPrefix),
      })
      const { leases, storeTimeMs } = await store.list()
      const dead =
        storeTimeMs === null ? new Set<string>() : expired(leases, storeTimeMs, expirationIntervalMs)
      for (const lease of leases) {
        const { leaseToken, owner, continuationToken } = lease
        const renewedAt = new Date(lease.storedAtMs).toISOString()
        rows.push({ role, leaseToken, owner, isExpired: dead.has(leaseToken), continuationToken, renewedAt })
      }
    }
    opened.close()
    return rows
  })
}
