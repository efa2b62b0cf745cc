import type { LeaseStore } from '../../lease-store/index.js'
import { seededRandom } from '../platform/index.js'
import { withoutUndefined } from '../platform/internal.js'
import { FeedHints, SharedChangeFeed } from '../change-feed-processor/internal.js'
import type { Agent, PayloadStore, ProcessorTiming } from '../sas/index.js'
import {
  beginningElsewhere,
  beginningHere,
  createAgents,
  createNotifier,
  createScheduler,
  createSupervisor,
  JobClient,
  replyChannel,
  InProcessPath,
  PauseBoard,
  Payloads,
  type Beginning,
  type ReplyChannel,
  type Unit,
  type UnitOptions,
  type StateStore,
} from '../sas/internal.js'
import type { Telemetry } from '../telemetry/index.js'
import { silent } from '../telemetry/internal.js'
import { FleetWakeUps } from './fleet-wake-ups.js'
import { frozenFeed } from './frozen-feed.js'
import { connectedLeaseStore, leaseStoreWiring } from './lease-wiring.js'
import type { Wiring } from './network.js'
import { SimulatedPayloads } from './payloads/simulated-payloads.js'
import type { Computer, SimulatedProcess } from './simulated-process.js'
import { StateWirings } from './state-wiring.js'
import type { World } from './world.js'

export const [stateContainer, leaseContainer] = ['state', 'leases'] as const

/** The roles of the pattern. Each role is a separate deployment unit. */
export const roles = ['scheduler', 'agents', 'supervisor'] as const
/** A role of the pattern, or the notifier, which only sends notices. */
export type Role = (typeof roles)[number] | 'notifier'

export interface JobFleetOptions {
  /** Returns the agents of a process. Their handlers run in this process. */
  readonly agents: (process: SimulatedProcess) => readonly Agent[]
  /** Returns a notifier's channel to submitters. Default: a channel only for webhooks. */
  readonly channel?: (process: SimulatedProcess) => ReplyChannel
  /** Returns the roles that run on a computer. Default: the roles of the pattern. */
  readonly rolesOn?: (computer: Computer) => readonly Role[]
  /** The number of physical partitions of the state container. Default 1. */
  readonly partitionCount?: number
  readonly timing?: ProcessorTiming
  readonly sweepIntervalMs?: number
  readonly slots?: number
  readonly telemetry?: Telemetry
  /** Values of more bytes of JSON go to the payload store of the world. Default 65,536. */
  readonly largerThan?: number
  /** Whether the processes wake each other. Default false: each role finds writes of others by its polls. */
  readonly areWoken?: boolean
}

/** What the roles of a process share. */
type SharedParts = Required<Pick<UnitOptions, 'feed' | 'inProcessPath'>> &
  Pick<UnitOptions, 'hints' | 'wakeAddress'>

interface Running {
  readonly process: SimulatedProcess
  readonly units: readonly Unit[]
  readonly inProcessPath: InProcessPath
  readonly hints: FeedHints
}

/** The largest number of requests for the store's time, as in the host's `checkStore`. */
const maxQuestions = 5

const accountWiring: Wiring = {
  party: 'host',
  writePointOf: () => null,
  lost: (_method, cause) => Promise.reject(cause),
  stale: (_request, answer) => answer,
}

/** The pause after a failed start before an instance is started again. */
const restartMs = 5_000

/** Runs the production roles in the processes of a world, with at most one process on each computer. */
export class JobFleet {
  private readonly running = new Map<Computer, Running>()
  private readonly wirings: StateWirings
  private readonly leaseWirings: ReadonlyMap<Role, Wiring>
  private readonly wakeUps: FleetWakeUps | null
  private readonly payloads: SimulatedPayloads
  private clientCount = 0

  constructor(
    private readonly world: World,
    private readonly options: JobFleetOptions,
  ) {
    const { partitionCount = 1 } = options
    world.createContainer(stateContainer, { partitionKey: '/pk', defaultTtl: -1, partitionCount })
    world.createContainer(leaseContainer, { partitionKey: '/id', defaultTtl: -1 })
    this.wirings = new StateWirings(stateContainer, () => world.container(stateContainer))
    world.watch(this.wirings)
    this.payloads = new SimulatedPayloads(stateContainer, world.time)
    world.watch(this.payloads)
    this.wakeUps = options.areWoken === true ? new FleetWakeUps(world.network, () => world.time.now()) : null
    const leases = (): ReturnType<World['container']> => world.container(leaseContainer)
    this.leaseWirings = new Map(
      [...roles, 'notifier' as const].map((role) => [role, leaseStoreWiring(role, leases)]),
    )
  }

  /** The processes that were started and have not crashed or been stopped. */
  get processes(): readonly SimulatedProcess[] {
    return [...this.running.values()].map(({ process }) => process).filter(({ isCrashed }) => !isCrashed)
  }

  processOn(computer: Computer): SimulatedProcess | null {
    return this.processes.find((process) => process.computer === computer) ?? null
  }

  /** Starts the roles of a computer in a new process. The instances have the name of the computer. */
  start(computer: Computer): SimulatedProcess {
    const process = this.world.process(computer)
    const rolesHere = this.options.rolesOn?.(computer) ?? roles
    // As in a host, a scheduler and agents in the same process pass steps and outcomes to each other.
    const inProcessPath = new InProcessPath()
    // As in a host, the roles of a process share the pages of the feed.
    const port = this.world.ports.changeFeed(stateContainer)
    const connected = this.world.network.connect(port, process, this.wirings.feed('host'))
    const feed = new SharedChangeFeed({ feed: frozenFeed(connected), clock: process.clock })
    const list = (role: Role) => this.leaseStore(role, process).list()
    const takenWork = () => ({
      scheduler: inProcessPath.scheduler.isEmpty ? null : computer.name,
      agents: !inProcessPath.agents.isEmpty,
    })
    const processes = this.world.processesSeenBy(process)
    const woken = this.wakeUps?.open(process, list, { processes, takenWork }) ?? {}
    const units = rolesHere.map((role) => this.unit(role, process, { feed, inProcessPath, ...woken }))
    this.running.set(computer, { process, units, inProcessPath, hints: new FeedHints(), ...woken })
    const launch = (unit: Unit): void => {
      unit.start().catch(() => {
        process.clock.schedule(restartMs, () => launch(unit))
      })
    }
    this.askForTime(process, () => units.forEach(launch))
    return process
  }

  /** Before a role runs, asks the store for its time until the time is certain enough, as a host does. */
  private askForTime(process: SimulatedProcess, over: () => void): void {
    const account = { ask: () => Promise.resolve(null) }
    const store = this.world.network.connect(account, process, accountWiring)
    const ask = (left: number): void => {
      if (left === 0 || process.knowsTime) {
        over()
        return
      }
      const again = (): void => ask(left - 1)
      store.ask().then(again, again)
    }
    ask(maxQuestions)
  }

  /** Stops a process in the same way as a deployment: the process ends after every unit has stopped. */
  async stop(computer: Computer): Promise<void> {
    const running = this.running.get(computer)
    if (running === undefined || running.process.isCrashed) return
    await Promise.all(running.units.map((unit) => unit.stop()))
    running.process.crash()
  }

  /** Creates a client in this process. If the process runs roles, the client uses their in-process path. */
  client(process: SimulatedProcess): JobClient {
    const beside = [...this.running.values()].find((running) => running.process === process)
    const local =
      beside === undefined ? this.away(process) : beginningHere(beside.inProcessPath, beside.hints)
    const { network, ports } = this.world
    this.clientCount += 1
    return new JobClient({
      ...local,
      payloads: new Payloads(this.payloadsOf(process), seededRandom(this.clientCount)),
      store: this.store('client', process),
      queries: network.connect(ports.jobQueries(stateContainer), process, this.wirings.store('client')),
      clock: process.clock,
      telemetry: this.options.telemetry ?? silent,
    })
  }

  /** Lets the submissions of a client without roles begin their jobs, if the processes wake each other. */
  private away(process: SimulatedProcess): Partial<Beginning> {
    const { wakeUps } = this
    if (wakeUps === null) return {}
    const now = (): number => process.clock.now()
    const hints = new FeedHints()
    const board = new PauseBoard({
      store: this.store('client', process),
      clock: process.clock,
      telemetry: silent,
    })
    return beginningElsewhere(() => wakeUps.takingScheduler(), {
      hints,
      board,
      now,
      onBegun: () => undefined,
    })
  }

  private payloadsOf(process: SimulatedProcess): PayloadStore {
    const { largerThan = 65_536 } = this.options
    return this.payloads.reachedBy(process, this.world.network, largerThan)
  }

  private store(party: Role | 'client', process: SimulatedProcess): StateStore {
    const { network, ports } = this.world
    return network.connect(ports.stateStore(stateContainer), process, this.wirings.store(party))
  }

  private unit(role: Role, process: SimulatedProcess, shared: SharedParts): Unit {
    const { world } = this
    const { timing, telemetry = silent, sweepIntervalMs, slots } = this.options
    const options: UnitOptions = {
      store: this.store(role, process),
      leases: this.leaseStore(role, process),
      processorName: role,
      instanceName: process.computer.name,
      clock: process.clock,
      random: seededRandom(Math.floor(world.random.next() * 2 ** 32)),
      processes: world.processesSeenBy(process),
      payloads: this.payloadsOf(process),
      telemetry,
      ...shared,
      ...withoutUndefined({ timing }),
    }
    switch (role) {
      case 'scheduler':
        return createScheduler(options)
      case 'agents': {
        const agents = this.options.agents(process)
        return createAgents({ ...options, agents, ...withoutUndefined({ slots }) })
      }
      case 'supervisor':
        return createSupervisor({
          ...options,
          agentsLeases: this.leaseStore('agents', process),
          ...withoutUndefined({ sweepInterval: sweepIntervalMs }),
        })
      case 'notifier': {
        const channel = this.options.channel?.(process) ?? replyChannel(null)
        // As in the defaults, the interval is twice that of the other sweeps, because each of these sweeps
        // reads every flagged job.
        const sweeping = sweepIntervalMs === undefined ? {} : { notifySweepInterval: 2 * sweepIntervalMs }
        return createNotifier({ ...options, channel, ...sweeping })
      }
    }
  }

  private leaseStore(role: Role, process: SimulatedProcess): LeaseStore {
    const wiring = this.leaseWirings.get(role)
    if (wiring === undefined) throw new RangeError(`there is no role ${role}`)
    const { network, ports } = this.world
    const names = { leaseContainer, monitoredContainer: stateContainer, processorName: role }
    return connectedLeaseStore(network, ports.leaseStore(names), { process, wiring })
  }
}
