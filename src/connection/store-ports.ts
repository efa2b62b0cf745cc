import { CosmosLeaseStore, type LeaseStore } from '../../lease-store/index.js'
import { accountHostOf } from '../../lease-store/internal.js'
import type { ChangeFeed } from '../change-feed-processor/index.js'
import { CosmosChangeFeed } from '../change-feed-processor/internal.js'
import type { Clock } from '../platform/index.js'
import {
  CosmosJobQueries,
  CosmosStateStore,
  type JobQueries,
  type StateStore,
  type WakeUps,
} from '../sas/internal.js'
import type { OpenConnection } from './connection.js'
import type { DoorAccount, TakenWork, WorkingUnits } from '../engine-ports/internal.js'
import type { Containers } from './containers.js'
import { writeReportsOf } from './write-reports.js'

/** The ports through which roles and clients use a store. */
export interface StorePorts {
  readonly state: StateStore
  /** Returns the same store, whose requests are counted for this user of the store, such as a role. */
  stateOf(user: string): StateStore
  readonly queries: JobQueries
  /** Returns a feed of the state container for one reader, because a feed remembers its last position. */
  changeFeed(): ChangeFeed
  /** Opens the leases of a deployment unit for a user of the store. Each unit needs its own. */
  leases(processorName: string, user?: string): Promise<LeaseStore>
  /**
   * Calls `onWrite` with the physical partition of each write to the state container by others, or with null
   * if it is unknown, if the store reports writes. A store in another process also reports the writes of this
   * process. Returns a function that ends this.
   */
  watch(onWrite: (physicalRangeId: string | null) => void): () => void
  /** Whether `watch` calls `onWrite`. If not, the processes must tell each other of their writes. */
  readonly reportsWrites: boolean
  /** Reports the ends of jobs, if the store does. */
  readonly endings?: WakeUps
  /** Which processes take work, if the store knows it. */
  readonly work?: {
    /** Says which work this process takes whenever another one asks. Returns a function that ends this. */
    offer(instanceName: string, work: () => TakenWork): () => void
    /** Returns a function that returns the name of a scheduler that takes jobs, or null if none is known. */
    takingScheduler(units: WorkingUnits): () => string | null
  }
  close(): void
}

/** Called with the request units of each request, and with the part of the process that sent it, if that is known. */
type OnCharge = (operation: string, charge: number, user?: string) => void

/** The user of the feed that all roles of a process share. */
const sharedFeed = 'feed'
/** The user that submits jobs and asks about jobs. */
const client = 'client'

function countedFor(user: string | undefined, onCharge: OnCharge): OnCharge {
  return user === undefined ? onCharge : (operation, charge) => onCharge(operation, charge, user)
}

interface PortsUse {
  readonly onCharge: OnCharge
  /** The clock of connections. */
  readonly clock: Clock
}

/**
 * Returns the ports of a connection. For an embedded account, everything that a job needs until its end uses
 * the engine directly. Questions of people about many jobs use the SDK, because only queries use the
 * account's indexes. The leases have the same ids in both cases, so either kind of process continues the work of the other.
 */
export async function openPorts(
  { client: sdk, embedded, database, container, leaseContainer }: OpenConnection,
  containers: Containers,
  { onCharge, clock }: PortsUse,
): Promise<StorePorts> {
  const reports = writeReportsOf(sdk)
  const watch: StorePorts['watch'] = (onWrite) => reports?.(database, container, onWrite) ?? (() => undefined)
  const bySdk = {
    ...cosmosPorts(containers, onCharge),
    watch,
    reportsWrites: reports !== undefined,
    close: noEnd,
  }
  if (embedded === undefined) return bySdk
  // The ports are imported only here, because a process that uses an account does not need them.
  const { KnownScheduler, openDoor } = await import('../engine-ports/internal.js')
  const accountHost = await accountHostOf(containers.state)
  if (isAttached(embedded)) {
    const names = { database, container, leaseContainer, accountHost }
    const door = await openDoor(embedded, { names, clock, onCharge })
    if (door === null) return bySdk
    return {
      state: door.state,
      stateOf: (user) => door.stateOf(user),
      queries: bySdk.queries,
      changeFeed: () => door.changeFeed(sharedFeed),
      leases: async (processorName, user) => door.leases(processorName, user),
      watch: (onWrite) => door.watch(onWrite),
      endings: door.endings,
      work: {
        offer: (instanceName, work) => door.offerWork(instanceName, work),
        takingScheduler: (units) => door.takingScheduler(units),
      },
      reportsWrites: true,
      close: () => door.close(),
    }
  }
  // An attached process does not need the engine either.
  const { engineOf, enginePorts, serveDoor, WrittenVersions } = await import('../engine-ports/index.js')
  serveDoor(embedded)
  const written = new WrittenVersions(true)
  const ports = enginePorts(engineOf(embedded), database, { accountHost, onCharge, written })
  return {
    work: {
      offer: (instanceName, work) => ports.takers(container).add(instanceName, async () => work()),
      takingScheduler: (units) => {
        const names = { leaseContainer, monitoredContainer: container }
        const known = new KnownScheduler(clock, (question) => {
          ports.takingScheduler(names, units).then(
            (name) => known.answered(question, name),
            () => undefined,
          )
        })
        return () => known.name()
      },
    },
    state: ports.stateStore(container),
    stateOf: (user) => ports.stateStore(container, countedFor(user, onCharge)),
    queries: bySdk.queries,
    changeFeed: () => ports.changeFeed(container, countedFor(sharedFeed, onCharge)),
    leases: async (processorName, user) => {
      const names = { processorName, leaseContainer, monitoredContainer: container }
      return ports.leaseStore(names, countedFor(user, onCharge))
    },
    watch: (onWrite) => ports.watch(container, onWrite),
    reportsWrites: true,
    close: noEnd,
  }
}

const noEnd = (): void => undefined

function isAttached(embedded: object): embedded is DoorAccount {
  return typeof Reflect.get(embedded, 'dial') === 'function'
}

function cosmosPorts(
  { state: container, leases }: Containers,
  onCharge: OnCharge,
): Omit<StorePorts, 'watch' | 'reportsWrites' | 'close'> {
  const options = { container, onCharge }
  return {
    state: new CosmosStateStore(options),
    stateOf: (user) => new CosmosStateStore({ container, onCharge: countedFor(user, onCharge) }),
    queries: new CosmosJobQueries({ container, onCharge: countedFor(client, onCharge) }),
    changeFeed: () => new CosmosChangeFeed({ container, onCharge: countedFor(sharedFeed, onCharge) }),
    leases: (processorName, user) =>
      CosmosLeaseStore.open({
        leaseContainer: leases,
        monitoredContainer: container,
        processorName,
        onCharge: countedFor(user, onCharge),
      }),
  }
}
