import { errorMessage, systemClock, systemRandom, type Clock, type Random } from '../../platform/index.js'
import { DirectoryInUse, type DirectoryLock } from '../durability/directory-lock.js'
import { RequestCounter, type EmulatorStats } from '../rest/emulator-stats.js'
import { CosmosEngine, noJournal } from '../engine/index.js'
import { FaultInjection, type Faults } from '../faults/index.js'
import { LmdbJournal } from '../durability/lmdb-journal.js'
import { partitionChanges, type PartitionChanges } from '../engine/partition-changes.js'
import { queryRoomFor } from '../rest/routes/query-room.js'
import type { RestRequest, RestResponse } from '../messages/rest-message.js'
import { createRoutes, errorResponse } from '../rest/routes.js'
import { ThroughputMeter } from '../rest/routes/throughput-meter.js'

/** What every kind of emulator is set up with. */
export interface AccountOptions {
  /** Physical partitions of a new container. Default 1. */
  readonly partitionCount?: number
  /**
   * Default false. True: requests beyond the throughput of a container are answered 429 (sub-status 3200) with the time
   * after which to try again, as in the service; the model of charges says what a request costs.
   */
  readonly enforceThroughput?: boolean
  /** Where to keep everything so that it outlives the process. Default: nowhere. */
  readonly dataDirectory?: string
  /** Default the machine's clock. With a virtual one, TTL and `_ts` follow it. */
  readonly clock?: Clock
  /** Default the machine's chance; names databases' rids and requests. */
  readonly random?: Random
}

/** An engine, its journal if it has one, and the REST interface over it. */
export interface Account {
  readonly engine: CosmosEngine
  readonly partitionChanges: PartitionChanges
  /** Resolves when the answer may leave: everything it shows is durable by then. Rejects to cut the connection. */
  respond(request: RestRequest): Promise<RestResponse>
  readonly faults: Faults
  stats(): EmulatorStats
  close(): Promise<void>
}

/** What differs between the server of an account and its use in process. */
export interface AccountDoor {
  /** The lock on the data directory. By default the account takes it itself, and answers no request before. */
  readonly lock?: Promise<DirectoryLock>
  /** The clock by which clients sign their requests. Default: the account's own. */
  readonly signersClock?: Clock
}

/** @param key the account's master key, base64 */
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
      // No answer of an account: there is none here.
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
