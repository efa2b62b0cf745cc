import { fanOut } from '../telemetry/index.js'
import { unlessAborted, withinLimit } from '../platform/internal.js'
import { Bootstrapper } from './ownership/bootstrapper.js'
import type { Ports } from './feed/cosmos-ports.js'
import { checkStart } from './checks/cosmos-start-check.js'
import { PartitionSynchronizer } from './ownership/partition-synchronizer.js'
import { ProcessorOptionsError } from './feed/errors.js'
import { SameContainer } from './feed/same-container.js'
import { HintedLooks } from './ownership/hinted-looks.js'
import { HealthMonitor, notRunning, type ProcessorHealth } from './health.js'
import { leaseCallMs, withTimeouts } from './lease-holding/lease-call-timeout.js'
import { LoadBalancer, turnsPerCheck } from './ownership/load-balancer.js'
import { Notifications } from './runtime/notifications.js'
import {
  leaseModeOf,
  readProcessorOptions,
  type AnyProcessorOptions,
  type ProcessorInternals,
  type ResolvedOptions,
} from './options/options.js'
import { PartitionController } from './ownership/partition-controller.js'
import { PagesAhead } from './runtime/pages-ahead.js'
import { PauseGate } from './runtime/pause-gate.js'
import { pageReader, type Runtime } from './runtime/runtime.js'
import { traced } from './traced.js'
import { userCodeOf } from './delivery/user-code.js'

/** The parts that run between a start and the following stop. */
interface Running {
  readonly options: ResolvedOptions
  readonly controller: PartitionController
  readonly balancer: LoadBalancer
  readonly unsubscribe: () => void
  readonly monitor: HealthMonitor
}

/**
 * Delivers every change of a container to a delegate. All instances with the same processor name share the
 * work. Each change is delivered at least once, and by one instance at a time. Changes of one partition key
 * are delivered in order.
 *
 * States: idle → starting → running (`start`) → stopping → idle (`stop`). Calls of `start` and `stop` run one
 * after another. A call of `start` has no effect while the processor runs. A call of `stop` has no effect
 * while the processor is idle. After a stop the processor may be started again.
 */
export class ChangeFeedProcessor<T = Record<string, unknown>> implements AsyncDisposable {
  private running: Running | null = null
  private latest: Promise<void> = Promise.resolve()
  private starting = new AbortController()
  private readonly gate = new PauseGate()
  private sameContainer: SameContainer | null = null

  constructor(options: AnyProcessorOptions<T>)
  /** @internal */
  // eslint-disable-next-line @typescript-eslint/unified-signatures -- users see the first signature only
  constructor(options: AnyProcessorOptions<T>, internals: ProcessorInternals)
  constructor(
    private readonly options: AnyProcessorOptions<T>,
    private readonly internals: ProcessorInternals = {},
  ) {}

  /**
   * Resolves when every part of the feed has a lease with a position, and the instance has begun to take
   * leases. Every change made after that moment is delivered. Rejects with one {@link ProcessorOptionsError}
   * that lists all problems of the options, the containers and the existing leases. In that case, nothing has
   * been written.
   */
  start(): Promise<void> {
    const { signal } = this.starting
    return this.inTurn(async () => {
      this.running ??= await this.open(signal)
    })
  }

  /**
   * Lets delegates finish, stores checkpoints and releases every lease, so that other instances continue
   * immediately. Resolves when all of this is done, or after `stopTimeout`. Work that has not ended by then
   * is abandoned, and other instances take over when the leases expire. A start that is under way ends
   * immediately, and its promise resolves.
   */
  stop(): Promise<void> {
    this.starting.abort()
    this.starting = new AbortController()
    return this.inTurn(async () => {
      const { running } = this
      this.running = null
      if (running !== null) await close(running)
    })
  }

  /**
   * Stops the delivery until {@link resume}. Delegates finish the changes that they already have. This
   * instance still holds and renews its leases, so no other instance takes over. A pause may begin before a
   * start, and stays in effect after a stop.
   */
  pause(): void {
    this.gate.shut()
  }

  /** Continues the delivery from the place at which {@link pause} stopped it. */
  resume(): void {
    if (this.gate.isPaused) this.running?.monitor.resumed()
    this.gate.open()
  }

  /** Whether the delivery is paused. */
  get isPaused(): boolean {
    return this.gate.isPaused
  }

  /** Looks for free leases immediately. Call this method after instances have been started or stopped. */
  rebalance(): void {
    this.running?.balancer.wake()
  }

  /** Returns the processor's health, judged by its recent actions. Makes no request. */
  health(): ProcessorHealth {
    return this.running?.monitor.health(this.isPaused) ?? notRunning
  }

  /** Returns the reason that the option `unhealthyReason` gave at the last check, or null if it gave none. */
  unhealthyReason(): string | null {
    return this.running?.balancer.unhealthyReason() ?? null
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  private inTurn(act: () => Promise<void>): Promise<void> {
    const turn = this.latest.then(act)
    // A failure is reported to the caller of that turn, not to the caller of the next turn.
    this.latest = turn.catch(() => undefined)
    return turn
  }

  /**
   * Returns null if a stop was requested meanwhile. A stop must not wait for the start, which may take a long
   * time while the client silently retries throttled requests.
   */
  private async open(signal: AbortSignal): Promise<Running | null> {
    const checked = await unlessAborted(this.checked(), signal)
    if (checked === null) return null
    const { options: given, ports } = checked
    const monitor = new HealthMonitor(given.clock, {
      turnMs: 4 * given.leaseAcquireIntervalMs,
      balanceMs: (turnsPerCheck + 1) * given.leaseAcquireIntervalMs,
      progressMs: Math.max(given.leaseExpirationIntervalMs, 3 * given.pollInterval.maxMs),
    })
    const options: ResolvedOptions = { ...given, telemetry: fanOut(given.telemetry, monitor) }
    const runtime = await unlessAborted(this.prepared(options, ports, signal), signal)
    if (runtime === null) return null
    const controller = new PartitionController(runtime, () => {
      balancer.wake()
    })
    const balancer = new LoadBalancer(runtime, controller, new PartitionSynchronizer(runtime), () => {
      monitor.turned()
    })
    const looks = new HintedLooks(options.clock, () => balancer.wake())
    const endHints = options.hints?.subscribe((physicalRangeId) => {
      const isRead = controller.wake(physicalRangeId)
      if (!isRead && physicalRangeId !== null && options.looksAtHints && !balancer.holdsAll) looks.hinted()
      return isRead
    })
    const unsubscribe = (): void => {
      endHints?.()
      looks.stop()
    }
    balancer.start()
    return { options, controller, balancer, unsubscribe, monitor }
  }

  private async prepared(options: ResolvedOptions, ports: Ports, signal: AbortSignal): Promise<Runtime> {
    const runtime = await this.runtime(options, ports)
    await new Bootstrapper(runtime).run(signal)
    return runtime
  }

  /** Checks the options, the containers and the leases before any write, and reports all problems. */
  private async checked(): Promise<{ options: ResolvedOptions; ports: Ports }> {
    const { options, problems } = readProcessorOptions(this.options, this.internals)
    const checking = checkStart({
      ...options,
      leaseMode: leaseModeOf(options.mode),
      onCharge: (operation, charge) => {
        options.telemetry.emit({ type: 'store.charged', operation, charge })
      },
    })
    const check = await checking.catch((error: unknown): never => {
      throw problems.length > 0 ? new ProcessorOptionsError(problems) : error
    })
    if (!check.isReady) throw new ProcessorOptionsError([...problems, ...check.problems])
    if (problems.length > 0) throw new ProcessorOptionsError(problems)
    return { options, ports: check.ports }
  }

  /** A lease store of the user stays that of the container for which it was made, also after a stop and another start. */
  private sameContainerOf({ feed, leaseStore }: Ports): SameContainer {
    const isUsers = leaseStore === this.options.leaseContainer
    if (!isUsers) return new SameContainer(feed)
    return (this.sameContainer ??= new SameContainer(feed))
  }

  private async runtime(options: ResolvedOptions, ports: Ports): Promise<Runtime> {
    const { processorName, instanceName, clock, random, telemetry, processes } = options
    const { wakeAddress, version, serves } = options
    const userCode = await userCodeOf(options, ports.feed)
    return {
      options,
      ...userCode,
      delegates: traced(userCode.delegates, options),
      feed: ports.feed,
      readPage: pageReader(ports.feed, options.mode),
      sameContainer: this.sameContainerOf(ports),
      gate: this.gate,
      pagesAhead: new PagesAhead(),
      leaseStore: withTimeouts(ports.leaseStore, {
        clock,
        callMs: leaseCallMs(options),
        listMs: options.leaseAcquireIntervalMs,
      }),
      self: {
        instanceName,
        incarnation: random.id(),
        ...(processes.own === null ? {} : { process: processes.own }),
        ...(wakeAddress === null ? {} : { wakeAddress }),
        ...(version === null ? {} : { version }),
        ...(serves === null ? {} : { serves }),
      },
      notifications: new Notifications({ callbacks: options, telemetry, processorName, instanceName }),
      clock,
      random,
      telemetry,
    }
  }
}

async function close({ options, controller, balancer, unsubscribe }: Running): Promise<void> {
  unsubscribe()
  const stopped = balancer.stop().then(() => controller.stop())
  await withinLimit(options.clock, options.stopTimeoutMs, stopped, () => undefined)
  controller.abandon()
}
