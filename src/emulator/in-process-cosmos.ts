import type { CosmosClient, CosmosClientOptions } from '@azure/cosmos'
import { systemClock, systemRandom, type Clock, type Random } from '../platform/index.js'
import { RequestCounter, type EmulatorStats } from './emulator-stats.js'
import { CosmosEngine } from './engine/index.js'
import { createInProcessClient } from './in-process-client.js'
import { createRoutes } from './routes.js'
import { wellKnownKey } from './well-known-key.js'

/** How an in-process Cosmos DB is set up. */
export interface InProcessCosmosOptions {
  /** Physical partitions of a new container. Default 1. */
  readonly partitionCount?: number
  /** Default the machine's clock. With a virtual one, TTL and `_ts` follow it. */
  readonly clock?: Clock
  /** Default the machine's chance; names databases' rids and requests. */
  readonly random?: Random
}

/** A Cosmos DB account that lives in this process and is talked to without a socket. */
export interface InProcessCosmos {
  /** A new client of the unmodified SDK. */
  client(options?: Partial<CosmosClientOptions>): CosmosClient
  readonly engine: CosmosEngine
  stats(): EmulatorStats
  close(): Promise<void>
}

export function createInProcessCosmos(options: InProcessCosmosOptions = {}): InProcessCosmos {
  const { clock = systemClock, random = systemRandom, partitionCount = 1 } = options
  const nextId = (): string => random.id()
  const engine = new CosmosEngine({ now: () => clock.now(), nextId, partitionCount })
  const counter = new RequestCounter()
  const routes = counter.counting(createRoutes({ engine, key: wellKnownKey, nextId }))
  return {
    client: (clientOptions = {}) =>
      createInProcessClient(async (request) => routes(request), wellKnownKey, clientOptions),
    engine,
    stats: () => counter.stats(engine),
    close: () => Promise.resolve(),
  }
}
