import { openConnection, type Connection } from './connection.js'
import { keepVersions } from './keep-versions.js'
import { containerRoles, explained, openContainers } from './containers.js'

export interface Provisioned {
  readonly endpoint: string
  readonly database: string
  readonly containers: readonly {
    readonly id: string
    readonly partitionKeyPath: string
    /** False if the container already existed. It then has the required settings. */
    readonly isNew: boolean
  }[]
  /** The time for which the state container keeps all versions, if this call has set it. */
  readonly keepsVersionsForMs?: number
}

/**
 * Creates the database and the containers if they are missing, and checks the containers that exist. With
 * `keepVersionsMs`, the state container keeps all versions of its documents for this time.
 *
 * @throws ConfigurationInvalid, StoreUnavailable or StoreRefused, each with advice
 */
export async function provision(
  connection: Connection,
  { keepVersionsMs }: { readonly keepVersionsMs?: number | undefined } = {},
): Promise<Provisioned> {
  const opened = await openConnection(connection)
  const { client, database, endpoint } = opened
  try {
    const before = await existing(async () => {
      const { resources } = await client.database(database).containers.readAll().fetchAll()
      return resources.map(({ id }) => id)
    })
    const there = await openContainers(opened)
    if (keepVersionsMs !== undefined) await keepVersions(there.state, keepVersionsMs)
    const containers = (['state', 'leases'] as const).map((purpose) => {
      const { id } = there[purpose]
      const [partitionKeyPath] = containerRoles[purpose].partitionKeys
      return { id, partitionKeyPath, isNew: !before.includes(id) }
    })
    const kept = keepVersionsMs === undefined ? {} : { keepsVersionsForMs: keepVersionsMs }
    return { endpoint, database, containers, ...kept }
  } catch (error) {
    throw explained(opened, error)
  } finally {
    opened.close()
  }
}

/** Returns the ids that `list` finds, or none if the database does not exist. */
async function existing(list: () => Promise<string[]>): Promise<readonly string[]> {
  try {
    return await list()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 404) return []
    throw error
  }
}
