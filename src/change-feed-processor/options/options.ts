import type { LeaseMode } from '../../../lease-store/index.js'
import { systemClock, type Clock, type Random } from '../../platform/index.js'
import { systemRandom } from '../../platform/internal.js'
import { openTelemetry, type Telemetry } from '../../telemetry/index.js'
import {
  isChangeFeed,
  isLeaseStore,
  type LeaseContainer,
  type MonitoredContainer,
} from '../feed/cosmos-ports.js'
import type { Change, VersionChange } from '../feed/change-feed.js'
import type { StartPosition } from '../feed/delegate.js'
import {
  deliveryProblems,
  resolveDelivery,
  type ChangeDeliveryOptions,
  type PageDeliveryOptions,
  type ResolvedDeliveryOptions,
} from './delivery-options.js'
import { ProcessorOptionsError } from '../feed/errors.js'
import type { FeedHints } from '../feed/feed-hints.js'
import { fittingOptions } from './option-kinds.js'
import { brokenRules, countProblems, type Rule } from './option-rules.js'
import type { PollInterval } from './poll-delay.js'
import type { LifecycleNotifications } from '../feed/delegate.js'

/** The feed to follow. A deployment unit keeps its mode: its leases store it, and another mode is refused. */
export type ChangeFeedMode = 'latestVersion' | 'allVersionsAndDeletes'

/** The options of a processor in either mode and with either kind of delegate. Times are in milliseconds. */
export interface ProcessorOptions extends LifecycleNotifications {
  readonly monitoredContainer: MonitoredContainer
  /** Partitioned by `/id` or `/partitionKey`. */
  readonly leaseContainer: LeaseContainer
  /** Names the deployment unit: all instances with this name share the leases. */
  readonly processorName: string
  /** Unique per process: leases name their owner by it. */
  readonly instanceName: string
  /** The page size to request, 1 to 1,000. Default 100. */
  readonly maxItemCount?: number
  /** The pause after a poll that found nothing: doubling between bounds, or fixed. Default 100 to 5,000. */
  readonly pollIntervalMs?: number | { readonly min: number; readonly max: number }
  /**
   * The pause after a page with few and very recent changes, which is most likely the last for the moment. A
   * document that changes again meanwhile is read once. Default 100, or the minimum of `pollIntervalMs` where that
   * is less.
   */
  readonly restAfterPageMs?: number
  /** How often the instance looks for leases to take. Default 17,000. */
  readonly leaseAcquireIntervalMs?: number
  /** How often the owner renews a lease. Default 13,000. */
  readonly leaseRenewIntervalMs?: number
  /** The time without a renewal after which a lease may be taken over. The same for all instances. Default 60,000. */
  readonly leaseExpirationIntervalMs?: number
  /**
   * How long before the expiration the owner stops trusting its lease. Default 5,000, or a twelfth of the
   * expiration if less.
   */
  readonly trustMarginMs?: number
  /**
   * The interval in which checkpoints are combined into one; 0 to store one after every page. Default as for
   * `trustMarginMs`.
   */
  readonly checkpointIntervalMs?: number
  /**
   * The instance takes at least this many leases, even if others then have fewer than their share. Default: no
   * minimum.
   */
  readonly minLeases?: number
  /** The instance never takes more than this many leases. Default: no limit. */
  readonly maxLeases?: number
  /**
   * The number of leases for each physical partition when leases are created, 1 to 256. With more than one, more
   * instances than physical partitions can work. Existing leases stay as they are. Idle requests cost that many
   * times more. Default 1.
   */
  readonly leasesPerFeedRange?: number
  /** How long `stop` waits for delegates before it abandons them. Default 30,000. */
  readonly stopTimeoutMs?: number
  /**
   * Returns why this instance should not work at the moment, or null. It is called at every look at the leases.
   * While it returns a reason or throws, the instance releases each lease after the current page and takes none.
   * Default: always null.
   */
  readonly unhealthyBecause?: () => string | null
  /** Wakes readers when this process has written a document. */
  readonly hints?: FeedHints
  /** Receives the events. Default: OpenTelemetry, if the process has an SDK for it. */
  readonly telemetry?: Telemetry
  readonly clock?: Clock
  readonly random?: Random
}

/** Options for the feed of documents in their latest version, which contains no deletes. */
export interface LatestVersionOptions {
  readonly mode?: 'latestVersion'
  /** Where leases without a position begin. Default `'now'`. */
  readonly startFrom?: StartPosition
}

/**
 * Options for the feed of all versions and deletes, for containers with a `changeFeedPolicy`. It always begins
 * now.
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

/** Options with every default filled in and every rule checked. */
export interface ResolvedOptions extends LifecycleNotifications, ResolvedDeliveryOptions {
  readonly monitoredContainer: MonitoredContainer
  readonly leaseContainer: LeaseContainer
  readonly processorName: string
  readonly instanceName: string
  readonly mode: ChangeFeedMode
  readonly startFrom: StartPosition
  readonly maxItemCount: number
  readonly pollInterval: PollInterval
  readonly restAfterPageMs: number
  readonly leaseAcquireIntervalMs: number
  readonly leaseRenewIntervalMs: number
  readonly leaseExpirationIntervalMs: number
  readonly trustMarginMs: number
  readonly checkpointIntervalMs: number
  readonly minLeases: number | null
  readonly maxLeases: number | null
  readonly leasesPerFeedRange: number
  readonly stopTimeoutMs: number
  readonly unhealthyBecause: () => string | null
  readonly hints: FeedHints | null
  readonly telemetry: Telemetry
  readonly clock: Clock
  readonly random: Random
}

/** The options without a default. The delegate is checked with the rest of the delivery. */
const required = ['monitoredContainer', 'leaseContainer', 'processorName', 'instanceName'] as const

/** Values in place of missing options, so that the other rules can be checked. */
const standIns = { monitoredContainer: {}, leaseContainer: {}, processorName: '', instanceName: 'none' }

/** Fills in defaults. Throws {@link ProcessorOptionsError} with every broken rule. */
export function resolveOptions<T>(given: AnyProcessorOptions<T>): ResolvedOptions {
  const { fitting, problems: misfits } = fittingOptions(given, required)
  const options = { ...standIns, ...fitting } as AnyProcessorOptions<T>
  const leaseExpirationIntervalMs = options.leaseExpirationIntervalMs ?? 60_000
  const twelfthMs = Math.min(5_000, Math.floor(leaseExpirationIntervalMs / 12))
  const interval = options.pollIntervalMs ?? { min: 100, max: 5_000 }
  const pollInterval =
    typeof interval === 'number'
      ? { minMs: interval, maxMs: interval }
      : { minMs: interval.min, maxMs: interval.max }
  const resolved: ResolvedOptions = {
    ...options,
    ...resolveDelivery(options),
    mode: options.mode ?? 'latestVersion',
    startFrom: options.startFrom ?? 'now',
    maxItemCount: options.maxItemCount ?? 100,
    pollInterval,
    restAfterPageMs: options.restAfterPageMs ?? Math.min(100, pollInterval.minMs),
    leaseAcquireIntervalMs: options.leaseAcquireIntervalMs ?? 17_000,
    leaseRenewIntervalMs: options.leaseRenewIntervalMs ?? 13_000,
    leaseExpirationIntervalMs,
    trustMarginMs: options.trustMarginMs ?? twelfthMs,
    checkpointIntervalMs: options.checkpointIntervalMs ?? twelfthMs,
    minLeases: options.minLeases ?? null,
    maxLeases: options.maxLeases ?? null,
    leasesPerFeedRange: options.leasesPerFeedRange ?? 1,
    stopTimeoutMs: options.stopTimeoutMs ?? 30_000,
    unhealthyBecause: options.unhealthyBecause ?? (() => null),
    hints: options.hints ?? null,
    telemetry: options.telemetry ?? openTelemetry(),
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
  }
  const problems = [
    ...misfits,
    ...boundProblems(resolved),
    ...relationProblems(resolved),
    ...nameProblems(resolved),
    ...modeProblems(resolved.mode, options.startFrom),
    ...deliveryProblems(options),
  ]
  if (problems.length > 0) throw new ProcessorOptionsError(problems)
  return Object.freeze(resolved)
}

function boundProblems(options: ResolvedOptions): string[] {
  const { minMs, maxMs } = options.pollInterval
  return countProblems([
    ['maxItemCount', options.maxItemCount, 1, 1_000],
    ['pollIntervalMs.min', minMs, 1, Infinity],
    ['pollIntervalMs.max', maxMs, 1, Infinity],
    ['restAfterPageMs', options.restAfterPageMs, 0, Infinity],
    ['leaseAcquireIntervalMs', options.leaseAcquireIntervalMs, 1, Infinity],
    ['leaseRenewIntervalMs', options.leaseRenewIntervalMs, 1, Infinity],
    ['leaseExpirationIntervalMs', options.leaseExpirationIntervalMs, 1, Infinity],
    ['trustMarginMs', options.trustMarginMs, 0, Infinity],
    ['checkpointIntervalMs', options.checkpointIntervalMs, 0, Infinity],
    ['minLeases', options.minLeases ?? 1, 1, Infinity],
    ['maxLeases', options.maxLeases ?? 1, 1, Infinity],
    ['leasesPerFeedRange', options.leasesPerFeedRange, 1, 256],
    ['stopTimeoutMs', options.stopTimeoutMs, 0, Infinity],
  ])
}

function relationProblems(options: ResolvedOptions): string[] {
  const {
    leaseExpirationIntervalMs: expiration,
    leaseRenewIntervalMs: renew,
    trustMarginMs: margin,
  } = options
  const rules: readonly Rule[] = [
    [
      options.pollInterval.minMs <= options.pollInterval.maxMs,
      `pollIntervalMs is ${options.pollInterval.minMs} to ${options.pollInterval.maxMs}; min must not exceed max`,
    ],
    [
      renew < expiration / 3,
      `leaseRenewIntervalMs is ${renew}; it must be less than a third of leaseExpirationIntervalMs (${expiration})`,
    ],
    [
      renew + margin < expiration,
      `trustMarginMs is ${margin}; with leaseRenewIntervalMs (${renew}) it must stay below leaseExpirationIntervalMs (${expiration})`,
    ],
    [
      (options.minLeases ?? 1) <= (options.maxLeases ?? Infinity),
      `minLeases is ${options.minLeases ?? 'not set'}; it must not exceed maxLeases (${options.maxLeases ?? 'not set'})`,
    ],
    [
      options.leaseAcquireIntervalMs < expiration,
      `leaseAcquireIntervalMs is ${options.leaseAcquireIntervalMs}; it must be less than leaseExpirationIntervalMs (${expiration})`,
    ],
    [
      options.checkpointIntervalMs < expiration / 3,
      `checkpointIntervalMs is ${options.checkpointIntervalMs}; it must be less than a third of leaseExpirationIntervalMs (${expiration})`,
    ],
  ]
  return brokenRules(rules)
}

function nameProblems(options: ResolvedOptions): string[] {
  const { processorName, instanceName, startFrom, monitoredContainer, leaseContainer } = options
  const rules: readonly Rule[] = [
    [
      !/[/\\?#]/.test(processorName),
      `processorName is ${JSON.stringify(processorName)}; it becomes part of document ids, so it must not contain / \\ ? #`,
    ],
    [
      instanceName.trim() !== '',
      `instanceName is ${JSON.stringify(instanceName)}; it must name this process, unlike every other`,
    ],
    [
      !(startFrom instanceof Date) || !Number.isNaN(startFrom.getTime()),
      'startFrom is an invalid Date; it must be an instant, "now" or "beginning"',
    ],
    [
      !isChangeFeed(monitoredContainer) || isLeaseStore(leaseContainer),
      'leaseContainer is a Container beside a monitoredContainer that is not; pass both Containers, or a LeaseStore',
    ],
  ]
  return brokenRules(rules)
}

function modeProblems(mode: ChangeFeedMode, startFrom: StartPosition | undefined): string[] {
  return brokenRules([
    [
      mode === 'latestVersion' || (mode as unknown) === 'allVersionsAndDeletes',
      `mode is ${JSON.stringify(mode)}; it must be "latestVersion" or "allVersionsAndDeletes"`,
    ],
    [
      mode !== 'allVersionsAndDeletes' || startFrom === undefined,
      `startFrom is ${JSON.stringify(startFrom)} in mode "allVersionsAndDeletes", whose feed begins now; leave it out`,
    ],
  ])
}

/** Returns the mode in the words that leases store. */
export function leaseModeOf(mode: ChangeFeedMode): LeaseMode {
  return mode === 'latestVersion' ? 'Incremental Feed' : 'Full-Fidelity Feed'
}
