import type { Container } from '@azure/cosmos'
import { accountHostOf, javaLeasePrefix } from '../../lease-store/index.js'

/** Where a unit's leases would be, and what it is called. */
export interface JavaCheckOptions {
  readonly monitoredContainer: Container
  readonly leaseContainer: Container
  readonly processorName: string
  readonly onCharge: (operation: string, charge: number) => void
}

/**
 * Why this processor name belongs to hosts of the Java SDK, if it does (F-L25). Their `handleChanges` names leases by
 * database and container, so they are not among the leases that this library lists. Beside them every change would be
 * delivered twice, and Java hosts cannot start once leases of this library are there.
 */
export async function javaUnitProblems(options: JavaCheckOptions): Promise<string[]> {
  const { monitoredContainer, leaseContainer, processorName, onCharge } = options
  const prefix = javaLeasePrefix({
    processorName,
    accountHost: await accountHostOf(monitoredContainer),
    databaseName: monitoredContainer.database.id,
    containerName: monitoredContainer.id,
  })
  const iterator = leaseContainer.items.query<string>({
    query: 'SELECT VALUE c.id FROM c WHERE STARTSWITH(c.id, @prefix)',
    // Leases follow it with "..", the marker with ".info" and the lock with ".lock".
    parameters: [{ name: '@prefix', value: `${prefix}.` }],
  })
  const { resources, requestCharge } = await iterator.fetchAll()
  onCharge('lease.list', requestCharge)
  const [id] = resources
  if (id === undefined) return []
  return [
    `leaseContainer ${JSON.stringify(leaseContainer.id)} holds ${JSON.stringify(id)}, which hosts of the Java SDK ` +
      `wrote for processorName ${JSON.stringify(processorName)}; their leases cannot be shared: choose another ` +
      'processorName',
  ]
}
