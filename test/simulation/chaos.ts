import type { Computer, SimulatedProcess } from '../../src/testing/simulated-process.js'
import type { World } from '../../src/testing/world.js'

/** Processes on computers, at most one on each. */
interface Fleet {
  readonly processes: readonly SimulatedProcess[]
  processOn(computer: Computer): SimulatedProcess | null
  start(computer: Computer): void
  stop(computer: Computer): Promise<void>
}

/** The faults that meet whole processes and partitions. */
export interface ChaosOptions {
  readonly world: World
  readonly unit: Fleet
  /** The name of the container whose partitions are split and merged. */
  readonly container: string
  readonly computers: readonly Computer[]
  /** The average time between two faults. */
  readonly intervalMs: number
  readonly mostPartitions: number
  /**
   * The probability that a host that is down is restarted with each fault. Default 0: only faults restart
   * hosts.
   */
  readonly restartChance?: number
  /** Whether event loops block in the middle of work, and machines sleep. Default: false. */
  readonly isStalling?: boolean
}

const [shortestStandstillMs, longestStandstillMs] = [10_000, 120_000] as const

/** The largest error that a clock is set to. */
export const mostWrongMs = 90_000

/**
 * Injects random crashes, pauses, restarts, deployments, clock corrections, splits and merges, until it is
 * stopped.
 */
export class Chaos {
  private isOver = false
  /** The current error of each clock, so that repeated changes do not exceed the largest error. */
  private readonly wrongByMs = new WeakMap<SimulatedProcess, number>()

  constructor(private readonly options: ChaosOptions) {}

  start(): void {
    const { world, intervalMs } = this.options
    world.time.schedule(world.random.next() * 2 * intervalMs, () => {
      if (this.isOver) return
      this.strike()
      this.attend()
      this.start()
    })
  }

  /** Ends all faults. Resumes paused processes and restarts some of the crashed ones. */
  stop(): void {
    this.isOver = true
    const { world, unit, computers } = this.options
    for (const process of unit.processes) process.resume()
    for (const computer of computers) {
      if (unit.processOn(computer) !== null) continue
      if (unit.processes.length === 0 || world.random.next() < 0.5) unit.start(computer)
    }
  }

  /** Corrects the clocks, as an operator does who learns that no work progresses. */
  mendClocks(): void {
    for (const process of this.options.unit.processes) {
      process.setWallClock(-(this.wrongByMs.get(process) ?? 0))
      this.wrongByMs.delete(process)
    }
  }

  private strike(): void {
    const { world, computers } = this.options
    const computer = this.any(computers)
    if (computer === undefined) return
    const blows = [
      () => this.crash(computer),
      () => this.pause(computer),
      ...(this.options.isStalling === true ? [() => this.standStill(computer)] : []),
      () => this.deploy(computer),
      () => this.setClock(computer),
      () => this.split(),
      () => this.merge(),
    ]
    const blow = this.any(blows)
    const fault = blow?.() ?? null
    if (fault !== null) world.record({ type: 'fault', fault, on: computer.name })
  }

  /** Restarts some of the hosts that are down, as an operator would, though not at once. */
  private attend(): void {
    const { world, computers, unit, restartChance = 0 } = this.options
    if (restartChance === 0) return
    for (const computer of computers) {
      if (unit.processOn(computer) === null && world.random.next() < restartChance) this.restart(computer)
    }
  }

  private crash(computer: Computer): string | null {
    const process = this.options.unit.processOn(computer)
    if (process === null) return this.restart(computer)
    process.crash()
    const { world } = this.options
    world.time.schedule(world.random.next() * 150_000, () => {
      if (!this.isOver) this.restart(computer)
    })
    return 'crash'
  }

  /** Pauses a process. Half of the pauses are longer than the lifetime of a lease. */
  private pause(computer: Computer): string | null {
    const process = this.options.unit.processOn(computer)
    if (process?.isRunning !== true) return null
    process.pause()
    const { world } = this.options
    world.time.schedule(world.random.next() * 120_000, () => {
      process.resume()
    })
    return 'pause'
  }

  private standStill(computer: Computer): string | null {
    return this.options.world.random.next() < 0.5 ? this.stall(computer) : this.sleepMachine(computer)
  }

  /** Blocks an event loop for up to two minutes, just before a request that was already decided is sent. */
  private stall(computer: Computer): string | null {
    const process = this.options.unit.processOn(computer)
    if (process?.isRunning !== true) return null
    process.stall(this.standstillMs())
    return 'stall'
  }

  private sleepMachine(computer: Computer): string | null {
    const process = this.options.unit.processOn(computer)
    if (process?.isRunning !== true) return null
    process.sleepMachine(this.standstillMs())
    return 'sleep'
  }

  private standstillMs(): number {
    return (
      shortestStandstillMs + this.options.world.random.next() * (longestStandstillMs - shortestStandstillMs)
    )
  }

  private deploy(computer: Computer): string | null {
    const { unit } = this.options
    if (unit.processOn(computer)?.isRunning !== true) return null
    unit.stop(computer).then(
      () => void this.restart(computer),
      (error: unknown) => {
        this.options.world.problems.push(`stop rejected: ${String(error)}`)
      },
    )
    return 'deploy'
  }

  private restart(computer: Computer): string | null {
    if (this.options.unit.processOn(computer) !== null) return null
    this.options.unit.start(computer)
    return 'restart'
  }

  private setClock(computer: Computer): string | null {
    const wrongByMs = Math.round((this.options.world.random.next() - 0.5) * 2 * mostWrongMs)
    const process = this.options.unit.processOn(computer)
    if (process === null) return null
    const byMs = wrongByMs - (this.wrongByMs.get(process) ?? 0)
    this.wrongByMs.set(process, wrongByMs)
    process.setWallClock(byMs)
    return `wall clock set by ${byMs} ms`
  }

  private split(): string | null {
    const { world, mostPartitions } = this.options
    const container = world.container(this.options.container)
    const partition = this.any(container.partitions)
    if (partition === undefined || container.partitions.length >= mostPartitions) return null
    container.splitPartition(partition.id)
    return `split of ${partition.id}`
  }

  private merge(): string | null {
    const { world } = this.options
    const container = world.container(this.options.container)
    const index = Math.floor(world.random.next() * (container.partitions.length - 1))
    const [left, right] = container.partitions.slice(index, index + 2)
    if (left === undefined || right === undefined) return null
    container.mergePartitions([left.id, right.id])
    return `merge of ${left.id} and ${right.id}`
  }

  private any<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.options.world.random.next() * items.length)]
  }
}
