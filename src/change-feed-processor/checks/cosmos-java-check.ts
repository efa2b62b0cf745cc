import type { Container } from '@azure/cosmos'
import { accountHostOf, javaLeasePrefix } from '../../../lease-store/internal.js'

/** The containers and the processor name of a deployment unit. */
export interface JavaCheckOptions {
  readonly monitoredContainer: Container
  readonly leaseContainer: Container
  readonly processorName: string
  readonly onCharge: (operation: string, charge: number) => void
}

/**
 * Finds leases that hosts of the Java SDK use under this processor name (F-L25). Java's `handleChanges` names
 * leases after the database and the container, so the lease store does not list these leases. If both kinds
 * of hosts ran, every change would be delivered twice. Java hosts cannot start once leases of this library
 * exist.
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
    // All of Java's ids have a dot after the prefix: a lease has "..", the marker has ".info", and the lock
    // has ".lock".
    parameters: [{ name: '@prefix', value: `${prefix}.` }],
  })
  const { resources, requestCharge } = await iterator.fetchAll()
  onCharge('lease.list', requestCharge)
  const [id] = resources
  if (id === undefined) return []
  return [
    `leaseContainer ${JSON.stringify(leaseContainer.id)} holds document ${JSON.stringify(id)}, which hosts ` +
      `of the Java SDK wrote for processorName ${JSON.stringify(processorName)}; the leases of such hosts ` +
      'cannot be shared, so choose another processorName',
  ]
}
