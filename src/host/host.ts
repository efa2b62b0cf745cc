import { FeedHints } from '../change-feed-processor/index.js'
import { systemClock, type Clock } from '../platform/index.js'
import { systemRandom, type StoreClock } from '../platform/internal.js'
import {
  beginningHere,
  CosmosStateStore,
  JobClient,
  JobEndings,
  InProcessPath,
  wakingReaders,
  type Unit,
  isAgent,
} from '../sas/internal.js'
import { fanOut, openTelemetry, type Telemetry } from '../telemetry/index.js'
import { AccountWatch } from './account-watch.js'
import { type StorePatience, type Connection, ConfigurationInvalid, type Role } from '../connection/index.js'
import {
  awaitStore,
  charging,
  connectionProblems,
  impatient,
  openConnection,
  type OpenConnection,
  explained,
  openContainers,
  type Containers,
  instanceNameOf,
  roles,
  storeTimeOf,
} from '../connection/internal.js'
import { Health } from './health.js'
import { Metrics } from './metrics.js'
import { notifyingProblems } from './notifying.js'
import { checkStore } from './start-up-checks.js'
import { serveStatus, type StatusServer } from './status-server.js'
import { StoreTrouble } from './store-trouble.js'
import { unitOf, type UnitSettings } from './units.js'
import { UnwellUnits } from './unwell-units.js'

/** The roles of a host, its store, and its settings. */
export interface HostOptions extends Connection, UnitSettings {
  /** Default: all four roles. */
  readonly roles?: readonly Role[]
  /**
   * Default: a unique name, made of the machine's name and the process id; on App Service of app, slot and
   * machine.
   */
  readonly instanceName?: string
  /**
   * The port of `/`, `/healthz`, `/readyz` and `/metrics`, which opens before the store is reached; 0 for any.
   * Default: none.
   */
  readonly port?: number
  /** How long the start waits for a store that does not answer or does not permit access yet. Default: not at all. */
  readonly patience?: StorePatience
  /** Aborts a start that waits. */
  readonly signal?: AbortSignal
  /** Receives the events. Default: OpenTelemetry, which does nothing in a process that has registered no SDK. */
  readonly telemetry?: Telemetry
  /** Default: the machine's clock. Answers of the store correct its time of day. */
  readonly clock?: Clock
}

/** The resources that a process uses, for operators. */
export interface HostFigures {
  readonly leasesOwned: number
  readonly residentBytes: number
  readonly cpuSeconds: number
}

/** The running roles of this process. */
export interface Host {
  readonly instanceName: string
  readonly roles: readonly Role[]
  /** The port of the status server; null if there is none. */
  readonly port: number | null
  /**
   * Submits and reads jobs on the same store. A job accepted in a range of this process's scheduler begins at
   * once. A caller that waits here for a job that ends in this process gets its result. Neither costs a request.
   */
  readonly client: JobClient
  figures(): HostFigures
  /** Looks for free leases now instead of at the next cycle. Call it when other instances have come or gone. */
  rebalance(): void
  /**
   * Stops reading, stores checkpoints and releases every lease, idle ones first. Then it waits for running handlers
   * and aborts them when their time is over.
   */
  stop(): Promise<void>
}

/**
 * Runs roles in this process until `stop`.
 *
 * @throws ConfigurationInvalid, StoreUnavailable or StoreRefused, each saying what to do; no role runs then
 */
export async function startHost(options: HostOptions): Promise<Host> {
  const problems = hostProblems(options)
  if (problems.length > 0) throw new ConfigurationInvalid(problems)
  const shell = await openShell(options)
  try {
    const connection = await openConnection(options, impatient)
    shell.closing.push(async () => connection.close())
    const { clock, end } = storeTimeOf(connection.client, shell.clock, shell.telemetry)
    shell.closing.push(async () => end())
    const containers = await reached(connection, options, { ...shell, clock })
    watchAccount(connection, { ...shell, clock })
    return await runUnits({ options, shell, connection, containers, clock })
  } catch (error) {
    await shell.stop()
    throw error
  }
}

function hostProblems(options: HostOptions): readonly string[] {
  const wanted = options.roles ?? roles
  const problems: string[] = []
  for (const role of wanted.filter((each) => !roles.includes(each))) {
    problems.push(
      `role ${JSON.stringify(role)} is none of ${roles.join(', ')}; all four run where roles is left out`,
    )
  }
  // JavaScript callers may pass anything.
  const agents: unknown = options.agents ?? []
  if (!Array.isArray(agents) || !agents.every(isAgent)) {
    problems.push('agents must be a list of agents, each made by defineAgent')
  }
  if (wanted.length === 0) problems.push(`roles is empty: name at least one of ${roles.join(', ')}`)
  if (wanted.includes('agents') && (options.agents ?? []).length === 0) {
    problems.push('the role agents needs at least one agent: pass --agents MODULE, or agents: [...]')
  }
  return [...problems, ...notifyingProblems(options), ...connectionProblems(options)]
}

/** The parts of a host that exist before its store is reached, and until all roles have stopped. */
interface Shell {
  readonly instanceName: string
  readonly wanted: readonly Role[]
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly metrics: Metrics
  readonly health: Health
  readonly server: StatusServer | null
  readonly units: Unit[]
  /** Watches of the store's account while the host runs. */
  readonly accounts: AccountWatch[]
  /** Called in reverse order, after the units have stopped. */
  readonly closing: (() => Promise<void>)[]
  stop(): Promise<void>
}

async function openShell(options: HostOptions): Promise<Shell> {
  const { clock = systemClock, port } = options
  const wanted = options.roles ?? roles
  const instanceName = options.instanceName ?? instanceNameOf(systemRandom)
  const metrics = new Metrics()
  const trouble = new StoreTrouble(clock, fanOut(options.telemetry ?? openTelemetry(), metrics))
  const unwell = new UnwellUnits()
  const accounts: AccountWatch[] = []
  const troubles = () => [
    ...(trouble.reason === null ? [] : [trouble.reason]),
    ...accounts.flatMap(({ problem }) => problem ?? []),
    ...unwell.problems,
  ]
  const health = new Health(clock, troubles)
  const figures = () => ({ ...processFigures(), isReady: health.ready().isWell })
  const status = {
    about: () => ({ instanceName, roles: wanted }),
    live: () => health.live(),
    ready: () => health.ready(),
    metrics: () => metrics.text(figures()),
  }
  const server = port === undefined ? null : await serveStatus(port, status)
  const watching = new AbortController()
  const watch = health.watch(watching.signal)
  const units: Unit[] = []
  const closing = [
    async () => {
      watching.abort()
      await watch
      await server?.close()
    },
  ]
  const stop = async (): Promise<void> => {
    health.stopping()
    await Promise.all(units.map((unit) => unit.stop()))
    for (const close of closing.splice(0).reverse()) await close()
  }
  const telemetry = fanOut(trouble, unwell)
  return { instanceName, wanted, clock, telemetry, metrics, health, server, units, accounts, closing, stop }
}

function watchAccount(connection: OpenConnection, { clock, telemetry, accounts, closing }: Shell): void {
  const watch = new AccountWatch(connection, clock, telemetry)
  watch.start()
  accounts.push(watch)
  closing.push(() => watch.stop())
}

/** Waits for the store as long as the patience lasts, and checks it. */
function reached(
  connection: OpenConnection,
  options: HostOptions,
  shell: Shell & { readonly clock: StoreClock },
): Promise<Containers> {
  const { clock, telemetry } = shell
  const attempt = async () => {
    const containers = await openContainers(connection)
    const checked = await checkStore(connection, containers, clock)
    for (const advice of checked.advice) telemetry.emit({ type: 'host.advised', advice })
    return containers
  }
  return awaitStore(attempt, waitingOf(options, shell))
}

/**
 * Starts a unit. Its errors are explained, so that the start also waits for a store that fails during the unit's
 * first leases.
 */
async function startedOn(connection: OpenConnection, unit: Unit): Promise<void> {
  try {
    await unit.start()
  } catch (error) {
    throw explained(connection, error)
  }
}

function waitingOf({ patience = {}, signal }: HostOptions, { clock, health, telemetry }: Shell) {
  const onWait = (error: Error): void => {
    health.waits(error.message)
    telemetry.emit({ type: 'host.advised', advice: `waiting: ${error.message}` })
  }
  return { patience, clock, random: systemRandom, signal, onWait }
}

interface Reached {
  readonly options: HostOptions
  readonly shell: Shell
  readonly connection: OpenConnection
  readonly containers: Containers
  readonly clock: Clock
}

async function runUnits({ options, shell, connection, containers, clock }: Reached): Promise<Host> {
  const { instanceName, wanted, telemetry, units, health, metrics, server } = shell
  const [hints, inProcessPath, endings] = [new FeedHints(), new InProcessPath(), new JobEndings()]
  const store = new CosmosStateStore({ container: containers.state, onCharge: charging(telemetry) })
  const stalled = (): string | null => health.stalled()
  const shared = {
    stalled,
    containers,
    store,
    instanceName,
    telemetry,
    hints,
    inProcessPath,
    endings,
    clock,
  }
  const parts = { settings: options, ...shared }
  for (const role of wanted) {
    const unit = await unitOf(role, parts)
    units.push(unit)
    health.watchRole(role, () => unit.health())
    await awaitStore(() => startedOn(connection, unit), waitingOf(options, shell))
  }
  health.started()
  const client = new JobClient({
    store: wakingReaders(store, hints),
    clock,
    telemetry,
    wakeUps: endings,
    onAccepted: beginningHere(inProcessPath, hints),
  })
  return {
    instanceName,
    roles: wanted,
    port: server?.port ?? null,
    client,
    figures: () => ({ leasesOwned: metrics.leasesOwned, ...processFigures() }),
    rebalance: () => {
      for (const unit of units) unit.rebalance()
    },
    stop: () => shell.stop(),
  }
}

function processFigures() {
  const { user, system } = process.cpuUsage()
  return {
    residentBytes: process.memoryUsage.rss(),
    cpuSeconds: (user + system) / 1e6,
    uptimeSeconds: process.uptime(),
  }
}
