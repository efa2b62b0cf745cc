import type { Clock, Random } from '../platform/index.js'
import { noticingLate } from '../platform/internal.js'
import type { Telemetry } from '../telemetry/index.js'
import type { Exit, Instance } from './instance.js'
import { restartDelayMs, soundAfterMs } from './restart-delay.js'

export interface RoleKeeperOptions {
  readonly role: string
  readonly launch: () => Instance
  /**
   * Releases the leases of a process that is certainly dead (D11), and returns their tokens. Never rejects.
   */
  readonly releaseLeases: (instanceName: string) => Promise<readonly string[]>
  /**
   * Called when an instance has ended and its leases are released, so that the running instances share these
   * leases.
   */
  readonly onChanged: () => void
  readonly clock: Clock
  readonly random: Random
  readonly telemetry: Telemetry
  /** The time that a process has to stop before it is killed, in milliseconds. */
  readonly stopWithinMs: number
}

/** The exit codes after which a restart cannot help: wrong usage, or a store that refused the process. */
const hopeless = new Set([2, 5])

/**
 * Keeps the number of processes of a role at the number that `scale` sets. Replaces a process that ends
 * unexpectedly. If its successors also end soon, the delays grow. Releases the leases of every process that
 * has ended.
 *
 * States: keeping → stopping (`stop`). If a process ends with a hopeless exit code before any process has
 * run, the keeper gives up the whole role (`givenUp`), because a wrong option does not correct itself.
 */
export class RoleKeeper {
  private readonly living = new Set<Instance>()
  private readonly retiring = new Set<Instance>()
  private readonly pending = new Set<Promise<unknown>>()
  private wanted = 0
  private quickEnds = 0
  private hasEverRun = false
  private giveUp: (code: number) => void = () => undefined
  private resting = new AbortController()
  private waiting = 0

  /** Resolves with the exit code if the role cannot run. */
  readonly givenUp: Promise<number>

  constructor(private readonly options: RoleKeeperOptions) {
    this.givenUp = new Promise((resolve) => {
      this.giveUp = resolve
    })
  }

  get count(): number {
    return this.wanted
  }

  /** Returns the reason why no process of this role runs, or null if one runs or none is requested. */
  unhealthyReason(): string | null {
    const isAnyRunning = this.instances.some(({ hasRun }) => hasRun)
    if (this.wanted === 0 || isAnyRunning) return null
    return `no process of ${this.options.role} runs: starting ${this.living.size} of ${this.wanted}`
  }

  /** The processes that run or are stopping. */
  get instances(): readonly Instance[] {
    return [...this.living, ...this.retiring]
  }

  isRetiring(instance: Instance): boolean {
    return this.retiring.has(instance)
  }

  /** Starts or stops processes until there are `count` processes. Stops the youngest processes first. */
  scale(count: number): void {
    this.wanted = count
    // Scaling takes effect immediately, so replacements that wait after a crash start now.
    this.resting.abort()
    this.resting = new AbortController()
    this.fill()
    for (const instance of [...this.living].slice(count).reverse()) this.retire(instance)
  }

  /**
   * Stops every process. Resolves when all processes have ended. By then, their leases are released or cannot
   * be released.
   */
  async stop(): Promise<void> {
    this.scale(0)
    while (this.pending.size > 0) await Promise.all(this.pending)
  }

  private fill(): void {
    while (this.living.size + this.waiting < this.wanted) this.start()
  }

  private start(): void {
    const { role, telemetry, launch } = this.options
    const instance = launch()
    this.living.add(instance)
    const { instanceName, processId } = instance
    telemetry.emit({ type: 'instance.started', role, instanceName, processId })
    this.track(instance.ended.then((exit) => this.ended(instance, exit)))
  }

  private retire(instance: Instance): void {
    this.living.delete(instance)
    this.retiring.add(instance)
    instance.stop()
    const { clock, stopWithinMs } = this.options
    this.track(noticingLate(clock, stopWithinMs, instance.ended, () => instance.kill()))
  }

  private async ended(instance: Instance, exit: Exit): Promise<void> {
    const { role, telemetry, clock, random } = this.options
    const { instanceName, processId } = instance
    const wasAsked = this.retiring.delete(instance)
    this.living.delete(instance)
    this.hasEverRun ||= instance.hasRun
    const isSound = clock.monotonic() - instance.startedAtMs >= soundAfterMs
    if (!wasAsked) this.quickEnds = isSound ? 1 : this.quickEnds + 1
    const isHopeless = !wasAsked && !this.hasEverRun && hopeless.has(exit.code ?? 0)
    const restartInMs = wasAsked || isHopeless ? null : restartDelayMs(this.quickEnds, random)
    telemetry.emit({
      type: 'instance.ended',
      role,
      instanceName,
      processId,
      exit: describe(exit),
      restartInMs,
    })
    if (isHopeless) {
      this.wanted = 0
      this.giveUp(exit.code ?? 1)
    }
    if (restartInMs !== null) this.track(this.replaceAfter(restartInMs))
    await this.release(instance)
  }

  private async release(instance: Instance): Promise<void> {
    const { role, telemetry, releaseLeases, onChanged } = this.options
    const { instanceName, processId } = instance
    const leaseTokens = await releaseLeases(instanceName)
    if (leaseTokens.length > 0) {
      telemetry.emit({ type: 'instance.leasesReleased', role, instanceName, processId, leaseTokens })
    }
    onChanged()
  }

  private async replaceAfter(delayMs: number): Promise<void> {
    if (delayMs > 0) {
      this.waiting += 1
      await this.options.clock.sleep(delayMs, this.resting.signal)
      this.waiting -= 1
    }
    this.fill()
  }

  private track(work: Promise<unknown>): void {
    const tracked = work.finally(() => {
      this.pending.delete(tracked)
    })
    this.pending.add(tracked)
  }
}

function describe({ code, signal }: Exit): string {
  return signal === null ? `exit code ${code ?? 'unknown'}` : `killed by ${signal}`
}
