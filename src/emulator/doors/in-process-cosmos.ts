import type { CosmosClient, CosmosClientOptions } from '@azure/cosmos'
import { openAccount, type AccountOptions } from './account.js'
import type { EmulatorStats } from '../rest/emulator-stats.js'
import type { CosmosEngine } from '../engine/index.js'
import type { Faults } from '../faults/index.js'
import { createInProcessClient } from './in-process-client.js'
import type { PartitionChanges } from '../engine/partition-changes.js'
import { wellKnownKey } from './well-known-key.js'

/** How an in-process Cosmos DB is set up. */
export type InProcessCosmosOptions = AccountOptions

/** A Cosmos DB account that lives in this process and is talked to without a socket. */
export interface InProcessCosmos extends PartitionChanges {
  /** A new client of the unmodified SDK. */
  client(options?: Partial<CosmosClientOptions>): CosmosClient
  readonly engine: CosmosEngine
  /** What goes wrong on purpose. Default: nothing. */
  readonly faults: Faults
  stats(): EmulatorStats
  /** With a data directory: waits for what is being written, and gives the directory free. */
  close(): Promise<void>
}

/**
 * Makes one; throws when its data directory is in use on this machine or was written by a newer version. Where only the
 * lock tells that it is in use (by another container, say), every request fails with that error and nothing is written.
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
