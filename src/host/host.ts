import { FeedHints } from '../change-feed-processor/internals.js'
import { systemClock, systemRandom, type Clock, type StoreClock } from '../platform/index.js'
import {
  beginningHere,
  CosmosStateStore,
  JobClient,
  JobEndings,
  InProcessPath,
  wakingReaders,
  type Unit,
} from '../sas/index.js'
import { fanOut, openTelemetry, type Telemetry } from '../telemetry/index.js'
import { AccountWatch } from './account-watch.js'
import { awaitStore } from '../connection/await-store.js'
import { charging } from '../connection/connect.js'
import { impatient, openConnection, type OpenConnection } from '../connection/connection.js'
import { explained, openContainers, type Containers } from '../connection/containers.js'
import { Health } from './health.js'
import { hostSettings, type HostOptions, type HostSettings } from './host-options.js'
import { instanceNameOf } from '../connection/instance-name.js'
import { Metrics } from './metrics.js'
import type { Role } from '../connection/role.js'
import { checkStore } from './start-up-checks.js'
import { serveStatus, type StatusServer } from './status-server.js'
import { storeTimeOf } from '../connection/store-time.js'
import { StoreTrouble } from './store-trouble.js'
import { unitOf } from './units.js'
import { UnwellUnits } from './unwell-units.js'

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
  const settings = hostSettings(options)
  const shell = await openShell(settings)
  try {
    const connection = await openConnection(options, impatient)
    shell.closing.push(async () => connection.close())
    const { clock, end } = storeTimeOf(connection.client, shell.clock, shell.telemetry)
    shell.closing.push(async () => end())
    const containers = await reached(connection, settings, { ...shell, clock })
    watchAccount(connection, { ...shell, clock })
    return await runUnits({ settings, shell, connection, containers, clock })
  } catch (error) {
    await shell.stop()
    throw error
  }
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

async function openShell(settings: HostSettings): Promise<Shell> {
  const { clock = systemClock, port, roles: wanted } = settings
  const instanceName = settings.instanceName ?? instanceNameOf(systemRandom)
  const metrics = new Metrics()
  const trouble = new StoreTrouble(clock, fanOut(settings.telemetry ?? openTelemetry(), metrics))
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
  settings: HostSettings,
  shell: Shell & { readonly clock: StoreClock },
): Promise<Containers> {
  const { clock, telemetry } = shell
  const attempt = async () => {
    const containers = await openContainers(connection)
    const checked = await checkStore(connection, containers, clock)
    for (const advice of checked.advice) telemetry.emit({ type: 'host.advised', advice })
    return containers
  }
  return awaitStore(attempt, waitingOf(settings, shell))
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

function waitingOf({ patience, signal }: HostSettings, { clock, health, telemetry }: Shell) {
  const onWait = (error: Error): void => {
    health.waits(error.message)
    telemetry.emit({ type: 'host.advised', advice: `waiting: ${error.message}` })
  }
  return { patience, clock, random: systemRandom, signal, onWait }
}

interface Reached {
  readonly settings: HostSettings
  readonly shell: Shell
  readonly connection: OpenConnection
  readonly containers: Containers
  readonly clock: Clock
}

async function runUnits({ settings, shell, connection, containers, clock }: Reached): Promise<Host> {
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
  const parts = { settings, ...shared }
  for (const role of wanted) {
    const unit = await unitOf(role, parts)
    units.push(unit)
    health.watchRole(role, () => unit.health())
    await awaitStore(() => startedOn(connection, unit), waitingOf(settings, shell))
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
