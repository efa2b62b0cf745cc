import type { Lease, LeaseStore } from '../../lease-store/index.js'
import type { JobQueries } from '../sas/store/job-queries.js'
import {
  CosmosEngine,
  type Container,
  type DocumentVersion,
  type WriteListener,
} from '../emulator/engine/index.js'
import type { OnCharge } from './engine-documents.js'
import { EngineChangeFeed } from './engine-change-feed.js'
import { EngineJobQueries } from './engine-job-queries.js'
import { EngineLeaseStore } from './engine-lease-store.js'
import { EngineStateStore } from './engine-state-store.js'
import { withoutUndefined } from '../platform/internal.js'
import { Takers, type WorkingUnits } from './taken-work.js'
import type { WrittenVersions } from './written-versions.js'

/** The containers of a lease store, all in one database, and the name of the deployment unit. */
export interface LeaseStoreNames {
  readonly leaseContainer: string
  readonly monitoredContainer: string
  readonly processorName: string
}

/** Called with the physical partition of a write. */
export type OnWrite = (physicalRangeId: string) => void

/** Returns the engine of an account that runs in this process. */
export function engineOf(account: object): CosmosEngine {
  const engine: unknown = Reflect.get(account, 'engine')
  if (engine instanceof CosmosEngine) return engine
  throw new TypeError('this copy of stepward did not create the account: install the package only once')
}

/** Options of {@link enginePorts}. */
export interface EnginePortsOptions {
  /** The host name in the ids of leases. Clients of the SDK use the host of their endpoint. */
  readonly accountHost?: string
  /** Receives the operation and the request units of each call of a role. Default: none. */
  readonly onCharge?: OnCharge
  /** Keeps what these ports write, so that their feed need not parse it. Give it only to ports of one process. */
  readonly written?: WrittenVersions
}

/**
 * The ports on one database of an engine. Each call returns a new instance on the same stored data. `onCharge` takes the
 * place of the one of all ports.
 */
export interface EnginePorts {
  changeFeed(container: string, onCharge?: OnCharge): EngineChangeFeed
  stateStore(container: string, onCharge?: OnCharge): EngineStateStore
  jobQueries(container: string): JobQueries
  /**
   * Returns a new lease store. Each instance of a deployment unit needs its own, because the store remembers
   * which bootstrap lock it holds.
   */
  leaseStore(names: LeaseStoreNames, onCharge?: OnCharge): LeaseStore
  /**
   * Reports the writes to a container that others make: every write except those of the state stores of these
   * ports. Returns a function that ends the reports.
   */
  watch(container: string, onWrite: OnWrite): () => void
  /** Returns the processes that run roles on a container. */
  takers(container: string): Takers
  /** Returns the name of a scheduler that takes jobs of a container, or null. See {@link Takers}. */
  takingScheduler(names: Omit<LeaseStoreNames, 'processorName'>, units: WorkingUnits): Promise<string | null>
}

/**
 * Returns the ports on a database of an engine, without REST or the SDK. Their promises wait only for the
 * engine's disk, if any. If a container is missing, `leaseStore` throws, and the other ports fail at their
 * first call.
 */
export function enginePorts(
  engine: CosmosEngine,
  database: string,
  { accountHost = 'embedded', onCharge: ofAll = () => undefined, written }: EnginePortsOptions = {},
): EnginePorts {
  const decoded = new WeakMap<DocumentVersion, Lease>()
  const { now } = engine
  const settled = (): Promise<void> | null => engine.settled()
  const watched = new Map<string, Set<OnWrite>>()
  const hear: WriteListener = (containerRid, rangeId) => {
    for (const onWrite of watched.get(containerRid) ?? []) onWrite(rangeId)
  }
  const known = withoutUndefined({ written })
  const writing = <T>(write: () => T): T => engine.writes.without(hear, write)
  const named = (id: string) => (): Container => engine.container(database, id)
  const takers = (container: string): Takers => Takers.of(engine.container(database, container))
  const leaseStore = (names: LeaseStoreNames, charge: OnCharge): LeaseStore => {
    const { leaseContainer, monitoredContainer, processorName } = names
    return new EngineLeaseStore(
      {
        leaseContainer: named(leaseContainer),
        monitoredContainer: named(monitoredContainer),
        processorName,
        accountHost,
        onCharge: charge,
        settled,
        now,
      },
      decoded,
    )
  }
  return {
    changeFeed: (container, onCharge = ofAll) =>
      new EngineChangeFeed({ container: named(container), settled, now, onCharge, ...known }),
    stateStore: (container, onCharge = ofAll) =>
      new EngineStateStore({ container: named(container), settled, onCharge, writing, ...known }),
    jobQueries: (container) =>
      new EngineJobQueries({ container: named(container), settled, onCharge: ofAll, writing }),
    leaseStore: (names, onCharge = ofAll) => leaseStore(names, onCharge),
    takers,
    // No role or client of Stepward needs this in Azure, so it is not counted.
    takingScheduler: (names, units) =>
      takers(names.monitoredContainer).takingScheduler(
        (processorName) => leaseStore({ ...names, processorName }, () => undefined),
        units,
      ),
    watch: (container, onWrite) => {
      const { rid } = engine.container(database, container)
      const listeners = watched.get(rid) ?? new Set()
      watched.set(rid, listeners.add(onWrite))
      const end = engine.writes.subscribe(hear)
      return () => {
        listeners.delete(onWrite)
        if (listeners.size === 0) end()
      }
    },
  }
}
