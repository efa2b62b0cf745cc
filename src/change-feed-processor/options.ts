import type { FeedRange } from '../../lease-store/index.js'
import { systemClock, systemRandom, type Clock, type Random } from '../platform/index.js'
import { openTelemetry, type Telemetry } from '../telemetry/index.js'
import { isChangeFeed, isLeaseStore, type LeaseContainer, type MonitoredContainer } from './cosmos-ports.js'
import type { ChangeFeedDelegate, CloseReason, StartPosition } from './delegate.js'
import { ProcessorOptionsError, type DelegateError, type FeedError } from './errors.js'
import type { FeedHints } from './feed-hints.js'
import type { PollInterval } from './poll-delay.js'

/** Called as leases come and go. One that throws or rejects does no harm. */
export interface LifecycleNotifications {
  readonly onLeaseAcquired?: (leaseToken: string, feedRange: FeedRange) => Promise<void> | void
  readonly onLeaseReleased?: (leaseToken: string, reason: CloseReason) => Promise<void> | void
  /** A `DelegateError` is yours and has what you threw as `cause`; a `FeedError` has the store's error. */
  readonly onError?: (leaseToken: string, error: DelegateError | FeedError) => Promise<void> | void
}

/** How a {@link ChangeFeedProcessor} works. */
export interface ChangeFeedProcessorOptions<T> extends LifecycleNotifications {
  readonly monitoredContainer: MonitoredContainer
  /** Partitioned by `/id` or `/partitionKey`. */
  readonly leaseContainer: LeaseContainer
  /** Names the deployment unit: all instances with this name share the leases. */
  readonly processorName: string
  /** Unique per process: who holds a lease is said by this name. */
  readonly instanceName: string
  readonly onChanges: ChangeFeedDelegate<T>
  /** For leases that have no position yet. Default `'now'`. */
  readonly startFrom?: StartPosition
  /** Page size asked for, 1 to 1,000. Default 100. */
  readonly maxItemCount?: number
  /** Rest after a poll that found nothing: doubling between bounds, or fixed. Default 100 to 5,000. */
  readonly pollIntervalMs?: number | { readonly min: number; readonly max: number }
  /** How often leases are looked at, to take some. Default 17,000. */
  readonly leaseAcquireIntervalMs?: number
  /** How often a held lease shows a sign of life. Default 13,000. */
  readonly leaseRenewIntervalMs?: number
  /** After how long without one it may be taken over. The same for all instances. Default 60,000. */
  readonly leaseExpirationIntervalMs?: number
  /** How much earlier than others its holder stops trusting it. Default 5,000, or a twelfth of the expiration if less. */
  readonly trustMarginMs?: number
  /** Checkpoints are coalesced to one in this time; 0 for one after every page. Default as for `trustMarginMs`. */
  readonly checkpointIntervalMs?: number
  /** How long `stop` waits for delegates before it abandons them. Default 30,000. */
  readonly stopTimeoutMs?: number
  /** Wakes readers when something was written in this process. */
  readonly hints?: FeedHints
  /** Where events go. Default: OpenTelemetry, if the process has an SDK for it. */
  readonly telemetry?: Telemetry
  readonly clock?: Clock
  readonly random?: Random
}

/** Options with every default filled in and every rule checked. */
export interface ResolvedOptions extends LifecycleNotifications {
  readonly monitoredContainer: MonitoredContainer
  readonly leaseContainer: LeaseContainer
  readonly processorName: string
  readonly instanceName: string
  readonly startFrom: StartPosition
  readonly maxItemCount: number
  readonly pollInterval: PollInterval
  readonly leaseAcquireIntervalMs: number
  readonly leaseRenewIntervalMs: number
  readonly leaseExpirationIntervalMs: number
  readonly trustMarginMs: number
  readonly checkpointIntervalMs: number
  readonly stopTimeoutMs: number
  readonly hints: FeedHints | null
  readonly telemetry: Telemetry
  readonly clock: Clock
  readonly random: Random
}

/** Fills in defaults; throws {@link ProcessorOptionsError} with every broken rule. */
export function resolveOptions<T>(options: ChangeFeedProcessorOptions<T>): ResolvedOptions {
  const leaseExpirationIntervalMs = options.leaseExpirationIntervalMs ?? 60_000
  const twelfthMs = Math.min(5_000, Math.floor(leaseExpirationIntervalMs / 12))
  const interval = options.pollIntervalMs ?? { min: 100, max: 5_000 }
  const resolved: ResolvedOptions = {
    ...options,
    startFrom: options.startFrom ?? 'now',
    maxItemCount: options.maxItemCount ?? 100,
    pollInterval:
      typeof interval === 'number'
        ? { minMs: interval, maxMs: interval }
        : { minMs: interval.min, maxMs: interval.max },
    leaseAcquireIntervalMs: options.leaseAcquireIntervalMs ?? 17_000,
    leaseRenewIntervalMs: options.leaseRenewIntervalMs ?? 13_000,
    leaseExpirationIntervalMs,
    trustMarginMs: options.trustMarginMs ?? twelfthMs,
    checkpointIntervalMs: options.checkpointIntervalMs ?? twelfthMs,
    stopTimeoutMs: options.stopTimeoutMs ?? 30_000,
    hints: options.hints ?? null,
    telemetry: options.telemetry ?? openTelemetry(),
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
  }
  const problems = [...boundProblems(resolved), ...relationProblems(resolved), ...nameProblems(resolved)]
  if (problems.length > 0) throw new ProcessorOptionsError(problems)
  return Object.freeze(resolved)
}

function boundProblems(options: ResolvedOptions): string[] {
  const { minMs, maxMs } = options.pollInterval
  const counts: readonly (readonly [name: string, value: number, min: number, max: number])[] = [
    ['maxItemCount', options.maxItemCount, 1, 1_000],
    ['pollIntervalMs.min', minMs, 1, Infinity],
    ['pollIntervalMs.max', maxMs, 1, Infinity],
    ['leaseAcquireIntervalMs', options.leaseAcquireIntervalMs, 1, Infinity],
    ['leaseRenewIntervalMs', options.leaseRenewIntervalMs, 1, Infinity],
    ['leaseExpirationIntervalMs', options.leaseExpirationIntervalMs, 1, Infinity],
    ['trustMarginMs', options.trustMarginMs, 0, Infinity],
    ['checkpointIntervalMs', options.checkpointIntervalMs, 0, Infinity],
    ['stopTimeoutMs', options.stopTimeoutMs, 0, Infinity],
  ]
  return counts
    .filter(([, value, min, max]) => !(Number.isInteger(value) && value >= min && value <= max))
    .map(([name, value, min, max]) =>
      max === Infinity
        ? `${name} is ${value}; it must be a whole number, at least ${min}`
        : `${name} is ${value}; it must be a whole number from ${min} to ${max}`,
    )
}

function relationProblems(options: ResolvedOptions): string[] {
  const {
    leaseExpirationIntervalMs: expiration,
    leaseRenewIntervalMs: renew,
    trustMarginMs: margin,
  } = options
  const rules: readonly (readonly [isKept: boolean, problem: string])[] = [
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
      options.leaseAcquireIntervalMs < expiration,
      `leaseAcquireIntervalMs is ${options.leaseAcquireIntervalMs}; it must be less than leaseExpirationIntervalMs (${expiration})`,
    ],
    [
      options.checkpointIntervalMs < expiration / 3,
      `checkpointIntervalMs is ${options.checkpointIntervalMs}; it must be less than a third of leaseExpirationIntervalMs (${expiration})`,
    ],
  ]
  return rules.filter(([isKept]) => !isKept).map(([, problem]) => problem)
}

function nameProblems(options: ResolvedOptions): string[] {
  const { processorName, instanceName, startFrom, monitoredContainer, leaseContainer } = options
  const rules: readonly (readonly [isKept: boolean, problem: string])[] = [
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
  return rules.filter(([isKept]) => !isKept).map(([, problem]) => problem)
}
