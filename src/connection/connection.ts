import type { CosmosClient, CosmosClientOptions } from '@azure/cosmos'
import { ownCosmosClient } from '../change-feed-processor/internal.js'
import { withoutUndefined } from '../platform/internal.js'
import { flag, having, optional, readPart, secretThat, text, textThat } from '../platform/options.js'
import type { PayloadStore } from '../sas/index.js'
import { ConfigurationInvalid } from './errors.js'
import { credential } from './azure/identity.js'
import { payloadsAt } from './azure/payloads-at.js'

/** The address of the store and the names of the containers. */
export interface Connection {
  /** The URL of the account, such as `https://contoso.documents.azure.com`. */
  readonly endpoint?: string
  /**
   * The account's key. Without a key, `@azure/identity` finds the developer's login or the managed identity.
   */
  readonly key?: string
  /** A string such as `AccountEndpoint=…;AccountKey=…;`, instead of `endpoint` and `key`. */
  readonly connectionString?: string
  /** Default `stepward`. */
  readonly database?: string
  /** The name of the state container, for jobs, steps and your own documents. Default `state`. */
  readonly container?: string
  /** Default `leases`. */
  readonly leaseContainer?: string
  /**
   * The caller's own client, instead of `endpoint` and `key`. Closing the connection does not close this
   * client.
   */
  readonly client?: CosmosClient
  /**
   * An embedded Cosmos DB, instead of an address: the result of `createInProcessCosmos()`, `startEmulator()` or, if
   * another process of this machine has it open, `attachAccount(directory)`. Roles and clients then use its engine
   * directly, or through a local socket, which is several times faster than the SDK. Faults of the account do not apply to these calls, and its throughput is not limited. Closing the
   * connection does not close the account.
   */
  readonly embedded?: EmbeddedStore
  /**
   * Whether a missing database or container is created. Default true. Without a key or a client, the option
   * has no effect, because the data role of an identity cannot create databases or containers.
   */
  readonly provision?: boolean
  /**
   * The store of large inputs and outputs: `blobStorage({ … })` or `folder(path)`. All hosts and clients of a
   * deployment need the same store. Default: none, and large values are refused.
   */
  readonly payloads?: PayloadStore
}

/** An embedded Cosmos DB that this process or another process of this machine has open. */
export interface EmbeddedStore {
  client(): CosmosClient
}

/** The kind of the option for the payload store. */
const payloadsOption = optional(
  having<PayloadStore>('a payload store of blobStorage or folder', 'put', 'get', 'list', 'remove'),
)

/** The kinds of the options of a {@link Connection}. */
export const connectionShape = {
  endpoint: optional(
    textThat('a URL that begins with http:// or https://', (url) => /^https?:$/.test(protocolOf(url))),
  ),
  key: optional(
    secretThat('base64: copy it whole from the account', (key) => /^[A-Za-z0-9+/]+={0,2}$/.test(key)),
  ),
  connectionString: optional(
    secretThat('AccountEndpoint=https://…;AccountKey=…;', (value) => partsOf(value) !== null),
  ),
  database: optional(text(), 'stepward'),
  container: optional(text(), 'state'),
  leaseContainer: optional(text(), 'leases'),
  client: optional(having<CosmosClient>('a CosmosClient of @azure/cosmos', 'database')),
  embedded: optional(
    having<EmbeddedStore>('an account of createInProcessCosmos, startEmulator or attachAccount', 'client'),
  ),
  provision: optional(flag(), true),
  payloads: payloadsOption,
}

/** A connection with every name filled in. */
export interface OpenConnection {
  readonly client: CosmosClient
  /** The account whose engine is used directly, if there is one. */
  readonly embedded?: EmbeddedStore | undefined
  readonly endpoint: string
  readonly database: string
  readonly container: string
  readonly leaseContainer: string
  /** Whether databases and containers may be created. The data role of an identity does not permit this. */
  readonly mayProvision: boolean
  close(): void
}

const variables = {
  endpoint: 'COSMOS_ENDPOINT',
  key: 'COSMOS_KEY',
  connectionString: 'COSMOS_CONNECTION_STRING',
  database: 'COSMOS_DATABASE',
  container: 'COSMOS_CONTAINER',
  leaseContainer: 'COSMOS_LEASE_CONTAINER',
} as const

/** Returns the connection settings in the environment. Empty variables count as unset. */
export function connectionFromEnvironment(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Connection {
  const found = Object.entries(variables).flatMap(([option, variable]) => {
    const value = environment[variable]
    return value === undefined || value === '' ? [] : [[option, value]]
  })
  const place = environment['STEPWARD_PAYLOADS'] ?? ''
  const named = Object.fromEntries(found) as Connection
  return { ...named, ...(place === '' ? {} : { payloads: payloadsAt(place) }) }
}

type ConnectionPolicy = NonNullable<CosmosClientOptions['connectionPolicy']>

/**
 * The retry options of a process that itself retries, visibly and with the pause that the server advises. By
 * default, the client silently retries a throttled request nine times, for half a minute or more.
 */
export const impatient: ConnectionPolicy = {
  retryOptions: {
    maxRetryAttemptCount: 3,
    fixedRetryIntervalInMilliseconds: 0,
    maxWaitTimeInSeconds: 5,
  },
}

/**
 * Creates the client of a connection, but sends no request.
 *
 * @throws ConfigurationInvalid with every value that is missing or invalid
 */
export async function openConnection(
  connection: Connection,
  connectionPolicy: ConnectionPolicy = {},
): Promise<OpenConnection> {
  const { database = 'stepward', container = 'state', leaseContainer = 'leases' } = connection
  const { provision = true } = connection
  const embedded = connection.embedded ?? undefined
  const client = connection.client ?? embedded?.client()
  const problems = connectionProblems(connection)
  if (problems.length > 0) throw new ConfigurationInvalid(problems)
  const names = { database, container, leaseContainer }
  if (client !== undefined) {
    const close = (): void => {
      if (embedded !== undefined) client.dispose()
    }
    return { ...names, client, embedded, endpoint: nameOf(connection), mayProvision: provision, close }
  }
  const { endpoint = '', key } = used(connection)
  const options: CosmosClientOptions = {
    endpoint,
    consistencyLevel: 'Session',
    userAgentSuffix: 'stepward',
    connectionPolicy,
    // It is loaded only with the SDK, for processes that use neither.
    httpClient: (await import('./azure/http-client.js')).httpClient,
  }
  const OwnClient = await ownCosmosClient()
  const made = new OwnClient(
    key === undefined ? { ...options, aadCredentials: await credential() } : { ...options, key },
  )
  return {
    ...names,
    client: made,
    endpoint,
    mayProvision: provision && key !== undefined,
    close: () => made.dispose(),
  }
}

/** Returns the name of a connection's store for people, without secrets. */
export function storeName(connection: Connection): string {
  const { database = 'stepward', container = 'state' } = connection
  const account = isGiven(connection) ? nameOf(connection) : (used(connection).endpoint ?? '')
  return `${account.replace(/\/$/, '')} ${database}/${container}`
}

/** Checks whether the caller has given a client or an account, so that no address is needed. */
function isGiven({ client, embedded }: Connection): boolean {
  return (client ?? embedded ?? null) !== null
}

function nameOf({ embedded }: Connection): string {
  return (embedded ?? null) === null ? 'the given client' : 'the embedded store'
}

/** Returns every problem of a connection's configuration. Sends no request. */
export function connectionProblems(connection: Connection): readonly string[] {
  const given = used(connection)
  const { values, problems } = readPart(connectionShape, given)
  const rules: string[] = []
  if (given.client !== undefined && given.embedded !== undefined) {
    rules.push('client and embedded are both given: pass the account alone, or a client alone')
  }
  if (!isGiven(given) && given.endpoint === undefined && given.connectionString === undefined) {
    const noProcess =
      'embedded is null: if it is from attachAccount(), no process has the data directory open'
    const noStore =
      'no store is named: pass endpoint, connectionString, client or embedded, or the result of ' +
      'connectionFromEnvironment()'
    rules.push(isNull(connection.embedded) ? noProcess : noStore)
  }
  if (values.endpoint !== undefined && protocolOf(values.endpoint) === 'http:' && given.key === undefined) {
    rules.push(`endpoint ${values.endpoint} is not https, so it needs a key: pass key, or set COSMOS_KEY`)
  }
  if (values.container === values.leaseContainer) {
    const rule = 'the state container and the lease container must be different containers'
    rules.push(`container and leaseContainer are both ${JSON.stringify(values.container)}: ${rule}`)
  }
  return [...problems, ...rules]
}

/** Checks for a value that the types exclude, but that a caller in JavaScript may pass. */
function isNull(value: unknown): boolean {
  return value === null
}

/**
 * Returns the settings, with endpoint and key from the connection string. Leaves out both if the caller has
 * its own client.
 */
function used(connection: Connection): Connection {
  const { endpoint: _endpoint, key: _key, connectionString, ...others } = connection
  const given = withoutUndefined(connection)
  return isGiven(connection) ? others : { ...partsOf(connectionString), ...given }
}

function partsOf(connectionString = ''): { endpoint?: string; key?: string } | null {
  const endpoint = /AccountEndpoint=([^;]+)/i.exec(connectionString)?.[1]
  const key = /AccountKey=([^;]+)/i.exec(connectionString)?.[1]
  return endpoint === undefined || key === undefined ? null : { endpoint, key }
}

/** Returns the endpoint of the account that the settings name, also of one in a connection string. */
export function endpointOf({ endpoint, connectionString }: Connection): string | undefined {
  return endpoint ?? partsOf(connectionString)?.endpoint
}

function protocolOf(endpoint: string): string {
  return URL.canParse(endpoint) ? new URL(endpoint).protocol : ''
}
