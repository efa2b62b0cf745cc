/**
 * # Embedded
 *
 * The three ports (`LeaseStore`, `ChangeFeed`, `StateStore`) directly on the engine of the embedded Cosmos DB, without REST
 * and SDK between. Simulations drive thousands of instances through them. The suites in `test/conformance` hold them to
 * what the adapters for a real account do.
 */
import type { Lease, LeaseStore } from '../../lease-store/index.js'
import type { ChangeFeed } from '../change-feed-processor/feed/change-feed.js'
import type { StateStore } from '../sas/store/state-store.js'
import type { Container, CosmosEngine, DocumentVersion } from '../emulator/engine/index.js'
import { EngineChangeFeed } from './engine-change-feed.js'
import { EngineLeaseStore } from './engine-lease-store.js'
import { EngineStateStore } from './engine-state-store.js'

/** Which leases a lease store is about; names of containers in one database. */
export interface LeaseStoreNames {
  readonly leaseContainer: string
  readonly monitoredContainer: string
  readonly processorName: string
}

/** The three ports on one database of an engine. Each call gives a new instance; all share what is stored. */
export interface EnginePorts {
  changeFeed(container: string): ChangeFeed
  stateStore(container: string): StateStore
  /** Each instance of a deployment unit needs its own: it remembers who holds the bootstrap lock. */
  leaseStore(names: LeaseStoreNames): LeaseStore
}

/**
 * The engine's second door: the ports without REST and SDK between, so that a simulation can drive thousands of
 * instances through it. Asynchronous only by signature.
 */
export function enginePorts(engine: CosmosEngine, database: string): EnginePorts {
  const decoded = new WeakMap<DocumentVersion, Lease>()
  const { now } = engine
  const settled = (): Promise<void> | null => engine.settled()
  const named = (id: string) => (): Container => engine.container(database, id)
  return {
    changeFeed: (container) => new EngineChangeFeed({ container: named(container), settled, now }),
    stateStore: (container) => new EngineStateStore({ container: named(container), settled }),
    leaseStore: ({ leaseContainer, monitoredContainer, processorName }) =>
      new EngineLeaseStore(
        {
          leaseContainer: named(leaseContainer),
          monitoredContainer: named(monitoredContainer),
          processorName,
          settled,
          now,
        },
        { decoded },
      ),
  }
}
