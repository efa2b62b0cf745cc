import type { Lease, LeaseStore } from '../../lease-store/index.js'
import type { ChangeFeed } from '../change-feed-processor/change-feed.js'
import type { StateStore } from '../sas/state-store.js'
import type { Container, CosmosEngine, DocumentVersion } from './engine/index.js'
import { EngineChangeFeed } from './ports/engine-change-feed.js'
import { EngineLeaseStore } from './ports/engine-lease-store.js'
import { EngineStateStore } from './ports/engine-state-store.js'

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
