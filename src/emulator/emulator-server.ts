import { CosmosClient, type CosmosClientOptions } from '@azure/cosmos'
import { openAccount, type AccountOptions } from './account.js'
import type { EmulatorStats } from './emulator-stats.js'
import type { CosmosEngine } from './engine/index.js'
import type { Faults } from './faults/index.js'
import { listen } from './http-server.js'
import type { PartitionChanges } from './partition-changes.js'
import { wellKnownKey } from './well-known-key.js'

/** How an emulator is started. */
export interface EmulatorOptions extends AccountOptions {
  /** Default 8081, as every Cosmos DB emulator; 0 takes any free one. */
  readonly port?: number
  /** The address to listen on. Default 127.0.0.1: only this machine. */
  readonly host?: string
  /** The account's master key, base64. Default the well-known key of the emulators. */
  readonly key?: string
  /** Not supported yet; clients talk http. */
  readonly https?: boolean
}

/** A Cosmos DB account that is reached over HTTP. */
export interface Emulator extends PartitionChanges {
  /** Such as `http://127.0.0.1:8081/`. */
  readonly endpoint: string
  readonly key: string
  readonly connectionString: string
  readonly engine: CosmosEngine
  /** A new client of the unmodified SDK. */
  client(options?: Partial<CosmosClientOptions>): CosmosClient
  /** What goes wrong on purpose. Default: nothing. */
  readonly faults: Faults
  stats(): EmulatorStats
  /** Ends idle connections at once, lets requests under way finish, and gives the data directory free. */
  close(): Promise<void>
}

const defaultPort = 8081

/** Starts one. Rejects with one clear error when the port or the data directory is not to be had. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { port = defaultPort, host = '127.0.0.1', key = wellKnownKey, https = false } = options
  if (https) {
    throw new Error(
      'https is not supported yet. Start the emulator without it; the SDK talks http to an http endpoint.',
    )
  }
  if (!/^[A-Za-z0-9+/]+={0,2}$/u.test(key)) throw new Error('The key must be base64, as account keys are.')
  const account = openAccount(options, key)
  const server = await listen({ port, host, respond: (request) => account.respond(request) }).catch(
    async (error: unknown) => {
      await account.close()
      throw error
    },
  )
  const endpoint = `http://${shown(host)}:${server.port}/`
  return {
    endpoint,
    key,
    connectionString: `AccountEndpoint=${endpoint};AccountKey=${key};`,
    engine: account.engine,
    ...account.partitionChanges,
    client: (clientOptions = {}) =>
      new CosmosClient({
        key,
        ...clientOptions,
        endpoint,
        connectionPolicy: { enableBackgroundEndpointRefreshing: false, ...clientOptions.connectionPolicy },
      }),
    faults: account.faults,
    stats: () => account.stats(),
    close: async () => {
      // A request that is being delayed would keep the server.
      account.faults.clear()
      await server.close()
      await account.close()
    },
  }
}

/** The address to call where "every address" is listened on, and IPv6 in its brackets. */
function shown(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
