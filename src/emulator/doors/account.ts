import { systemClock, type Clock, type Random } from '../../platform/index.js'
import { errorMessage, systemRandom } from '../../platform/internal.js'
import { DirectoryInUse, type DirectoryLock } from '../durability/directory-lock.js'
import { RequestCounter, type EmulatorStats } from '../rest/emulator-stats.js'
import { CosmosEngine, noJournal } from '../engine/index.js'
import { FaultInjection, type Faults } from '../faults/index.js'
import { LmdbJournal } from '../durability/lmdb-journal.js'
import { partitionChanges, type PartitionChanges } from '../engine/partition-changes.js'
import { queryRoomFor } from '../rest/routes/load-query.js'
import type { RestRequest, RestResponse } from '../messages/rest-message.js'
import { createRoutes, errorResponse } from '../rest/routes.js'
import { ThroughputMeter } from '../rest/routes/throughput-meter.js'

/** Options that every kind of emulator has. */
export interface AccountOptions {
  /** Physical partitions of a new container. Default 1. */
  readonly partitionCount?: number
  /**
   * Answers requests beyond a container's throughput with 429 (sub-status 3200) and the time to wait, as the
   * service does. A model of charges says how much each request costs. Default false.
   */
  readonly enforceThroughput?: boolean
  /** The directory that keeps all data across processes. Default: none, so that data is lost with the process. */
  readonly dataDirectory?: string
  /** Default: the machine's clock. With a virtual clock, TTL and `_ts` follow it. */
  readonly clock?: Clock
  /** The source of rids and request ids. Default: the machine's random numbers. */
  readonly random?: Random
}

/** An engine, its journal if it has one, and its REST interface. */
export interface Account {
  readonly engine: CosmosEngine
  readonly partitionChanges: PartitionChanges
  /** Resolves once everything that the answer shows is durable. Rejects to cut the connection. */
  respond(request: RestRequest): Promise<RestResponse>
  readonly faults: Faults
  stats(): EmulatorStats
  close(): Promise<void>
}

/** Settings that differ between a served account and one used in process. */
export interface AccountDoor {
  /** The lock on the data directory. By default the account takes it, and answers no request before it has it. */
  readonly lock?: Promise<DirectoryLock>
  /** The clock by which clients sign their requests. Default: the account's clock. */
  readonly signersClock?: Clock
}

/**
 * Opens an account.
 *
 * @param key the account's master key, base64
 */
export function openAccount(options: AccountOptions, key: string, door: AccountDoor = {}): Account {
  const { clock = systemClock, random = systemRandom, partitionCount = 1, dataDirectory } = options
  assertPartitionCount(partitionCount)
  const nextId = (): string => random.id()
  const journal = dataDirectory === undefined ? null : LmdbJournal.open(dataDirectory, door.lock)
  const engine = new CosmosEngine({
    now: () => clock.now(),
    nextId,
    partitionCount,
    journal: journal ?? noJournal,
  })
  if (journal !== null) restore(engine, journal)
  const counter = new RequestCounter()
  const faults = new FaultInjection({
    clock,
    random,
    errorResponse,
    onFault: (outcome) => {
      counter.countFault(outcome)
    },
  })
  const meter = meterOf(options, engine)
  const signersNow = (): number => (door.signersClock ?? clock).now()
  const routes = counter.counting(createRoutes({ engine, key, signersNow, nextId, faults, meter }))
  const apply = async (request: RestRequest): Promise<RestResponse> => {
    const queryRoom = queryRoomFor(request)
    if (queryRoom !== null) await queryRoom
    const response = routes(request)
    try {
      const settled = engine.settled()
      if (settled !== null) await settled
      return response
    } catch (error) {
      // The account itself is not available, so this answer does not come from it.
      if (error instanceof DirectoryInUse) throw error
      return errorResponse(503, errorMessage(error))
    }
  }
  return {
    engine,
    partitionChanges: partitionChanges(engine),
    faults,
    respond: (request) => faults.respond(request, () => apply(request)),
    stats: () => counter.stats(engine),
    close: () => journal?.close() ?? Promise.resolve(),
  }
}

function restore(engine: CosmosEngine, journal: LmdbJournal): void {
  try {
    engine.restore(journal.contents())
  } catch (error) {
    journal.close().catch(() => undefined)
    throw error
  }
}

function meterOf(
  { enforceThroughput = false }: AccountOptions,
  engine: CosmosEngine,
): ThroughputMeter | null {
  return enforceThroughput ? new ThroughputMeter(engine) : null
}

const maxPartitionCount = 1_000

function assertPartitionCount(count: number): void {
  if (Number.isInteger(count) && count >= 1 && count <= maxPartitionCount) return
  throw new RangeError(`partitionCount is ${count}; it must be a whole number from 1 to ${maxPartitionCount}`)
}
