import { fanOut } from '../telemetry/index.js'
import type { Change } from './change-feed.js'
import { Bootstrapper } from './bootstrapper.js'
import { openPorts } from './cosmos-ports.js'
import type { ChangeFeedDelegate } from './delegate.js'
import { HealthMonitor, notRunning, type ProcessorHealth } from './health.js'
import { LoadBalancer } from './load-balancer.js'
import { Notifications } from './notifications.js'
import { resolveOptions, type ChangeFeedProcessorOptions, type ResolvedOptions } from './options.js'
import { PartitionController } from './partition-controller.js'
import type { Runtime } from './runtime.js'

/** What runs between a start and the stop that follows it. */
interface Running {
  readonly options: ResolvedOptions
  readonly controller: PartitionController
  readonly balancer: LoadBalancer
  readonly unsubscribe: () => void
  readonly monitor: HealthMonitor
}

/**
 * Delivers every change of a container to a delegate, sharing the work with all other instances of the same processor
 * name: at least once, in order per partition key, by one instance at a time.
 *
 * States: idle → starting → running (`start`) → stopping → idle (`stop`). Calls are taken one after another: a start
 * while running and a stop while idle do nothing, and after a stop it may be started again.
 */
export class ChangeFeedProcessor<T = Record<string, unknown>> implements AsyncDisposable {
  private running: Running | null = null
  private latest: Promise<void> = Promise.resolve()
  private starting: AbortController | undefined

  constructor(private readonly options: ChangeFeedProcessorOptions<T>) {}

  /**
   * Resolves when every part of the feed has a lease with a position, and leases are being taken: no change made after
   * that is missed. Rejects on invalid options ({@link ProcessorOptionsError}), missing containers and foreign leases.
   */
  start(): Promise<void> {
    return this.inTurn(async () => {
      this.running ??= await this.open()
    })
  }

  /**
   * Lets delegates finish, stores checkpoints and releases every lease, so that others go on at once. Resolves when that
   * is done, or after `stopTimeoutMs`; what has not ended by then is abandoned, and others take over on expiry.
   */
  stop(): Promise<void> {
    this.starting?.abort()
    return this.inTurn(async () => {
      const { running } = this
      this.running = null
      if (running !== null) await close(running)
    })
  }

  /** Looks for free leases now instead of at the next cycle, because instances are known to have come or gone. */
  rebalance(): void {
    this.running?.balancer.wake()
  }

  /** How it does, by what it has done lately; for health checks of a host. Asks nobody. */
  health(): ProcessorHealth {
    return this.running?.monitor.health() ?? notRunning
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  private inTurn(act: () => Promise<void>): Promise<void> {
    const turn = this.latest.then(act)
    // What went wrong is for the caller of that turn, not for the next.
    this.latest = turn.catch(() => undefined)
    return turn
  }

  private async open(): Promise<Running | null> {
    const given = resolveOptions(this.options)
    const monitor = new HealthMonitor(given.clock, {
      balanceMs: 3 * given.leaseAcquireIntervalMs,
      progressMs: Math.max(given.leaseExpirationIntervalMs, 3 * given.pollInterval.maxMs),
    })
    const options: ResolvedOptions = { ...given, telemetry: fanOut(given.telemetry, monitor) }
    const starting = new AbortController()
    this.starting = starting
    const runtime = await this.runtime(options)
    await new Bootstrapper(runtime).run(starting.signal)
    if (starting.signal.aborted) return null
    const controller = new PartitionController(runtime)
    const balancer = new LoadBalancer(runtime, controller)
    const unsubscribe = options.hints?.subscribe((physicalRangeId) => {
      controller.wake(physicalRangeId)
    })
    balancer.start()
    return { options, controller, balancer, unsubscribe: unsubscribe ?? (() => undefined), monitor }
  }

  private async runtime(options: ResolvedOptions): Promise<Runtime> {
    const { processorName, instanceName, clock, random, telemetry } = options
    const ports = await openPorts({
      ...options,
      onCharge: (operation, charge) => {
        telemetry.emit({ type: 'store.charged', operation, charge })
      },
    })
    return {
      options,
      delegate: traced(delegateOf(this.options), options),
      ...ports,
      self: { instanceName, incarnation: random.id() },
      notifications: new Notifications({ callbacks: options, telemetry, processorName, instanceName }),
      clock,
      random,
      telemetry,
    }
  }
}

/** What the documents are is the user's word; nothing here looks inside them. */
function delegateOf<T>({
  onChanges,
}: ChangeFeedProcessorOptions<T>): ChangeFeedDelegate<Record<string, unknown>> {
  return (changes, context) => onChanges(changes as readonly unknown[] as readonly Change<T>[], context)
}

/** Delivers within what telemetry surrounds deliveries with, if anything. */
function traced(
  delegate: Runtime['delegate'],
  { telemetry, processorName, instanceName }: ResolvedOptions,
): Runtime['delegate'] {
  return async (changes, context) => {
    const { leaseToken } = context
    const delivery = { processorName, instanceName, leaseToken, count: changes.length }
    const deliver = async (): Promise<void> => delegate(changes, context)
    await (telemetry.during?.(delivery, deliver) ?? deliver())
  }
}

async function close({ options, controller, balancer, unsubscribe }: Running): Promise<void> {
  unsubscribe()
  const inTime = new AbortController()
  const ended = balancer
    .stop()
    .then(() => controller.stop())
    .finally(() => {
      inTime.abort()
    })
  await Promise.race([ended, options.clock.sleep(options.stopTimeoutMs, inTime.signal)])
  controller.abandon()
}
