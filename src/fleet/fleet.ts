import type { ChildProcess } from 'node:child_process'
import type { Server } from 'node:net'
import { systemClock } from '../platform/index.js'
import { systemRandom } from '../platform/internal.js'
import type { Telemetry } from '../telemetry/index.js'
import { type Connection, ConfigurationInvalid } from '../connection/index.js'
import { instanceNameOf, roles, rolesNamed } from '../connection/internal.js'
import {
  isAnswered,
  listenForRequests,
  type FleetAnswer,
  type FleetRequest,
  type FleetRow,
  type FleetStatus,
  type FleetStore,
} from './control.js'
import { FleetLeases, type RoleBacklog } from './fleet-leases.js'
import { instanceOf, started, type ChildProgram, type Instance } from './instance.js'
import { Reserve } from './reserve.js'
import { RoleKeeper } from './role-keeper.js'
import { forget, remember, remembered, stillScaled, type Counts, type Scaled } from './scaled-counts.js'
import { makeOwn, socketPath } from './state-directory.js'

export interface FleetOptions {
  readonly connection: Connection & { readonly unitPrefix?: string }
  /** The store, for the commands of other terminals. Default: unknown. */
  readonly store?: FleetStore
  /** The number of processes of each role. A process of `all` runs every role. */
  readonly counts: Counts
  readonly stateDirectory: string
  readonly program: string
  readonly argsOf: (role: string) => readonly string[]
  /** The arguments of the process that waits for a role, or null for no such process. */
  readonly reserveArgs: readonly string[] | null
  readonly telemetry: Telemetry
  readonly stopWithinMs: number
}

/** The running processes of a fleet on this machine. */
export interface Fleet {
  /** The requested number of processes of each role, from the options or from an earlier `scale`. */
  readonly counts: Counts
  /**
   * Resolves with an exit code if no process can run, or with 0 if another terminal has stopped the fleet.
   */
  readonly ended: Promise<number>
  /** The roles without a running process, one line for each. */
  readonly problems: readonly string[]
  status(): Promise<FleetStatus>
  /** Stops every process, and resolves when all processes have ended. */
  stop(): Promise<void>
}

/**
 * Starts the processes of a fleet and listens for other terminals.
 *
 * @throws ConfigurationInvalid if a fleet already runs in this state directory, or other users may write
 * there
 */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const { stateDirectory } = options
  const path = socketPath(stateDirectory)
  // The folder is checked first, because an answer from another user's folder cannot be trusted.
  await makeOwn(stateDirectory)
  if (await isAnswered(path)) {
    const advice = 'see it with "stepward fleet", or start a second fleet with another --state DIRECTORY'
    throw new ConfigurationInvalid([`a fleet runs here already (${path}): ${advice}`])
  }
  const scaled = stillScaled(await remembered(stateDirectory), options.counts)
  await remember(stateDirectory, scaled)
  const running = new RunningFleet(options, scaled)
  await running.open(path)
  return running
}

class RunningFleet implements Fleet {
  readonly ended: Promise<number>
  private readonly keepers: ReadonlyMap<string, RoleKeeper>
  private readonly lastCpu = new WeakMap<Instance, { readonly cpuSeconds: number; readonly atMs: number }>()
  private readonly leases: ReadonlyMap<string, FleetLeases>
  private readonly reserve: Reserve<ChildProcess> | null
  private server: Server | null = null
  private end: (code: number) => void = () => undefined
  readonly counts: Counts

  constructor(
    private readonly options: FleetOptions,
    private scaled: Scaled,
  ) {
    const { reserveArgs } = options
    this.reserve =
      reserveArgs === null ? null : new Reserve(() => started(this.child(reserveArgs)), systemClock)
    const counts = Object.fromEntries(
      Object.entries(options.counts).map(([role, count]) => [role, scaled[role]?.instances ?? count]),
    )
    this.counts = counts
    this.leases = new Map(
      Object.keys(counts).map((role) => [
        role,
        new FleetLeases(options.connection, rolesNamed([role]) ?? roles, systemClock),
      ]),
    )
    this.keepers = new Map([...this.leases].map(([role, leases]) => [role, this.keeperOf(role, leases)]))
    this.ended = new Promise((resolve) => {
      this.end = resolve
    })
    for (const keeper of this.keepers.values()) keeper.givenUp.then(this.end, () => undefined)
  }

  get problems(): readonly string[] {
    return [...this.keepers.values()].flatMap((keeper) => keeper.unhealthyReason() ?? [])
  }

  async open(path: string): Promise<void> {
    this.server = await listenForRequests(path, (request) => this.handle(request))
    for (const [role, keeper] of this.keepers) keeper.scale(this.counts[role] ?? 0)
  }

  async status(): Promise<FleetStatus> {
    const rows = this.rows()
    const backlogs = [...this.leases].map(async ([role, leases]) => [role, await leases.backlog()] as const)
    const found = await Promise.all(backlogs)
    return {
      ...this.known(),
      leases: Object.fromEntries(found.map(([role, backlog]) => [role, leaseCountOf(backlog)])),
      backlog: found.flatMap(([, backlog]) => backlog ?? []),
      rows: await rows,
    }
  }

  private rows(): Promise<readonly FleetRow[]> {
    const rows = [...this.keepers].flatMap(([role, keeper]) =>
      keeper.instances.map((instance) => this.rowOf(role, instance, keeper.isRetiring(instance))),
    )
    return Promise.all(rows)
  }

  async stop(): Promise<void> {
    this.reserve?.close()
    await Promise.all([...this.keepers.values()].map((keeper) => keeper.stop()))
    for (const leases of this.leases.values()) leases.dispose()
    this.server?.close()
  }

  private keeperOf(role: string, leases: FleetLeases): RoleKeeper {
    const { telemetry, stopWithinMs } = this.options
    return new RoleKeeper({
      role,
      launch: () => this.launch(role),
      releaseLeases: (instanceName) => leases.release(instanceName),
      onChanged: () => this.rebalance(),
      clock: systemClock,
      random: systemRandom,
      telemetry,
      stopWithinMs,
    })
  }

  /** Starts an instance of a role, in the reserve if there is one. */
  private launch(role: string): Instance {
    const instanceName = instanceNameOf(systemRandom)
    const args = this.options.argsOf(role)
    const child =
      this.reserve?.take({ role, instanceName }) ??
      started(this.child(args, { STEPWARD_INSTANCE_NAME: instanceName }))
    return instanceOf(child, { instanceName, onRunning: () => this.reserve?.prepare() })
  }

  private child(args: readonly string[], variables: Readonly<Record<string, string>> = {}): ChildProgram {
    // Only one process can open the port, so the children do not get it.
    const environment = { ...process.env, ...variables, PORT: undefined }
    return { program: this.options.program, args, environment }
  }

  private async handle(request: FleetRequest): Promise<FleetAnswer> {
    switch (request.command) {
      case 'scale': {
        const keeper = this.keepers.get(request.role)
        if (keeper === undefined) return this.noRole(request.role)
        keeper.scale(request.count)
        await this.rememberScaled(request.role, request.count)
        return { kind: 'done', status: this.withoutStore() }
      }
      case 'rebalance': {
        if (request.role !== undefined && !this.keepers.has(request.role)) return this.noRole(request.role)
        this.rebalance(request.role)
        return { kind: 'done', status: { ...this.withoutStore(), rows: await this.rows() } }
      }
      case 'stop': {
        await this.stop()
        await forget(this.options.stateDirectory)
        this.end(0)
        return { kind: 'done', status: this.withoutStore() }
      }
      case 'counts':
        return { kind: 'done', status: this.withoutStore() }
      case 'status':
        return { kind: 'done', status: await this.status() }
    }
  }

  /** Returns the status that needs no request to the store, which may be away while a person scales. */
  private withoutStore(): FleetStatus {
    return { ...this.known(), leases: {}, backlog: [], rows: [] }
  }

  private known(): Pick<FleetStatus, 'processId' | 'wanted' | 'store'> {
    return { processId: process.pid, wanted: this.wanted(), store: this.options.store ?? {} }
  }

  /** Lets the processes of a role, or of all roles, look for leases immediately. */
  private rebalance(role?: string): void {
    for (const [name, keeper] of this.keepers) {
      if (role === undefined || role === name) for (const one of keeper.instances) one.rebalance()
    }
  }

  private noRole(role: string): FleetAnswer {
    const known = [...this.keepers.keys()].join(', ')
    return { kind: 'refused', why: `this fleet has no role ${JSON.stringify(role)}: it runs ${known}` }
  }

  private async rememberScaled(role: string, instances: number): Promise<void> {
    const startedWith = this.options.counts[role] ?? 0
    this.scaled = { ...this.scaled, [role]: { instances, startedWith } }
    await remember(this.options.stateDirectory, this.scaled)
  }

  private wanted(): Counts {
    return Object.fromEntries([...this.keepers].map(([role, keeper]) => [role, keeper.count]))
  }

  private async rowOf(role: string, instance: Instance, isRetiring: boolean): Promise<FleetRow> {
    const { instanceName, processId, hasRun, startedAtMs } = instance
    const nowMs = systemClock.monotonic()
    const figures = hasRun ? await instance.figures() : null
    const last = this.lastCpu.get(instance) ?? { cpuSeconds: 0, atMs: startedAtMs }
    if (figures !== null) this.lastCpu.set(instance, { cpuSeconds: figures.cpuSeconds, atMs: nowMs })
    const elapsedMs = Math.max(1, nowMs - last.atMs)
    const running = figures === null ? 'silent' : 'running'
    return {
      role,
      instanceName,
      processId,
      state: isRetiring ? 'stopping' : hasRun ? running : 'starting',
      upMs: Math.round(nowMs - startedAtMs),
      leases: figures?.leasesOwned ?? null,
      residentBytes: figures?.residentBytes ?? null,
      cpuShare: figures === null ? null : (1_000 * (figures.cpuSeconds - last.cpuSeconds)) / elapsedMs,
    }
  }
}

/**
 * Returns the largest number of leases that any one of the roles has, or null if it is unknown. More
 * instances than leases are spares.
 */
function leaseCountOf(backlog: readonly RoleBacklog[] | null): number | null {
  return backlog === null ? null : Math.max(...backlog.map(({ leaseCount }) => leaseCount))
}
