import {
  PartitionKeyDefinitionVersion,
  type Container,
  type ContainerRequest,
  type Database,
} from '@azure/cosmos'
import { cosmosErrorKind, isTransient } from '../../lease-store/internal.js'
import { StoreRefused, StoreUnavailable } from '../sas/index.js'
import type { OpenConnection } from './connection.js'

export interface Containers {
  readonly state: Container
  readonly leases: Container
}

/**
 * Only the queried paths are indexed, because every other one would add to the cost of each write.
 */
const stateIndexPaths = [
  '/type/?',
  '/processState/?',
  '/completeByMs/?',
  '/submittedAtMs/?',
  '/jobId/?',
  '/workflow/?',
  '/actor/?',
  '/attention/kind/?',
  '/attention/since/?',
  '/orderId/?',
  '/priority/?',
]

function indexing(paths: readonly string[]) {
  return { includedPaths: paths.map((path) => ({ path })), excludedPaths: [{ path: '/*' }] }
}

/**
 * Returns the containers of a connection. Creates missing ones if the connection may do so.
 *
 * @throws StoreUnavailable when the store is not reached
 * @throws StoreRefused when a container is missing or has wrong settings, saying what to do
 */
export async function openContainers(connection: OpenConnection): Promise<Containers> {
  try {
    const database = await openDatabase(connection)
    const [state, leases] = await Promise.all([
      openContainer(connection, database, {
        id: connection.container,
        partitionKey: { paths: ['/pk'], version: PartitionKeyDefinitionVersion.V2 },
        defaultTtl: -1,
        indexingPolicy: indexing(stateIndexPaths),
      }),
      openContainer(connection, database, {
        id: connection.leaseContainer,
        partitionKey: { paths: ['/id'], version: PartitionKeyDefinitionVersion.V2 },
        defaultTtl: -1,
        indexingPolicy: indexing(['/id/?']),
      }),
    ])
    return { state, leases }
  } catch (error) {
    throw explained(connection, error)
  }
}

async function openDatabase({ client, database, mayProvision }: OpenConnection): Promise<Database> {
  if (!mayProvision) return client.database(database)
  await createdByAnybody(() => client.databases.createIfNotExists({ id: database }))
  return client.database(database)
}

/** Ignores a conflict: two hosts that start at the same time both find nothing and both create. */
async function createdByAnybody(create: () => Promise<unknown>): Promise<void> {
  try {
    await create()
  } catch (error) {
    if (cosmosErrorKind(error).kind !== 'conflict') throw error
  }
}

async function openContainer(
  connection: OpenConnection,
  database: Database,
  wanted: ContainerRequest & { readonly id: string; readonly partitionKey: { readonly paths: string[] } },
): Promise<Container> {
  if (connection.mayProvision) await createdByAnybody(() => database.containers.createIfNotExists(wanted))
  const { container, resource } = await database.container(wanted.id).read()
  const problems = containerProblems({ ...resource, id: wanted.id }, wanted.partitionKey.paths)
  if (problems.length > 0) throw new StoreRefused(problems.join('; '))
  return container
}

/** Returns the settings of a container that the library cannot work with. */
function containerProblems(
  found: {
    readonly id: string
    readonly partitionKey?: { readonly paths: readonly string[] }
    readonly defaultTtl?: number
  },
  wantedPaths: readonly string[],
): readonly string[] {
  const name = `container ${JSON.stringify(found.id)}`
  const paths = found.partitionKey?.paths ?? []
  const problems: string[] = []
  if (paths.join() !== wantedPaths.join()) {
    const rule = `it must be by ${wantedPaths.join()}: name another container, or create it again`
    problems.push(`${name} is partitioned by ${paths.join()}, ${rule}`)
  }
  if (found.defaultTtl !== undefined && found.defaultTtl !== -1) {
    // I18: unfinished work never expires.
    const rule =
      'documents that say nothing must never expire: set its default time to live to on (no default), -1'
    problems.push(`${name} deletes documents after ${found.defaultTtl} seconds, ${rule}`)
  }
  return problems
}

/** Explains an error of a connection and says what to do. Returns other errors unchanged. */
export function explained({ endpoint, database }: OpenConnection, error: unknown): Error {
  if (error instanceof StoreRefused) return error
  const { kind } = cosmosErrorKind(error)
  const cause = { cause: error }
  if (kind === 'unauthorized') {
    return new StoreRefused(
      `${endpoint} refused the key: check --key, COSMOS_KEY or the connection string`,
      cause,
    )
  }
  if (kind === 'forbidden') {
    const advice =
      'give it the Cosmos DB Built-in Data Contributor role on the database, and wait some minutes'
    return new StoreRefused(
      `${endpoint} forbids this identity to use database ${JSON.stringify(database)}: ${advice}`,
      cause,
    )
  }
  if (kind === 'notFound') {
    const advice =
      'check the names; starting an instance or submitting a job with a key creates what is missing'
    return new StoreRefused(
      `${endpoint}: database ${JSON.stringify(database)} or a container in it is missing: ${advice}`,
      cause,
    )
  }
  if (isTransient(kind)) {
    const advice = 'check the address, or start an embedded store with "stepward emulator"'
    return new StoreUnavailable(`no answer from ${endpoint}: ${advice}`, cause)
  }
  return error instanceof Error ? error : new Error(String(error))
}
