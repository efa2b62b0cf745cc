import { Agent } from 'node:https'
import { CosmosClient, type CosmosClientOptions } from '@azure/cosmos'
import { serveAccount, type AccountServer, type AccountServerOptions } from './account-server.js'

/** How an emulator is started. */
export type EmulatorOptions = AccountServerOptions

/** A Cosmos DB account that is reached over HTTP. */
export interface Emulator extends AccountServer {
  /** A new client of the unmodified SDK; with https it trusts the certificate. */
  client(options?: Partial<CosmosClientOptions>): CosmosClient
}

/** Starts one. Rejects with one clear error when the port or the data directory is not to be had. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const server = await serveAccount(options)
  const { endpoint, key, certificate } = server
  // Keeps connections, as the SDK's own does.
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
