import { FeedHints, SharedChangeFeed } from '../change-feed-processor/internal.js'
import { systemClock, type Clock } from '../platform/index.js'
import { systemRandom, withoutUndefined, type StoreClock } from '../platform/internal.js'
import {
  beginningHere,
  JobClient,
  JobEndings,
  InProcessPath,
  Payloads,
  endingsOf,
  wakingReaders,
  type Unit,
} from '../sas/internal.js'
import { fanOut, openTelemetry, type Telemetry } from '../telemetry/index.js'
import { AccountWatch } from './account-watch.js'
import { EventLoopWatch } from './event-loop-watch.js'
import {
  awaitStore,
  charging,
  impatient,
  openConnection,
  type OpenConnection,
  explained,
  openContainers,
  openPorts,
  rangeReaders,
  type Containers,
  instanceNameOf,
  storeTimeOf,
} from '../connection/internal.js'
import { Health } from './health.js'
import { hostSettings, type HostOptions, type HostSettings } from './host-options.js'
import { hostPage } from './host-page.js'
import { Metrics } from './metrics.js'
import type { Role } from '../connection/index.js'
import { checkStore } from './start-up-checks.js'
import { serveStatus, type StatusServer } from './status-server.js'
import { StoreHealth } from './store-health.js'
import { unitOf } from './units.js'
import { linkToOthers } from './link-to-others.js'

/** The resources that a process uses, for operators. */
export interface HostFigures {
  readonly leasesOwned: number
  readonly residentBytes: number
  readonly cpuSeconds: number
}

/** The page for operators that a host serves. */
export interface HostPage {
  /**
   * The address that signs in the next browser on this machine. It contains a token, which works once. On App
   * Service with authentication, the address of the app.
   */
  readonly address: string
}

/** The running roles of this process. */
export interface Host {
  readonly instanceName: string
  readonly roles: readonly Role[]
  /** The port of the status server, or null if there is none. */
  readonly port: number | null
  /** The page for operators, or null if there is none. */
  readonly page: HostPage | null
  /**
   * Submits and reads jobs on the same store. If this process's scheduler holds the range of a new job, the
   * job begins immediately. If a job ends in this process, callers of this client that wait for it get the
   * result from memory. Neither costs an additional request.
   */
  readonly client: JobClient
  figures(): HostFigures
  /** Looks for free leases now. Call this function when other instances have started or stopped. */
  rebalance(): void
  /**
   * Stops reading, stores checkpoints and releases every lease, idle leases first. Then waits for running
   * handlers, and aborts them when the time to stop has passed.
   */
  stop(): Promise<void>
}

/**
 * Runs roles in this process until `stop`.
 *
 * @throws ConfigurationInvalid, StoreUnavailable or StoreRefused, each with advice. In these cases, no role
 * runs
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
    return await runUnits({ options, settings, shell, connection, containers, clock })
  } catch (error) {
    await shell.stop()
    throw error
  }
}

/** The parts of a host that exist before the store is reached and until all roles have stopped. */
interface Shell {
  readonly instanceName: string
  readonly wanted: readonly Role[]
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly metrics: Metrics
  readonly eventLoop: EventLoopWatch
  readonly health: Health
  readonly server: StatusServer | null
  readonly units: Unit[]
  /** Called in reverse order, after the units have stopped. */
  readonly closing: (() => Promise<void>)[]
  stop(): Promise<void>
}

async function openShell(settings: HostSettings): Promise<Shell> {
  const { clock = systemClock, port, roles: wanted } = settings
  const instanceName = settings.instanceName ?? instanceNameOf(systemRandom)
  const metrics = new Metrics(clock.now())
  const telemetry = new StoreHealth(clock, fanOut(settings.telemetry ?? openTelemetry(), metrics))
  const eventLoop = new EventLoopWatch(clock)
  const health = new Health(eventLoop)
  health.watch(telemetry)
  const figures = () => ({ ...processFigures(), isReady: health.ready().isHealthy })
  const status = {
    about: () => ({ instanceName, roles: wanted }),
    live: () => health.live(),
    ready: () => health.ready(),
    metrics: () => metrics.text(figures()),
  }
  const server = port === undefined ? null : await serveStatus(port, status)
  const watching = new AbortController()
  const watch = eventLoop.watch(watching.signal)
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
  return { instanceName, wanted, clock, telemetry, metrics, eventLoop, health, server, units, closing, stop }
}

function watchAccount(connection: OpenConnection, { clock, telemetry, health, closing }: Shell): void {
  const watch = new AccountWatch(connection, clock, telemetry)
  watch.start()
  health.watch(watch)
  closing.push(() => watch.stop())
}

/** Waits for the store, at most for the time in `patience`, and checks the store. */
function reached(
  connection: OpenConnection,
  settings: HostSettings,
  shell: Shell & { readonly clock: StoreClock },
): Promise<Containers> {
  const { clock, telemetry } = shell
  const attempt = async () => {
    const containers = await openContainers(connection)
    await checkStore(connection, containers, clock)
    for (const advice of containers.advice) telemetry.emit({ type: 'host.advised', advice })
    return containers
  }
  return awaitStore(attempt, waitingOf(settings, shell))
}

/**
 * Starts all units at the same time, because each start is a chain of requests. Units that have started leave the set,
 * so that another call starts the others.
 */
async function startAll(connection: OpenConnection, units: Set<Unit>): Promise<void> {
  const starts = [...units].map(async (unit) => {
    await startedOn(connection, unit)
    units.delete(unit)
  })
  const failed = (await Promise.allSettled(starts)).find((start) => start.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

/**
 * Starts a unit, and explains its errors so that `awaitStore` recognises them. If the store fails while the
 * unit creates its first leases, the host then waits and tries again.
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
    telemetry.emit({ type: 'host.advised', advice: `the start waits (${error.message})` })
  }
  return { patience, clock, random: systemRandom, signal, onWait }
}

interface Reached {
  readonly options: HostOptions
  readonly settings: HostSettings
  readonly shell: Shell
  readonly connection: OpenConnection
  readonly containers: Containers
  readonly clock: Clock
}

async function runUnits({ options, settings, shell, connection, containers, clock }: Reached): Promise<Host> {
  const { instanceName, wanted, telemetry, units, eventLoop, health, metrics, server } = shell
  const [hints, inProcessPath, endings] = [new FeedHints(), new InProcessPath(), new JobEndings()]
  const ports = await openPorts(connection, containers, { onCharge: charging(telemetry), clock })
  shell.closing.push(async () => ports.close())
  const endWatch = ports.watch((physicalRangeId) => hints.notify(physicalRangeId))
  shell.closing.push(async () => endWatch())
  const local = { ports, hints, endings, inProcessPath, instanceName, telemetry, clock }
  const link = await linkToOthers({ settings, ...local })
  shell.closing.push(() => link.close())
  const feed = new SharedChangeFeed({ feed: ports.changeFeed(), clock })
  const wakeUps = ports.endings === undefined ? endings : endingsOf([endings, ports.endings])
  const shared = {
    eventLoop,
    feed,
    containers,
    ports,
    instanceName,
    telemetry,
    hints,
    inProcessPath,
    endings,
    wakeUps,
    endHints: link.endHints,
    clock,
    wakeAddress: link.wakeAddress,
  }
  const parts = { settings, payloads: options.payloads, ...shared }
  for (const role of wanted) {
    const unit = await unitOf(role, parts)
    units.push(unit)
    health.watchUnit(role, unit)
  }
  const starting = new Set(units)
  await awaitStore(() => startAll(connection, starting), waitingOf(settings, shell))
  const client = new JobClient({
    lacks: rangeReaders(containers, { clock, timing: settings.timing }),
    store: wakingReaders(ports.stateOf('client'), hints),
    queries: ports.queries,
    clock,
    telemetry,
    payloads: new Payloads(options.payloads ?? null, systemRandom),
    wakeUps,
    ...withoutUndefined({ endHints: link.endHints }),
    ...beginningHere(inProcessPath, hints),
  })
  for (const schedule of settings.schedules) {
    await awaitStore(() => client.schedules.set(schedule), waitingOf(settings, shell))
  }
  const paged = { ...options, hostCharges: () => metrics.charges }
  const page = await awaitStore(() => hostPage(settings.page, paged, server), waitingOf(settings, shell))
  if (page !== null) shell.closing.push(() => page.close())
  health.started()
  return {
    instanceName,
    roles: wanted,
    port: server?.port ?? null,
    page,
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
