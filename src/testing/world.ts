/**
 * # Simulation
 *
 * A simulated world in which production code runs unchanged. One seed decides everything around this code:
 * time, random numbers, the network and the crashes. The store is the engine of the embedded Cosmos DB, so
 * its rules are implemented only once. A hash of the events proves that two runs with the same seed have the
 * same events.
 *
 * - `world.ts` has the store, the time and the processes, and reports every stored change to checkers.
 * - `network.ts` carries requests and applies the fate of each request. `faults.ts` decides the fates, and
 *   `write-points.ts` names the writes as in `docs/failure-matrix.md`.
 * - `lease-wiring.ts` and `state-wiring.ts` put the network between units and stores. `job-fleet.ts` runs all
 *   roles.
 * - `stories/` is the part for users. `simulate-workflow.ts` runs their workflow once for each fault of each
 *   write, and `simulate-job.ts` runs it step by step.
 *
 * The checkers of the invariants (I1 to I22) are in `test/simulation`.
 */
import { createHash } from 'node:crypto'
import { CosmosEngine, noJournal } from '../emulator/internal.js'
import type { JournalRecord, VersionFields } from '../emulator/engine/index.js'
import { enginePorts, WrittenVersions, type EnginePorts } from '../engine-ports/index.js'
import { seededRandom, VirtualClock, type Random } from '../platform/index.js'
import { noProcesses, type Processes } from '../platform/internal.js'
import { lineOf, type Checker, type SimulationEvent } from './events.js'
import { Network, type Fate, type Request } from './network.js'
import { SimulatedProcess, type Computer } from './simulated-process.js'

export interface WorldOptions {
  readonly seed: number
  /** Decides the fate of a request. Default: every request is answered immediately. */
  readonly fateOf?: (request: Request) => Fate
  /** Whether events are hashed. The hash is the largest cost in a large world. Default true. */
  readonly isHashed?: boolean
}

export interface ContainerSettings {
  readonly partitionKey: string
  readonly defaultTtl?: number
  /** The number of physical partitions. Default 1. */
  readonly partitionCount?: number
}

const databaseId = 'simulation'

/** The fate of a request in a world without faults. */
export const answeredAtOnce: Fate = {
  kind: 'answered',
  delayMs: 0,
  answerDelayMs: 0,
  error: new Error('nothing went wrong'),
}

/**
 * A simulated world: the engine of the embedded Cosmos DB, one time, one source of random numbers, and
 * processes. Processes reach the store only through a network that may fail. Callers add units to the
 * processes, and add checkers. Checkers receive every stored change, and the events reported with `record`.
 */
export class World {
  readonly time = new VirtualClock(Date.UTC(2026, 0, 1), 0)
  readonly random: Random
  readonly engine: CosmosEngine
  readonly ports: EnginePorts
  readonly network: Network
  /** The violations that checkers found, with their time. A simulation ends at the first violation. */
  readonly problems: string[] = []
  eventCount = 0
  private readonly checkers: Checker[] = []
  private readonly hash = createHash('sha256')
  private readonly versions = new Map<string, VersionFields>()
  private readonly processes = new Map<string, SimulatedProcess>()
  private readonly lives = new Map<string, number>()
  private readonly names = new Map<string, string>()
  private acting: Request | null = null

  constructor(private readonly options: WorldOptions) {
    this.random = seededRandom(options.seed)
    this.engine = new CosmosEngine({
      now: () => this.time.now(),
      nextId: () => this.random.id(),
      journal: {
        ...noJournal,
        append: (records) => {
          for (const record of records) this.journal(record)
        },
      },
    })
    this.engine.createDatabase(databaseId)
    // With every second seed, processes receive what was written here as objects, as in a process with its own store.
    const written = options.seed % 2 === 1 ? { written: new WrittenVersions(true) } : {}
    this.ports = enginePorts(this.engine, databaseId, written)
    this.network = new Network({
      time: this.time,
      fateOf: options.fateOf ?? (() => answeredAtOnce),
      acting: (request, act) => this.act(request, act),
    })
  }

  createContainer(id: string, settings: ContainerSettings): void {
    const { partitionKey, partitionCount = 1, ...own } = settings
    const body = { id, partitionKey: { paths: [partitionKey], kind: 'Hash', version: 2 }, ...own }
    this.engine.createContainer(databaseId, body, partitionCount)
  }

  dropContainer(id: string): void {
    this.engine.deleteContainer(databaseId, id)
  }

  container(id: string): ReturnType<CosmosEngine['container']> {
    return this.engine.container(databaseId, id)
  }

  /** Adds a checker, which receives all later events. */
  watch(checker: Checker): void {
    this.checkers.push(checker)
  }

  /** Creates a process on a computer. The number in its id counts the processes of that computer. */
  process(computer: Computer): SimulatedProcess {
    const life = (this.lives.get(computer.name) ?? 0) + 1
    this.lives.set(computer.name, life)
    const process = new SimulatedProcess(`${computer.name}#${life}`, computer, this.time)
    this.processes.set(process.id, process)
    return process
  }

  /** Returns the processes of its computer, as this process sees them. */
  processesSeenBy({ id, computer }: SimulatedProcess): Processes {
    if (computer.seesProcesses !== true) return noProcesses
    const neighbour = (identity: string): SimulatedProcess | null => {
      const found = this.processes.get(identity)
      return found?.computer === computer && identity !== id ? found : null
    }
    return {
      own: id,
      isNeighbour: (identity) => neighbour(identity) !== null,
      hasEnded: (identity) => neighbour(identity)?.isCrashed === true,
    }
  }

  /** Returns whether `by` may know that the process `id` has ended. */
  isKnownToHaveEnded(id: string, by: SimulatedProcess): boolean {
    return this.processesSeenBy(by).hasEnded(id)
  }

  record(event: SimulationEvent): void {
    this.eventCount += 1
    if (this.options.isHashed ?? true) this.hash.update(`${this.time.monotonic()} ${lineOf(event)}\n`)
    for (const checker of this.checkers) {
      for (const problem of this.judge(checker, event)) this.problems.push(`${this.atText()}: ${problem}`)
    }
  }

  /**
   * Calls a checker. An error that it throws becomes a problem. Otherwise, the checked code would catch the
   * error as if its own write had failed.
   */
  private judge(checker: Checker, event: SimulationEvent): readonly string[] {
    try {
      return checker.check(event)
    } catch (error) {
      return [
        `the checker failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      ]
    }
  }

  /** Returns the hash of all events so far. Call it only once. */
  digest(): string {
    return this.hash.digest('hex')
  }

  /**
   * Lets time pass until `isReached` returns true, there is a problem, or the limit has passed. Returns the
   * final result of `isReached`.
   */
  async runUntil(isReached: () => boolean, limitMs: number): Promise<boolean> {
    // The clock advances from timer to timer, so there must be at least one.
    const end = this.time.schedule(limitMs, () => undefined)
    await this.time.advanceUntil(() => this.problems.length > 0 || isReached(), limitMs)
    end.cancel()
    return isReached()
  }

  atText(): string {
    return `after ${(this.time.monotonic() / 1000).toFixed(3)} s`
  }

  /** Runs a request. All journal entries during the synchronous call belong to the request. */
  private act(request: Request, act: () => Promise<unknown>): Promise<unknown> {
    this.acting = request
    try {
      return act()
    } finally {
      this.acting = null
    }
  }

  private journal(record: JournalRecord): void {
    if (record.kind !== 'document') return
    const { containerRid, number, value: after } = record
    const place = `${containerRid} ${number}`
    const before = this.versions.get(place) ?? null
    if (after === null) this.versions.delete(place)
    else this.versions.set(place, after)
    // A merge of partitions moves documents without changing them, which is not reported.
    if (before !== null && after !== null && before.etag === after.etag) return
    const container = this.containerName(containerRid)
    this.record({ type: 'written', container, by: this.acting, before, after })
  }

  private containerName(rid: string): string {
    const known = this.names.get(rid)
    if (known !== undefined) return known
    const found = this.engine.database(databaseId).containers.find((container) => container.rid === rid)
    if (found === undefined) return rid
    this.names.set(rid, found.id)
    return found.id
  }
}
