import { CosmosClient, type CosmosClientOptions } from '@azure/cosmos'
import { ConfigurationInvalid } from './errors.js'
import { credential } from './identity.js'

/** The address of the store and the names of the containers. */
export interface Connection {
  /** Such as `https://contoso.documents.azure.com`. */
  readonly endpoint?: string
  /** The account's key. Without one, `@azure/identity` finds the developer's login or the managed identity. */
  readonly key?: string
  /** `AccountEndpoint=…;AccountKey=…;`, instead of endpoint and key. */
  readonly connectionString?: string
  /** Default `stepward`. */
  readonly database?: string
  /** The state container: jobs, steps and your own documents. Default `state`. */
  readonly container?: string
  /** Default `leases`. */
  readonly leaseContainer?: string
  /** The caller's own client instead of endpoint and key. Closing the connection does not close it. */
  readonly client?: CosmosClient
  /**
   * Whether a missing database or container is created. Default: yes with a key or a client. Ignored without
   * either: the data role of an identity cannot create them.
   */
  readonly provision?: boolean
}

/** A connection with every name filled in. */
export interface OpenConnection {
  readonly client: CosmosClient
  readonly endpoint: string
  readonly database: string
  readonly container: string
  readonly leaseContainer: string
  /** Whether databases and containers may be created. A key may do so; the data role of an identity may not. */
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
  return Object.fromEntries(found) as Connection
}

/** The retry options that a caller may set for the client. */
type ConnectionPolicy = NonNullable<CosmosClientOptions['connectionPolicy']>

/**
 * The retry options of a process that itself reads, waits and retries, visibly and with the server's advice. The
 * client alone would silently repeat a throttled request nine times, for half a minute or more.
 */
export const impatient: ConnectionPolicy = {
  retryOptions: {
    maxRetryAttemptCount: 3,
    fixedRetryIntervalInMilliseconds: 0,
    maxWaitTimeInSeconds: 5,
  },
}

/**
 * Makes the client of a connection. It sends no request yet.
 *
 * @throws ConfigurationInvalid naming every value that is missing or not understood
 */
export async function openConnection(
  connection: Connection,
  connectionPolicy: ConnectionPolicy = {},
): Promise<OpenConnection> {
  const { database = 'stepward', container = 'state', leaseContainer = 'leases' } = connection
  const { client, provision = true } = connection
  const problems = connectionProblems(connection)
  if (problems.length > 0) throw new ConfigurationInvalid(problems)
  const names = { database, container, leaseContainer }
  if (client !== undefined) {
    return { ...names, client, endpoint: 'the given client', mayProvision: provision, close: () => undefined }
  }
  const { endpoint, key } = accountIn(connection)
  const options: CosmosClientOptions = {
    endpoint,
    consistencyLevel: 'Session',
    userAgentSuffix: 'stepward',
    connectionPolicy,
  }
  const made = new CosmosClient(
    key === null ? { ...options, aadCredentials: await credential() } : { ...options, key },
  )
  return {
    ...names,
    client: made,
    endpoint,
    mayProvision: provision && key !== null,
    close: () => made.dispose(),
  }
}

/** Returns the name of a connection's store, for people. It contains no secret. */
export function storeName(connection: Connection): string {
  const { database = 'stepward', container = 'state', client } = connection
  const account = client === undefined ? accountIn(connection).endpoint : 'the given client'
  return `${account.replace(/\/$/, '')} ${database}/${container}`
}

/** Returns every problem of a connection's configuration. It sends no request. */
export function connectionProblems(connection: Connection): readonly string[] {
  return [
    ...nameProblems(connection),
    ...(connection.client === undefined ? accountIn(connection).problems : []),
  ]
}

function nameProblems({ container = 'state', leaseContainer = 'leases' }: Connection): readonly string[] {
  if (container !== leaseContainer) return []
  const rule = 'the state container and the lease container must be two'
  return [`container and leaseContainer are both ${JSON.stringify(container)}: ${rule}`]
}

interface Account {
  readonly endpoint: string
  readonly key: string | null
  readonly problems: readonly string[]
}

/** Returns endpoint and key, from the connection string or from their own options. */
function accountIn(connection: Connection): Account {
  const { connectionString } = connection
  const parts = connectionString === undefined ? {} : partsOf(connectionString)
  const { endpoint, key } = { ...parts, ...connection }
  const problems: string[] = []
  if (parts === null) {
    const form = 'AccountEndpoint=https://…;AccountKey=…;'
    problems.push(`the connection string must have the form ${form} (its value is not shown here)`)
  } else if (endpoint === undefined) {
    problems.push(
      'no store is named: pass --endpoint (or --data for an embedded one), or set COSMOS_ENDPOINT or COSMOS_CONNECTION_STRING',
    )
  } else if (!/^https?:$/.test(protocolOf(endpoint))) {
    problems.push(`endpoint ${JSON.stringify(endpoint)} must be a URL that begins with http:// or https://`)
  } else if (key === undefined && protocolOf(endpoint) === 'http:') {
    problems.push(`endpoint ${endpoint} is not https, so it needs a key: pass --key or set COSMOS_KEY`)
  }
  if (key !== undefined && !/^[A-Za-z0-9+/]+={0,2}$/.test(key)) {
    problems.push('the key is not base64: copy it whole from the account (its value is not shown here)')
  }
  return { endpoint: endpoint ?? '', key: key ?? null, problems }
}

function partsOf(connectionString: string): { endpoint?: string; key?: string } | null {
  const endpoint = /AccountEndpoint=([^;]+)/i.exec(connectionString)?.[1]
  const key = /AccountKey=([^;]+)/i.exec(connectionString)?.[1]
  return endpoint === undefined || key === undefined ? null : { endpoint, key }
}

function protocolOf(endpoint: string): string {
  return URL.canParse(endpoint) ? new URL(endpoint).protocol : ''
}
