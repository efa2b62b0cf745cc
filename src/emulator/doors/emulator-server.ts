import { Agent } from 'node:https'
import { CosmosClient, type CosmosClientOptions } from '@azure/cosmos'
import { serveAccount, type AccountServer, type AccountServerOptions } from './account-server.js'

/** Options of {@link startEmulator}. */
export type EmulatorOptions = AccountServerOptions

/** A Cosmos DB account that is served over HTTP, with a function that creates clients of the SDK. */
export interface Emulator extends AccountServer {
  /** Returns a new client of the unmodified SDK. With https, the client trusts the emulator's certificate. */
  client(options?: Partial<CosmosClientOptions>): CosmosClient
}

/** Starts an emulator. Rejects with one clear error if the port or the data directory is not available. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const server = await serveAccount(options)
  const { endpoint, key, certificate } = server
  // Keeps connections alive, as the SDK's own agent does.
  const trust = certificate === null ? {} : { agent: new Agent({ keepAlive: true, ca: certificate }) }
  return {
    ...server,
    client: (clientOptions = {}) =>
      new CosmosClient({
        key,
        ...trust,
        ...clientOptions,
        endpoint,
        connectionPolicy: { enableBackgroundEndpointRefreshing: false, ...clientOptions.connectionPolicy },
      }),
  }
}
