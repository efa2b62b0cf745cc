import {
  ChangeFeedProcessor,
  type ChangeFeed,
  type ChangeFeedContext,
  type Change,
  type ProcessorHealth,
  type ProcessorTiming,
} from '../change-feed-processor/index.js'
import type { FeedHints } from '../change-feed-processor/internal.js'
import type { FeedRange, LeaseReport, LeaseStore } from '../../lease-store/index.js'
import { systemClock, type Clock, type Random } from '../platform/index.js'
import { systemRandom, withoutUndefined, type Processes } from '../platform/internal.js'
import type { Telemetry } from '../telemetry/index.js'
import { silent } from '../telemetry/internal.js'
import type { Serving } from './agents/agents-report.js'
import type { Reader } from './decisions/readers.js'
import type { PayloadStore } from './payloads/payload-store.js'
import type { StateStore } from './store/state-store.js'
import type { InProcessPath } from './in-process/in-process-path.js'
import { wakingReaders } from './in-process/waking-store.js'
import { pollIntervals, roleTiming } from './unit-settings.js'

/** Options of every instance: the documents, the feed of their changes, the unit's leases, and names. */
export interface UnitOptions {
  readonly store: StateStore
  readonly feed: ChangeFeed
  /** The leases of this unit. Each role has its own leases. */
  readonly leases: LeaseStore
  /** The name of the unit, which all its instances use. */
  readonly processorName: string
  /** The name of this instance, which no other instance uses. */
  readonly instanceName: string
  /** Intervals of the change feed processor. Omitted intervals have the processor's defaults. */
  readonly timing?: ProcessorTiming
  /** Hints about new writes, shared by all readers and writers of the state container in this process. */
  readonly hints?: FeedHints
  /** Whether hints about ranges of other instances lead to a look at the leases, as {@link ProcessorInternals} says. */
  readonly looksAtHints?: boolean
  /** The path between the scheduler and the agents of this process. Default: they use only the feed. */
  readonly inProcessPath?: InProcessPath
  /** The store of large values. Default: none. */
  readonly payloads?: PayloadStore
  readonly telemetry?: Telemetry
  readonly clock?: Clock
  readonly random?: Random
  /** The processes of this machine, by which the leases and claims of dead processes are found early. */
  readonly processes?: Processes
  /** The address at which this process takes hints. */
  readonly wakeAddress?: string
  /** The version of this package, which the leases contain. */
  readonly version?: string
}

/** One instance of one role. */
export interface Unit {
  /** Starts the instance. Resolves when the leases exist and the loops run. */
  start(): Promise<void>
  /** Acquires free leases now instead of in the next cycle. */
  rebalance(): void
  /** Returns the health of the instance's change feed processor, without a request. */
  health(): ProcessorHealth
  /**
   * Returns the reason, found at the last check of the leases, why this instance takes no work, or null.
   */
  unhealthyReason(): string | null
  /** Stores checkpoints and releases every lease. Then waits for running work, within its time limit. */
  stop(): Promise<void>
}

/** What a role does with the changes and leases of its processor. */
export interface Role {
  /** Returns what the instance says about its state in a lease. */
  report?(leaseToken: string): LeaseReport
  /** Returns the reason why this instance should own no leases at the moment, or null. */
  unhealthyReason?(): string | null
  onChanges(changes: readonly Change[], context: ChangeFeedContext): Promise<void> | void
  onLeaseAcquired?(leaseToken: string, feedRange: FeedRange): void
  /** Called before a lease is released, after the last delivery. The release waits for it. */
  onLeaseClosing?(leaseToken: string): Promise<void>
  onLeaseReleased?(leaseToken: string): void
  /** Called when a read of this lease's range found no more changes, `ageMs` ago. */
  onDrained?(leaseToken: string, ageMs: number): void
  start?(): void
  /** Waits for running work to finish. Called after the leases are released, which took `releasedInMs`. */
  stop?(releasedInMs: number): Promise<void>
}

/** Returns the options with their defaults. Writes to the store wake the readers of this process. */
export function resolved({
  store,
  instanceName,
  hints,
  inProcessPath,
  telemetry,
  clock,
  random,
}: UnitOptions) {
  return {
    ...withoutUndefined({ inProcessPath }),
    store: hints === undefined ? store : wakingReaders(store, hints),
    instanceName,
    telemetry: telemetry ?? silent,
    clock: clock ?? systemClock,
    random: random ?? systemRandom,
  }
}

/** Runs a role on a change feed processor that reads from the beginning, so that no job is missed (R163). */
export function unit(options: UnitOptions & Serving, reader: Reader, role: Role): Unit {
  const { feed, leases, processorName, instanceName, timing, hints, telemetry } = options
  const { clock, random, processes, wakeAddress, version, serves } = options
  const self = { clock, random, processes, wakeAddress, version, serves }
  const internals = withoutUndefined({
    restAfterPageMs: timing?.pollInterval ? undefined : pollIntervals[reader].min,
    hints: hints?.part(reader),
    looksAtHints: options.looksAtHints,
    report: (leaseToken: string) => role.report?.(leaseToken) ?? null,
    onDrained: (leaseToken: string, ageMs: number) => role.onDrained?.(leaseToken, ageMs),
    onClosing: async (leaseToken: string) => {
      // The release of the lease must not fail for this.
      await Promise.resolve(leaseToken)
        .then((token) => role.onLeaseClosing?.(token))
        .catch(() => undefined)
    },
    ...self,
  })
  const processor = new ChangeFeedProcessor(
    {
      monitoredContainer: feed,
      leaseContainer: leases,
      processorName,
      instanceName,
      startFrom: 'beginning',
      ...roleTiming(timing),
      pollInterval: timing?.pollInterval ?? pollIntervals[reader],
      unhealthyReason: () => role.unhealthyReason?.() ?? null,
      onChanges: async (changes, context) => role.onChanges(changes, context),
      onLeaseAcquired: (leaseToken, feedRange) => role.onLeaseAcquired?.(leaseToken, feedRange),
      onLeaseReleased: (leaseToken) => role.onLeaseReleased?.(leaseToken),
      ...withoutUndefined({ telemetry }),
    },
    internals,
  )
  const now = (): number => (clock ?? systemClock).monotonic()
  return {
    start: () => {
      role.start?.()
      return processor.start()
    },
    rebalance: () => processor.rebalance(),
    health: () => processor.health(),
    unhealthyReason: () => processor.unhealthyReason(),
    stop: async () => {
      const begunMs = now()
      await processor.stop()
      await role.stop?.(now() - begunMs)
    },
  }
}
