import { CosmosClient, type CosmosClientOptions } from '@azure/cosmos'
import { openAccount, openLocked, type Account, type OpenAccount } from './account.js'
import type { AccountOptions } from './account-options.js'
import { inProcessOptions } from './in-process-client.js'
import { wellKnownKey } from './account-key.js'

/** Options of {@link createInProcessCosmos}. */
export type InProcessCosmosOptions = AccountOptions

/** A Cosmos DB account that runs in this process and is used without a socket. */
export interface InProcessCosmos extends OpenAccount {
  /** Returns a new client of the unmodified SDK. */
  client(options?: Partial<CosmosClientOptions>): CosmosClient
  /**
   * Returns options for a `CosmosClient` of your own. Code that loads the SDK with `require` needs this,
   * because `require` and `import` load different classes, and the SDK compares classes.
   */
  clientOptions(options?: Partial<CosmosClientOptions>): CosmosClientOptions
}

/**
 * Creates an account in this process. Throws if its data directory is in use on this machine or was written
 * by a newer version. The lock on the directory is taken later. If only this lock shows that the directory is
 * in use, for example by another Docker container, every request fails and nothing is written.
 */
export function createInProcessCosmos(options: InProcessCosmosOptions = {}): InProcessCosmos {
  return inProcess(openAccount(options, wellKnownKey))
}

/**
 * Does the same as {@link createInProcessCosmos}, but takes the lock first, and rejects if another process has it.
 */
export async function openInProcessCosmos(options: InProcessCosmosOptions): Promise<InProcessCosmos> {
  return inProcess(await openLocked(options, wellKnownKey))
}

function inProcess({ respond, ...account }: Account): InProcessCosmos {
  const clientOptions: InProcessCosmos['clientOptions'] = (given = {}) => inProcessOptions(respond, given)
  return { ...account, clientOptions, client: (given) => new CosmosClient(clientOptions(given)) }
}
