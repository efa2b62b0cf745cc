/**
 * # Simulation
 *
 * A world in which production code runs as it is, and everything around it is decided by one seed: time, chance, the
 * network, who crashes and when. The store is the engine of the embedded Cosmos DB by its ports, so that its rules are not
 * imitated a second time. Two runs of one seed are the same to the last event, whose hash says so.
 *
 * - `world.ts` is the store, the time, and the processes; whatever is stored is told to checkers.
 * - `network.ts` carries requests, and does with each what its fate is; `faults.ts` and `write-points.ts` name what can
 *   happen where, in the words of `docs/failure-matrix.md`.
 * - `lease-wiring.ts` and `state-wiring.ts` put the network between units and ports, `job-fleet.ts` runs all roles.
 * - `simulate-workflow.ts` is what users get of it: their workflow, with every fault at every write.
 *
 * What must hold (I1 to I22) is judged in `test/simulation`.
 */
import { createHash } from 'node:crypto'
import { CosmosEngine, type JournalRecord, type VersionFields } from '../emulator/engine/index.js'
import { enginePorts, type EnginePorts } from '../embedded/index.js'
import { seededRandom, VirtualClock, type Random } from '../platform/index.js'
import { lineOf, type Checker, type SimulationEvent } from './events.js'
import { Network, type Fate, type Request } from './network.js'
import { SimulatedProcess, type Computer } from './simulated-process.js'

/** How a world begins. */
export interface WorldOptions {
  readonly seed: number
  /** What becomes of requests; default: each is answered at once. */
  readonly fateOf?: (request: Request) => Fate
  /** Whether events are hashed, which costs more than all else in a large world. Default true. */
  readonly isHashed?: boolean
}

/** What a container of the world is like. */
export interface ContainerSettings {
  /** The path. */
  readonly partitionKey: string
  readonly defaultTtl?: number
  /** Default 1. */
  readonly partitionCount?: number
}

/** Name of the one database. */
const databaseId = 'simulation'

const answeredAtOnce: Fate = {
  kind: 'answered',
  delayMs: 0,
  answerDelayMs: 0,
  error: new Error('nothing went wrong'),
}

/**
 * The engine of the embedded Cosmos DB, one time, one chance, and processes between which there is nothing but a network
 * that may fail. Which units run in the processes, and what must hold of what they do, others add: everything that is
 * stored, and what units report by `record`, is told to every checker.
 */
export class World {
  readonly time = new VirtualClock(Date.UTC(2026, 0, 1), 0)
  readonly random: Random
  readonly engine: CosmosEngine
  readonly ports: EnginePorts
  readonly network: Network
  /** What was found to be broken, with the time. A simulation ends at the first. */
  readonly problems: string[] = []
  eventCount = 0
  private readonly checkers: Checker[] = []
  private readonly hash = createHash('sha256')
  private readonly versions = new Map<string, VersionFields>()
  private readonly lives = new Map<string, number>()
  private readonly names = new Map<string, string>()
  private acting: Request | null = null

  constructor(private readonly options: WorldOptions) {
    this.random = seededRandom(options.seed)
    this.engine = new CosmosEngine({
      now: () => this.time.now(),
      nextId: () => this.random.id(),
      journal: {
        append: (records) => {
          for (const record of records) this.journal(record)
        },
        settled: () => null,
      },
    })
    this.engine.createDatabase(databaseId)
    this.ports = enginePorts(this.engine, databaseId)
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

  /** From now on it is told of everything. */
  watch(checker: Checker): void {
    this.checkers.push(checker)
  }

  /** A new process on a computer; its id says how many there were before it. */
  process(computer: Computer): SimulatedProcess {
    const life = (this.lives.get(computer.name) ?? 0) + 1
    this.lives.set(computer.name, life)
    return new SimulatedProcess(`${computer.name}#${life}`, computer, this.time)
  }

  record(event: SimulationEvent): void {
    this.eventCount += 1
    if (this.options.isHashed ?? true) this.hash.update(`${this.time.monotonic()} ${lineOf(event)}\n`)
    for (const checker of this.checkers) {
      for (const problem of this.judge(checker, event)) this.problems.push(`${this.atText()}: ${problem}`)
    }
  }

  /** A checker is called in the middle of what it checks, which would take what it throws for a failure of its own. */
  private judge(checker: Checker, event: SimulationEvent): readonly string[] {
    try {
      return checker.check(event)
    } catch (error) {
      return [
        `the checker failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      ]
    }
  }

  /** Of everything that happened so far, to be asked for once. */
  digest(): string {
    return this.hash.digest('hex')
  }

  /** Lets time pass until something is reached or broken; tells whether it was reached. */
  async runUntil(isReached: () => boolean, limitMs: number): Promise<boolean> {
    // The clock goes from timer to timer: this one is there when nobody else has any.
    const end = this.time.schedule(limitMs, () => undefined)
    await this.time.advanceUntil(() => this.problems.length > 0 || isReached(), limitMs)
    end.cancel()
    return isReached()
  }

  atText(): string {
    return `after ${(this.time.monotonic() / 1000).toFixed(3)} s`
  }

  /** The engine acts at once when it is called, so what it journals before the call returns is this request's. */
  private act(request: Request, act: () => Promise<unknown>): Promise<unknown> {
    this.acting = request
    try {
      return act()
    } finally {
      this.acting = null
    }
  }

  private journal(record: JournalRecord): void {
    if (record.kind !== 'document' && record.kind !== 'documentDeleted') return
    const { containerRid } = record
    const after = record.kind === 'document' ? record.version : null
    const place = `${containerRid} ${after?.number ?? (record.kind === 'documentDeleted' ? record.number : 0)}`
    const before = this.versions.get(place) ?? null
    if (after === null) this.versions.delete(place)
    else this.versions.set(place, after)
    // What a merge of partitions moves has not changed.
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
