import type { Clock } from '../../platform/index.js'
import { errorMessage } from '../../platform/internal.js'
import type { Values } from '../../platform/options.js'
import { AccountClosed } from './account-closed.js'
import { accountShape, doorOptions, type AccountOptions } from './account-options.js'
import { DirectoryInUse, lockDirectory, type DirectoryLock } from '../durability/directory-lock.js'
import { RequestCounter, type EmulatorStats } from '../rest/emulator-stats.js'
import { serveConnections, type ConnectionServer } from './http-server.js'
import { CosmosEngine, noJournal, TextMemory } from '../engine/index.js'
import { FaultInjection, type Faults } from '../faults/index.js'
import { embeddedEndpoint } from './in-process-client.js'
import { LmdbJournal } from '../durability/lmdb-journal.js'
import { partitionChanges, type PartitionChanges } from '../engine/partition-changes.js'
import { SummaryWriter } from '../indexes/summary-writer.js'
import { queryRoomFor } from '../rest/routes/load-query.js'
import type { RestRequest, RestResponse } from '../messages/rest-message.js'
import { LocalDoor } from './local-door.js'
import { MemoryAtRest } from './memory-at-rest.js'
import { MasterKey } from '../rest/authorization/master-key.js'
import { answered } from '../rest/answered.js'
import { createRoutes, errorResponse } from '../rest/routes.js'
import { ThroughputMeter } from '../rest/metering/throughput-meter.js'

/** An open account, whether it is served over HTTP or used in process. */
export interface OpenAccount extends PartitionChanges {
  /** @internal */
  readonly engine: CosmosEngine
  /** @internal */
  readonly localDoor: LocalDoor
  /** The faults to inject. At first there are none. */
  readonly faults: Faults
  stats(): EmulatorStats
  /**
   * Resolves as soon as no other process is connected to the socket in the data directory.
   *
   * @internal
   */
  whenUnused(): Promise<void>
  /**
   * Lets requests under way finish, waits for pending writes and releases the data directory. Later requests
   * fail with the code `ECONNREFUSED`.
   */
  close(): Promise<void>
}

export interface Account extends OpenAccount {
  /**
   * Resolves with the answer when all data in the answer is durable. Rejects if the connection must be cut,
   * or if the account is closed.
   */
  readonly respond: (request: RestRequest) => Promise<RestResponse>
}

/** Settings that differ between an account that is served over HTTP and an account in process. */
export interface AccountDoor {
  /** The lock on the data directory. By default, the account takes the lock before it answers requests. */
  readonly lock?: Promise<DirectoryLock>
  /** The clock whose time clients put into their signatures. Default: the account's clock. */
  readonly signersClock?: Clock
}

/** @param key the account's master key in base64 */
export function openAccount(
  options: AccountOptions | Values<typeof accountShape>,
  key: string,
  door: AccountDoor = {},
): Account {
  const { clock, random, partitionCount, dataDirectory, memoryBytes, enforceThroughput } = doorOptions(
    accountShape,
    options,
  )
  const nextId = (): string => random.id()
  const journal = dataDirectory === undefined ? null : LmdbJournal.open(dataDirectory, door.lock)
  const memory = new TextMemory(memoryBytes, () => journal?.waitingBytes ?? 0)
  const engine = new CosmosEngine({
    now: () => clock.now(),
    nextId,
    partitionCount,
    journal: journal ?? noJournal,
    ...(journal && { disk: { documents: journal.documents, memory } }),
  })
  const background = journal === null ? [] : restored(engine, journal, memory)
  const counter = new RequestCounter()
  const faults = new FaultInjection({
    clock,
    random,
    errorResponse,
    onFault: (outcome) => {
      counter.countFault(outcome)
    },
  })
  const meter = enforceThroughput ? new ThroughputMeter(engine) : null
  const signing = { key: new MasterKey(key), now: () => (door.signersClock ?? clock).now() }
  const routes = counter.counting(
    createRoutes({ engine, signing, nextId, monotonic: () => clock.monotonic(), faults, meter }),
  )
  const apply = applying(engine, routes)
  let isClosed = false
  const respond: Account['respond'] = async (request) => {
    if (isClosed) throw new AccountClosed()
    return faults.respond(request, () => apply(request))
  }
  const localDoor = new LocalDoor()
  const local = journal === null ? null : serveSocket(journal.lock, { localDoor, respond })
  return {
    engine,
    localDoor,
    faults,
    ...partitionChanges(engine),
    respond,
    stats: () => counter.stats(engine),
    whenUnused: () => local?.whenUnused() ?? Promise.resolve(),
    close: async () => {
      isClosed = true
      faults.clear()
      local?.close()
      await closed(journal, background)
    },
  }
}

/** Returns a function that answers a request when all data in the answer is durable. */
function applying(engine: CosmosEngine, routes: Parameters<typeof answered>[0]): Account['respond'] {
  return async (request) => {
    const queryRoom = queryRoomFor(request)
    if (queryRoom !== null) await queryRoom
    const answer = answered(routes, request)
    const response = answer instanceof Promise ? await answer : answer
    try {
      const settled = engine.settled()
      if (settled !== null) await settled
      return response
    } catch (error) {
      // The account itself is not available and cannot answer.
      if (error instanceof DirectoryInUse) throw error
      return errorResponse(503, errorMessage(error))
    }
  }
}

/** Locks the data directory, and then does the same as {@link openAccount}. */
export async function openLocked(
  options: AccountOptions | Values<typeof accountShape>,
  key: string,
  door: Omit<AccountDoor, 'lock'> = {},
): Promise<Account> {
  const { dataDirectory } = options
  if (dataDirectory === undefined) return openAccount(options, key, door)
  const lock = await lockDirectory(dataDirectory)
  try {
    return openAccount(options, key, { ...door, lock: Promise.resolve(lock) })
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** Answers the requests of other processes on the socket that locks the data directory. */
function serveSocket(
  lock: Promise<DirectoryLock>,
  { localDoor, respond }: Pick<Account, 'localDoor' | 'respond'>,
): Pick<ConnectionServer, 'close' | 'whenUnused'> {
  // The mode of the socket's file decides who may connect, so these requests need no signature.
  const server = serveConnections(
    (request) => respond({ ...request, origin: embeddedEndpoint, isOwn: true }),
    localDoor,
  )
  lock.then(
    (held) => {
      held.serve((socket) => {
        server.accept(socket)
      })
    },
    () => undefined,
  )
  return server
}

function closed(journal: LmdbJournal | null, background: readonly Closable[]): Promise<void> | undefined {
  for (const work of background) work.close()
  return journal?.close()
}

type Closable = SummaryWriter | MemoryAtRest

/** Fills an engine with the contents of a journal, and begins the work that goes on in the background. */
function restored(engine: CosmosEngine, journal: LmdbJournal, memory: TextMemory): readonly Closable[] {
  try {
    engine.restore(journal.contents())
    return [new SummaryWriter(engine), new MemoryAtRest(engine, memory)]
  } catch (error) {
    journal.abandon().catch(() => undefined)
    throw error
  }
}
