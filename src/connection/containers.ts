import type { Container, ContainerRequest, Database, PartitionKeyDefinitionVersion } from '@azure/cosmos'
import {
  containerFindings,
  cosmosErrorKind,
  findingText,
  isTransient,
  leaseContainerRole,
  probeContainer,
  type ContainerFinding,
  type ContainerRole,
} from '../../lease-store/internal.js'
import { errorMessage } from '../platform/internal.js'
import { StoreRefused, StoreUnavailable } from '../sas/index.js'
import { stateContainerRole } from './state-container.js'
import type { OpenConnection } from './connection.js'

export interface Containers {
  readonly state: Container
  readonly leases: Container
  /** Advice on settings that work, but let documents accumulate. */
  readonly advice: readonly string[]
}

/** The version of hashes of partition keys that have up to 2 KB. A value of the SDK's enum would load the whole SDK. */
const version2: PartitionKeyDefinitionVersion.V2 = 2

/** The roles of both containers. No .NET host shares the leases, so one partition key path is enough. */
export const containerRoles = {
  state: stateContainerRole,
  leases: { ...leaseContainerRole, partitionKeys: ['/id'] },
} as const satisfies Readonly<Record<string, ContainerRole>>

/**
 * Returns the containers of a connection. Creates missing ones if the connection may do so.
 *
 * @throws StoreUnavailable if the store cannot be reached
 * @throws StoreRefused if a container is missing or has wrong settings, with advice
 */
export async function openContainers(connection: OpenConnection): Promise<Containers> {
  try {
    const database = await openDatabase(connection)
    const [state, leases] = await Promise.all([
      openContainer(connection, database, 'state'),
      openContainer(connection, database, 'leases'),
    ])
    return { state: state.container, leases: leases.container, advice: [...state.advice, ...leases.advice] }
  } catch (error) {
    throw explained(connection, error)
  }
}

async function openDatabase({ client, database, mayProvision }: OpenConnection): Promise<Database> {
  if (!mayProvision) return client.database(database)
  await createdByAnybody(() => client.databases.createIfNotExists({ id: database }))
  return client.database(database)
}

/**
 * Ignores a conflict, because two hosts that start together may try to create the same database or container.
 */
async function createdByAnybody(create: () => Promise<unknown>): Promise<void> {
  try {
    await create()
  } catch (error) {
    if (cosmosErrorKind(error).kind !== 'conflict') throw error
  }
}

async function openContainer(
  { mayProvision, container: state, leaseContainer: leases }: OpenConnection,
  database: Database,
  purpose: keyof typeof containerRoles,
): Promise<{ readonly container: Container; readonly advice: readonly string[] }> {
  const [id, role] = [{ state, leases }[purpose], containerRoles[purpose]]
  if (mayProvision) await createdByAnybody(() => database.containers.createIfNotExists(requestOf(id, role)))
  const container = database.container(id)
  const findings = containerFindings(await probeContainer(container), role)
  const textsOf = (wanted: ContainerFinding['severity']): string[] =>
    findings.filter(({ severity }) => severity === wanted).map(findingText)
  const fatal = textsOf('fatal')
  if (fatal.length > 0) throw new StoreRefused(fatal.join('; '))
  return { container, advice: textsOf('problem') }
}

function requestOf(id: string, { partitionKeys, indexedPaths }: ContainerRole): ContainerRequest {
  return {
    id,
    partitionKey: { paths: [partitionKeys[0]], version: version2 },
    defaultTtl: -1,
    indexingPolicy: {
      includedPaths: indexedPaths.map((path) => ({ path })),
      excludedPaths: [{ path: '/*' }],
    },
  }
}

/** Adds an explanation and advice to a connection error. Returns other errors unchanged. */
export function explained({ endpoint, database, embedded }: OpenConnection, error: unknown): Error {
  if (error instanceof StoreRefused) return error
  const { kind } = cosmosErrorKind(error)
  const cause = { cause: error }
  if (kind === 'unauthorized') {
    return new StoreRefused(
      `${endpoint} refused the key: check the key, or the connection string that contains it`,
      cause,
    )
  }
  if (kind === 'forbidden') {
    const advice =
      'give it the Cosmos DB Built-in Data Contributor role on the database, and wait a few minutes'
    return new StoreRefused(
      `${endpoint} forbids this identity to use database ${JSON.stringify(database)}: ${advice}`,
      cause,
    )
  }
  if (kind === 'notFound') {
    const advice =
      'check the names, or run "stepward provision" to create what is missing (with the key of the account)'
    return new StoreRefused(
      `${endpoint}: database ${JSON.stringify(database)} or a container in it is missing: ${advice}`,
      cause,
    )
  }
  if (isTransient(kind)) {
    // A store that answers has said itself what is wrong, for example that its disk is full.
    if (typeof Reflect.get(Object(error), 'code') === 'number')
      return new StoreUnavailable(`${endpoint} cannot serve requests: ${errorMessage(error)}`, cause)
    const advice =
      embedded === undefined
        ? 'check the address, or start an embedded store with "stepward emulator"'
        : 'the process that has it open does not answer, or its disk failed or is full: try again'
    return new StoreUnavailable(`no answer from ${endpoint}: ${advice}`, cause)
  }
  return error instanceof Error ? error : new Error(String(error))
}
