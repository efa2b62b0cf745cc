import { openConnection, type Connection } from './connection.js'
import { explained, openContainers } from './containers.js'

/** Where jobs and leases of a deployment are. */
export interface Provisioned {
  readonly endpoint: string
  readonly database: string
  readonly containers: readonly {
    readonly id: string
    readonly partitionKeyPath: string
    /** Whether it was made now; else it was there, and is as it must be. */
    readonly isNew: boolean
  }[]
}

/**
 * Makes the database and the containers that are missing, and checks those that are there.
 *
 * @throws ConfigurationInvalid, StoreUnavailable or StoreRefused, each saying what to do
 */
export async function provision(connection: Connection): Promise<Provisioned> {
  const opened = await openConnection(connection)
  const { client, database, endpoint } = opened
  try {
    const before = await existing(async () => {
      const { resources } = await client.database(database).containers.readAll().fetchAll()
      return resources.map(({ id }) => id)
    })
    const { state, leases } = await openContainers(opened)
    const containers = [
      { id: state.id, partitionKeyPath: '/pk', isNew: !before.includes(state.id) },
      { id: leases.id, partitionKeyPath: '/id', isNew: !before.includes(leases.id) },
    ]
    return { endpoint, database, containers }
  } catch (error) {
    throw explained(opened, error)
  } finally {
    opened.close()
  }
}

/** What is there; nothing where not even the database is. */
async function existing(list: () => Promise<string[]>): Promise<readonly string[]> {
  try {
    return await list()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 404) return []
    throw error
  }
}
