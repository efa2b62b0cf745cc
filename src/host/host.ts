import { CosmosLeaseStore } from '../../lease-store/index.js'
import { CosmosChangeFeed, FeedHints } from '../change-feed-processor/index.js'
import { systemClock, systemRandom } from '../platform/index.js'
import {
  CosmosStateStore,
  createAgents,
  createScheduler,
  createSupervisor,
  JobClient,
  JobEndings,
  Shortcut,
  wakingReaders,
  type Agent,
  type Unit,
  type UnitOptions,
  type UnitTiming,
} from '../sas/index.js'
import { fanOut, silent, type Telemetry } from '../telemetry/index.js'
import { openConnection, type Connection } from './connection.js'
import { openContainers, type Containers } from './containers.js'
import { charging } from './connect.js'
import { ConfigurationInvalid } from './errors.js'
import { instanceNameOf } from './instance-name.js'

/** A role of the pattern; each is a deployment unit of its own. */
export const roles = ['scheduler', 'agents', 'supervisor'] as const
export type Role = (typeof roles)[number]

/** What a host runs, and on which store. */
export interface HostOptions extends Connection {
  /** Default: all three. */
  readonly roles?: readonly Role[]
  /** The agents whose handlers run here; needed by the role `agents`. */
  readonly agents?: readonly Agent[]
  /** Default: made of the machine's name, the process id and chance. */
  readonly instanceName?: string
  /** The processor names are this and the role: hosts with the same prefix and containers work together. Default `stepward`. */
  readonly unitPrefix?: string
  /** Intervals of the change feed processors. */
  readonly timing?: UnitTiming
  /** Handlers that run at once. Default 16. */
  readonly slots?: number
  /** How often overdue steps are asked for, in milliseconds. Default 30,000. */
  readonly sweepIntervalMs?: number
  /** How long after a deadline it is acted upon, in milliseconds. Default 2,000. */
  readonly deadlineGraceMs?: number
  /** Where events go. Default: nowhere. */
  readonly telemetry?: Telemetry
}

/** Running roles. */
export interface Host {
  readonly instanceName: string
  readonly roles: readonly Role[]
  /** Submits and reads jobs on the same store; it is woken when a job ends in this process. */
  readonly client: JobClient
  /** Lets what is under way finish, checkpoints, releases every lease. */
  stop(): Promise<void>
}

/**
 * Runs roles in this process until `stop`.
 *
 * @throws ConfigurationInvalid, StoreUnavailable or StoreRefused, each saying what to do; nothing runs then
 */
export async function startHost(options: HostOptions): Promise<Host> {
  const wanted = options.roles ?? roles
  refuseImpossible(wanted, options)
  const connection = await openConnection(options)
  const instanceName = options.instanceName ?? instanceNameOf(systemRandom)
  const endings = new JobEndings()
  const telemetry = fanOut(options.telemetry ?? silent, endings)
  const hints = new FeedHints()
  const shortcut = new Shortcut()
  const started: Unit[] = []
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((unit) => unit.stop()))
    connection.close()
  }
  try {
    const containers = await openContainers(connection)
    const store = new CosmosStateStore({ container: containers.state, onCharge: charging(telemetry) })
    for (const role of wanted) {
      const unit = await unitOf(role, {
        options,
        containers,
        store,
        instanceName,
        telemetry,
        hints,
        shortcut,
      })
      started.push(unit)
      await unit.start()
    }
    const client = new JobClient({
      store: wakingReaders(store, hints),
      clock: systemClock,
      telemetry,
      wakeUps: endings,
    })
    return { instanceName, roles: wanted, client, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

interface UnitParts {
  readonly options: HostOptions
  readonly containers: Containers
  readonly store: CosmosStateStore
  readonly instanceName: string
  readonly telemetry: Telemetry
  readonly hints: FeedHints
  readonly shortcut: Shortcut
}

async function unitOf(role: Role, parts: UnitParts): Promise<Unit> {
  const { options, containers, store, instanceName, telemetry, hints, shortcut } = parts
  const processorName = processorNameOf(role, options.unitPrefix)
  const onCharge = charging(telemetry)
  const common: UnitOptions = {
    store,
    feed: new CosmosChangeFeed({ container: containers.state, onCharge }),
    leases: await CosmosLeaseStore.open({
      leaseContainer: containers.leases,
      monitoredContainer: containers.state,
      processorName,
      onCharge,
    }),
    processorName,
    instanceName,
    telemetry,
    hints,
    shortcut,
    ...(options.timing === undefined ? {} : { timing: options.timing }),
  }
  const { agents = [], slots, sweepIntervalMs, deadlineGraceMs } = options
  switch (role) {
    case 'scheduler':
      return createScheduler(common)
    case 'agents':
      return createAgents({ ...common, agents, ...(slots === undefined ? {} : { slots }) })
    case 'supervisor':
      return createSupervisor({
        ...common,
        ...(sweepIntervalMs === undefined ? {} : { sweepIntervalMs }),
        ...(deadlineGraceMs === undefined ? {} : { deadlineGraceMs }),
      })
  }
}

/** The name of a role's deployment unit, under which its leases are found. */
function processorNameOf(role: Role, unitPrefix = 'stepward'): string {
  return `${unitPrefix}-${role}`
}

function refuseImpossible(wanted: readonly Role[], options: HostOptions): void {
  const problems: string[] = []
  if (wanted.length === 0) problems.push(`roles is empty: name at least one of ${roles.join(', ')}`)
  if (wanted.includes('agents') && (options.agents ?? []).length === 0) {
    problems.push('the role agents needs at least one agent: pass --agents MODULE, or agents: [...]')
  }
  if (problems.length > 0) throw new ConfigurationInvalid(problems)
}
