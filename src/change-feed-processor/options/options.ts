import type { LeaseMode, LeaseReport } from '../../../lease-store/index.js'
import { systemClock, type Clock, type Random } from '../../platform/index.js'
import { machineProcesses, systemRandom, type Backoff, type Processes } from '../../platform/internal.js'
import {
  callback,
  having,
  isText,
  oneOf,
  optional,
  readOptions,
  shown,
  hasMethods,
  textThat,
  wholeNumber,
  type Values,
} from '../../platform/options.js'
import { openTelemetry, type Telemetry } from '../../telemetry/index.js'
import type { Change, VersionChange } from '../feed/change-feed.js'
import { isContainer, type LeaseContainer, type MonitoredContainer } from '../feed/cosmos-ports.js'
import type { LifecycleNotifications, StartPosition } from '../feed/delegate.js'
import type { FeedHints } from '../feed/feed-hints.js'
import {
  deliveryProblems,
  deliveryShape,
  failureLimitsOf,
  type ChangeDeliveryOptions,
  type CheckpointMode,
  type FailureLimits,
  type PageDeliveryOptions,
  type UserCode,
} from './delivery-options.js'
import { portShape, startPosition } from './port-options.js'
import { timingShape, type ProcessorTiming } from './timing.js'

/** The feed to follow. A deployment unit keeps its mode, because its leases store the mode. */
export type ChangeFeedMode = 'latestVersion' | 'allVersionsAndDeletes'

/** The options of a processor in either mode and with either kind of delegate. */
export interface ProcessorOptions extends LifecycleNotifications, ProcessorTiming {
  readonly monitoredContainer: MonitoredContainer
  /** The container that stores the leases, partitioned by `/id` or `/partitionKey`. */
  readonly leaseContainer: LeaseContainer
  /** The name of the deployment unit. All instances with this name share the leases. */
  readonly processorName: string
  /** The name of this process, which leases store as their owner. Each process needs its own name. */
  readonly instanceName: string
  /** The page size to request, 1 to 1,000. Default 100. */
  readonly maxItemCount?: number
  /** The least number of leases to take, even if other instances then lack leases. Default: no minimum. */
  readonly minLeases?: number
  /** The instance never takes more than this many leases. Default: no limit. */
  readonly maxLeases?: number
  /**
   * The number of leases for each physical partition when leases are created, 1 to 256. With more than one,
   * more instances than physical partitions can work, but the cost of idle requests grows in proportion.
   * Existing leases stay unchanged. Default 1.
   */
  readonly leasesPerFeedRange?: number
  /**
   * Returns the reason why this instance should not work at the moment, or null. The function is called at
   * every check of the leases. While the function returns a reason or throws, the instance takes no leases,
   * and releases each held lease after the current page. Default: always null.
   */
  readonly unhealthyReason?: () => string | null
  /** Receives the events. Default: OpenTelemetry, if the process has an OpenTelemetry SDK. */
  readonly telemetry?: Telemetry
}

/** Options for the feed of documents in their latest version. This feed contains no deletes. */
export interface LatestVersionOptions {
  readonly mode?: 'latestVersion'
  /** Where a lease without a position begins to read. Default `'now'`. */
  readonly startFrom?: StartPosition
}

/**
 * Options for the feed of all versions and deletes. The container needs a `changeFeedPolicy`. There is no
 * `startFrom`, because new leases can only start at `'now'`.
 */
export interface AllVersionsOptions {
  readonly mode: 'allVersionsAndDeletes'
  readonly startFrom?: never
}

/** The options of a {@link ChangeFeedProcessor} that delivers pages of latest versions. */
export interface ChangeFeedProcessorOptions<T>
  extends ProcessorOptions, LatestVersionOptions, PageDeliveryOptions<Change<T>> {}

/** All combinations of options that a {@link ChangeFeedProcessor} accepts. */
export type AnyProcessorOptions<T> =
  | ChangeFeedProcessorOptions<T>
  | (ProcessorOptions & LatestVersionOptions & ChangeDeliveryOptions<Change<T>>)
  | (ProcessorOptions & AllVersionsOptions & PageDeliveryOptions<VersionChange<T>>)
  | (ProcessorOptions & AllVersionsOptions & ChangeDeliveryOptions<VersionChange<T>>)

/** Settings that only the other folders of this package, and tests, pass. */
export interface ProcessorInternals {
  /**
   * The pause after a page with few and very recent changes, which is most likely the last page for now. A
   * document that changes again during the pause is then read only once. Default 100, or the shortest
   * `pollInterval` if that is less.
   */
  readonly restAfterPageMs?: number
  /** Wakes the readers when this process has written a document. */
  readonly hints?: FeedHints
  /**
   * Whether a hint about a range of another instance leads to a look at the leases, at most once a second. The instance then takes at once
   * what another one releases. Each look costs a query, so this is for stores without request units. Default false.
   */
  readonly looksAtHints?: boolean
  readonly clock?: Clock
  readonly random?: Random
  /** The processes of this machine. Leases of a process that has ended are freed before they expire. */
  readonly processes?: Processes
  /** The address at which this process takes hints about writes. The leases that it owns contain it. */
  readonly wakeAddress?: string
  /** The version of this package, which the leases that it owns contain. */
  readonly version?: string
  /** The names of the agents that this process has, which the leases that it owns contain. */
  readonly serves?: readonly string[]
  /** Returns what this instance says about its state. Every write of a lease that it owns contains it. */
  readonly report?: (leaseToken: string) => LeaseReport | null
  /** Called with the lease token when a read `ageMs` ago found no changes after those that were delivered. */
  readonly onDrained?: (leaseToken: string, ageMs: number) => void
  /** Called before a lease is released, after the last delivery. The release waits for it, and it must not reject. */
  readonly onClosing?: (leaseToken: string) => Promise<void>
}

/** The options, with every default filled in. */
export interface ResolvedOptions extends UserCode, LifecycleNotifications {
  readonly monitoredContainer: MonitoredContainer
  readonly leaseContainer: LeaseContainer
  readonly processorName: string
  readonly instanceName: string
  readonly mode: ChangeFeedMode
  readonly startFrom: StartPosition
  readonly maxItemCount: number
  /** The bounds of the pause between two polls that found nothing. Equal bounds mean a fixed pause. */
  readonly pollInterval: Backoff
  readonly restAfterPageMs: number
  readonly leaseAcquireIntervalMs: number
  readonly leaseRenewIntervalMs: number
  readonly leaseExpirationIntervalMs: number
  /** The owner stops trusting its lease this long before the lease expires. */
  readonly trustMarginMs: number
  readonly checkpointIntervalMs: number
  readonly minLeases: number | null
  readonly maxLeases: number | null
  readonly leasesPerFeedRange: number
  readonly stopTimeoutMs: number
  readonly checkpoint: CheckpointMode
  readonly concurrency: number
  readonly delegateTimeoutMs: number | null
  readonly failureLimits: FailureLimits
  readonly unhealthyReason: () => string | null
  readonly hints: FeedHints | null
  readonly looksAtHints: boolean
  readonly telemetry: Telemetry
  readonly clock: Clock
  readonly random: Random
  readonly processes: Processes
  readonly wakeAddress: string | null
  readonly version: string | null
  readonly serves: readonly string[] | null
  readonly report: (leaseToken: string) => LeaseReport | null
  readonly onDrained: (leaseToken: string, ageMs: number) => void
  readonly onClosing: (leaseToken: string) => Promise<void>
}

const shape = {
  ...portShape,
  instanceName: textThat('a text that names this process and no other', isText),
  mode: optional(oneOf('latestVersion', 'allVersionsAndDeletes'), 'latestVersion' as const),
  startFrom: optional(startPosition, 'now' as const),
  maxItemCount: optional(wholeNumber(1, 1_000), 100),
  ...timingShape,
  minLeases: optional(wholeNumber(1), null),
  maxLeases: optional(wholeNumber(1), null),
  leasesPerFeedRange: optional(wholeNumber(1, 256), 1),
  ...deliveryShape,
  unhealthyReason: optional(callback<() => string | null>(), () => null),
  onLeaseAcquired: optional(callback<NonNullable<LifecycleNotifications['onLeaseAcquired']>>()),
  onLeaseReleased: optional(callback<NonNullable<LifecycleNotifications['onLeaseReleased']>>()),
  onError: optional(callback<NonNullable<LifecycleNotifications['onError']>>()),
  telemetry: optional(having<Telemetry>('a Telemetry sink', 'emit')),
}

/**
 * Returns the options with defaults, and all problems. If there are problems, required options may be
 * undefined.
 */
export function readProcessorOptions<T>(
  given: AnyProcessorOptions<T>,
  internals: ProcessorInternals = {},
): { readonly options: ResolvedOptions; readonly problems: readonly string[] } {
  const { values, problems } = readOptions(shape, given)
  const options = Object.freeze(resolved(values, internals))
  const rules = [...relationProblems(options), ...portProblems(options), ...modeProblems(options, given)]
  return { options, problems: [...problems, ...rules, ...deliveryProblems(given)] }
}

function resolved(values: Values<typeof shape>, internals: ProcessorInternals): ResolvedOptions {
  const {
    leaseAcquireInterval: leaseAcquireIntervalMs,
    leaseRenewInterval: leaseRenewIntervalMs,
    leaseExpirationInterval: leaseExpirationIntervalMs,
    stopTimeout: stopTimeoutMs,
    delegateTimeout: delegateTimeoutMs,
    checkpointInterval,
    failurePolicy,
    ...others
  } = values
  const twelfthMs = Math.min(5_000, Math.floor(leaseExpirationIntervalMs / 12))
  return {
    ...others,
    deadLetter: failurePolicy?.deadLetter,
    failureLimits: failureLimitsOf(failurePolicy),
    restAfterPageMs: internals.restAfterPageMs ?? Math.min(100, values.pollInterval.minMs),
    leaseAcquireIntervalMs,
    leaseRenewIntervalMs,
    leaseExpirationIntervalMs,
    trustMarginMs: twelfthMs,
    checkpointIntervalMs: checkpointInterval ?? twelfthMs,
    stopTimeoutMs,
    delegateTimeoutMs,
    hints: internals.hints ?? null,
    looksAtHints: internals.looksAtHints ?? false,
    telemetry: values.telemetry ?? openTelemetry(),
    clock: internals.clock ?? systemClock,
    random: internals.random ?? systemRandom,
    processes: internals.processes ?? machineProcesses,
    wakeAddress: internals.wakeAddress ?? null,
    version: internals.version ?? null,
    serves: internals.serves ?? null,
    report: internals.report ?? (() => null),
    onDrained: internals.onDrained ?? (() => undefined),
    onClosing: internals.onClosing ?? (() => Promise.resolve()),
  }
}

function relationProblems(options: ResolvedOptions): string[] {
  const { leaseExpirationIntervalMs: expirationMs, minLeases, maxLeases } = options
  const expiration = `leaseExpirationInterval (${expirationMs} ms)`
  const { leaseAcquireIntervalMs, leaseRenewIntervalMs, checkpointIntervalMs } = options
  const problems: string[] = []
  if (leaseRenewIntervalMs > expirationMs / 2) {
    problems.push(
      `leaseRenewInterval is ${leaseRenewIntervalMs} ms; it must be at most half of ${expiration}`,
    )
  }
  if (checkpointIntervalMs >= expirationMs / 3) {
    problems.push(
      `checkpointInterval is ${checkpointIntervalMs} ms; it must be less than a third of ${expiration}`,
    )
  }
  if (leaseAcquireIntervalMs >= expirationMs) {
    problems.push(`leaseAcquireInterval is ${leaseAcquireIntervalMs} ms; it must be less than ${expiration}`)
  }
  if ((minLeases ?? 0) > (maxLeases ?? Infinity)) {
    problems.push(`minLeases is ${minLeases}; it must not exceed maxLeases (${maxLeases})`)
  }
  return problems
}

function portProblems({ monitoredContainer, leaseContainer }: ResolvedOptions): string[] {
  if (!isContainer(leaseContainer) || !hasMethods(monitoredContainer, 'readNext')) return []
  const rule = 'pass both Containers, or a LeaseStore'
  return [`leaseContainer is a Container, but monitoredContainer is not; ${rule}`]
}

function modeProblems({ mode }: ResolvedOptions, { startFrom }: { readonly startFrom?: unknown }): string[] {
  if (mode === 'latestVersion' || (startFrom ?? null) === null) return []
  const rule = 'omit it, because the feed of mode "allVersionsAndDeletes" always starts now'
  return [`startFrom is ${shown(startFrom)}; ${rule}`]
}

/** Returns the mode as leases store it. */
export function leaseModeOf(mode: ChangeFeedMode): LeaseMode {
  return mode === 'latestVersion' ? 'Incremental Feed' : 'Full-Fidelity Feed'
}
