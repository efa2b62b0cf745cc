import type { LeaseStore } from '../../lease-store/index.js'
import {
  ChangeFeedProcessor,
  type Change,
  type ChangeFeedContext,
  type ChangeFeedProcessorOptions,
  type DeadLetter,
} from '../../src/change-feed-processor/index.js'
import { seededRandom } from '../../src/platform/index.js'
import type { Telemetry } from '../../src/telemetry/index.js'
import { silent } from '../../src/telemetry/internal.js'
import { connectedLeaseStore, feedWiring, leaseStoreWiring } from '../../src/testing/lease-wiring.js'
import type { Wiring } from '../../src/testing/network.js'
import type { Computer, SimulatedProcess } from '../../src/testing/simulated-process.js'
import type { World } from '../../src/testing/world.js'

type Document = Record<string, unknown>

/** The settings of processors that a simulation may choose. The world sets the others. */
export type ProcessorSettings = Partial<
  Pick<
    ChangeFeedProcessorOptions<Document>,
    | 'maxItemCount'
    | 'pollInterval'
    | 'checkpointInterval'
    | 'leaseAcquireInterval'
    | 'leaseRenewInterval'
    | 'leaseExpirationInterval'
    | 'stopTimeout'
    | 'startFrom'
    | 'delegateTimeout'
  >
>

/** The names of the unit's containers. */
export const monitored = 'orders'
export const leases = 'leases'

/** Processes a page as the unit's user inside one process. Rejects so that the page is delivered again. */
export type SimulatedDelegate = (
  changes: readonly Change[],
  context: ChangeFeedContext,
  process: SimulatedProcess,
) => Promise<void>

export interface ProcessorUnitOptions {
  /** Physical partitions of the monitored container. Default 1. */
  readonly partitionCount?: number
  /** Whether documents of the lease container may expire. Default true. */
  readonly isTtlOn?: boolean
  readonly settings?: ProcessorSettings
  readonly delegate?: SimulatedDelegate
  /** The number of attempts after which a change is set aside. Default: never. */
  readonly maxAttempts?: number
  /** Keeps a change that is set aside. Rejects when the change cannot be kept. Default: keeps it. */
  readonly deadLetter?: () => Promise<void>
  readonly telemetry?: Telemetry
}

/** How long after a failed start an instance is started again. */
const restartMs = 5_000

/**
 * A deployment unit of production processors in a world, with at most one instance on each computer. Reports
 * deliveries and releases to the world's checkers.
 */
export class ProcessorUnit {
  private readonly running = new Map<
    Computer,
    { process: SimulatedProcess; processor: ChangeFeedProcessor }
  >()
  private readonly leaseWiring: Wiring
  private readonly feedWiring = feedWiring('unit')

  constructor(
    private readonly world: World,
    private readonly options: ProcessorUnitOptions = {},
  ) {
    world.createContainer(monitored, { partitionKey: '/pk', partitionCount: options.partitionCount ?? 1 })
    world.createContainer(leases, {
      partitionKey: '/id',
      ...((options.isTtlOn ?? true) ? { defaultTtl: -1 } : {}),
    })
    this.leaseWiring = leaseStoreWiring('unit', () => world.container(leases))
  }

  /** Processes that were started and have neither crashed nor stopped. */
  get processes(): readonly SimulatedProcess[] {
    return [...this.running.values()].map(({ process }) => process).filter(({ isCrashed }) => !isCrashed)
  }

  processOn(computer: Computer): SimulatedProcess | null {
    return this.processes.find((process) => process.computer === computer) ?? null
  }

  /** Starts an instance under the computer's name, in a new process. */
  start(computer: Computer): SimulatedProcess {
    const process = this.world.process(computer)
    const processor = this.processorIn(process)
    this.running.set(computer, { process, processor })
    const launch = (): void => {
      processor.start().catch(() => {
        process.clock.schedule(restartMs, launch)
      })
    }
    launch()
    return process
  }

  /** Stops an instance like a deployment: the process ends when `stop` has resolved. */
  async stop(computer: Computer): Promise<void> {
    const running = this.running.get(computer)
    if (running === undefined || running.process.isCrashed) return
    await running.processor.stop()
    running.process.crash()
  }

  private processorIn(process: SimulatedProcess): ChangeFeedProcessor {
    const { world } = this
    const report = { processId: process.id }
    return new ChangeFeedProcessor<Document>(
      {
        startFrom: 'beginning',
        ...this.options.settings,
        monitoredContainer: world.network.connect(
          world.ports.changeFeed(monitored),
          process,
          this.feedWiring,
        ),
        leaseContainer: this.leaseStore(process),
        processorName: 'unit',
        instanceName: process.computer.name,
        telemetry: this.options.telemetry ?? silent,
        ...this.failurePolicyIn(process),
        onChanges: async (changes, context) => {
          const { leaseToken, feedRange } = context
          const delivery = { ...report, leaseToken, feedRange, changes: changes as readonly Change[] }
          world.record({ type: 'delivery.started', ...delivery })
          await this.options.delegate?.(delivery.changes, context, process)
          if (!process.isCrashed) world.record({ type: 'delivery.accepted', ...delivery })
        },
        onLeaseReleased: (leaseToken) => {
          if (!process.isCrashed) world.record({ type: 'lease.released', ...report, leaseToken })
        },
      },
      {
        clock: process.clock,
        random: seededRandom(Math.floor(world.random.next() * 2 ** 32)),
        processes: world.processesSeenBy(process),
      },
    )
  }

  private failurePolicyIn(
    process: SimulatedProcess,
  ): Pick<ChangeFeedProcessorOptions<Document>, 'failurePolicy'> {
    const { maxAttempts, deadLetter } = this.options
    if (maxAttempts === undefined) return {}
    const keep: DeadLetter<Change> = async (change, _error, { leaseToken, feedRange }) => {
      await deadLetter?.()
      const delivery = { processId: process.id, leaseToken, feedRange, changes: [change] }
      if (!process.isCrashed) this.world.record({ type: 'delivery.setAside', ...delivery })
    }
    return { failurePolicy: { retry: { tries: maxAttempts }, then: 'deadLetter', deadLetter: keep } }
  }

  private leaseStore(process: SimulatedProcess): LeaseStore {
    const { network, ports } = this.world
    const store = ports.leaseStore({
      leaseContainer: leases,
      monitoredContainer: monitored,
      processorName: 'unit',
    })
    return connectedLeaseStore(network, store, { process, wiring: this.leaseWiring })
  }
}
