import type { CosmosClient, CosmosClientOptions } from '@azure/cosmos'
import { openAccount } from './account.js'
import type { AccountOptions } from './account-options.js'
import type { EmulatorStats } from '../rest/emulator-stats.js'
import type { CosmosEngine } from '../engine/index.js'
import type { Faults } from '../faults/index.js'
import { createInProcessClient } from './in-process-client.js'
import type { PartitionChanges } from '../engine/partition-changes.js'
import { wellKnownKey } from './well-known-key.js'

/** Options of {@link createInProcessCosmos}. */
export type InProcessCosmosOptions = AccountOptions

/** A Cosmos DB account in this process that is used without a socket. */
export interface InProcessCosmos extends PartitionChanges {
  /** Returns a new client of the unmodified SDK. */
  client(options?: Partial<CosmosClientOptions>): CosmosClient
  readonly engine: CosmosEngine
  /** The faults to inject. Default: none. */
  readonly faults: Faults
  stats(): EmulatorStats
  /** Waits for pending writes and releases the data directory, if there is one. */
  close(): Promise<void>
}

/**
 * Creates an account in this process. Throws when its data directory is in use on this machine or was written by a
 * newer version. When only the lock shows that it is in use (by another container, for example), every request
 * fails with that error and nothing is written.
 */
export function createInProcessCosmos(options: InProcessCosmosOptions = {}): InProcessCosmos {
  const account = openAccount(options, wellKnownKey)
  return {
    client: (clientOptions = {}) =>
      createInProcessClient((request) => account.respond(request), clientOptions),
    engine: account.engine,
    ...account.partitionChanges,
    faults: account.faults,
    stats: () => account.stats(),
    close: () => {
      account.faults.clear()
      return account.close()
    },
  }
}
