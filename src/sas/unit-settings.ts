import type { ProcessorTiming } from '../change-feed-processor/index.js'
import { timingShape } from '../change-feed-processor/internal.js'
import type { Duration, Retry } from '../platform/index.js'
import {
  duration,
  kind,
  optional,
  readPart,
  retryOption,
  wholeNumber,
  type Shape,
  type Values,
} from '../platform/options.js'
import type { Reader } from './decisions/readers.js'
import type { AlertSink } from './notifier/alert-sink.js'

/** The settings of an instance of the role `agents`. */
export interface AgentsSettings {
  /** The number of handlers that run at the same time. Default 16. */
  readonly slots?: number
  /** The time in which running handlers may finish when the instance stops. Default 3 s. */
  readonly stopBudget?: Duration
}

/** The settings of an instance of the supervisor. */
export interface SupervisorSettings {
  /** The interval between searches for overdue steps. Default 30 s. */
  readonly sweepInterval?: Duration
  /** The time that must pass after a deadline before the step counts as overdue. Default 2 s. */
  readonly deadlineGrace?: Duration
}

/** The settings of an instance of the notifier. */
export interface NotifierSettings {
  /** Receivers of alerts. Every alert is also an `alert.raised` event. Default: none. */
  readonly alertSinks?: readonly AlertSink[]
  /**
   * The largest number of calls that one instance makes to each sink in a minute. If the remaining
   * calls of a minute are fewer than the flagged jobs, one call contains up to 250 jobs. Default 20.
   */
  readonly alertCallsPerMinute?: number
  /** The time after which an alert is raised again if its cause remains, at least 1 s. Default 1 d. */
  readonly remindAfter?: Duration
  /**
   * The time within which a receiver must accept a message. Afterwards the message is sent again. Default 10
   * s.
   */
  readonly sendTimeout?: Duration
  /** The number of tries for a notice, and the pauses between them. Default: 30 tries in about four hours. */
  readonly noticeRetry?: Partial<Retry>
  /** The interval between queries for unsent notices and flagged jobs. Default 1 m. */
  readonly notifySweepInterval?: Duration
}

/** The kind and the default of each of the {@link AgentsSettings}. */
export const agentsShape = {
  slots: optional(wholeNumber(1), 16),
  stopBudget: optional(duration(0), 3_000),
}

/** The kind and the default of each of the {@link SupervisorSettings}. */
export const supervisorShape = {
  sweepInterval: optional(duration(), 30_000),
  deadlineGrace: optional(duration(0), 2_000),
}

/** Pauses grow to a quarter of an hour. A receiver that is down for two and a half hours misses no notice. */
const noticeRetry = { tries: 30, backoff: { minMs: 1_000, maxMs: 900_000 } }

/** The kind and the default of each of the {@link NotifierSettings}. */
export const notifierShape = {
  alertSinks: optional(
    kind<readonly AlertSink[]>(
      'a list of functions',
      (value) => Array.isArray(value) && value.every((sink) => typeof sink === 'function'),
    ),
    [],
  ),
  alertCallsPerMinute: optional(wholeNumber(1), 20),
  remindAfter: optional(duration(1_000), 86_400_000),
  sendTimeout: optional(duration(), 10_000),
  noticeRetry: optional(retryOption(noticeRetry.backoff, noticeRetry.tries), noticeRetry),
  notifySweepInterval: optional(duration(), 60_000),
}

/**
 * Returns the settings of a unit, with defaults filled in and durations in milliseconds.
 *
 * @throws TypeError that lists every problem
 */
export function settingsOf<S extends Shape>(shape: S, options: object): Values<S> {
  const { values, problems } = readPart(shape, options)
  if (problems.length > 0) throw new TypeError(problems.join('; '))
  return values
}

/** Returns the times of a supervisor in milliseconds, with their defaults. */
export function supervisorTimes(options: SupervisorSettings) {
  const { sweepInterval, deadlineGrace } = settingsOf(supervisorShape, options)
  return { sweepIntervalMs: sweepInterval, deadlineGraceMs: deadlineGrace }
}

/**
 * Returns the intervals of a role. A role renews its leases at half of the expiration, because renewals are most of what
 * an idle role costs. While a role has work, its checkpoints renew its leases anyway.
 */
export function roleTiming(timing: ProcessorTiming = {}): ProcessorTiming {
  const { leaseExpirationInterval } = settingsOf(timingShape, timing)
  const { leaseRenewInterval = Math.floor(leaseExpirationInterval / 2) } = timing
  return { ...timing, leaseRenewInterval }
}

/** Returns the longest time until another instance takes the leases of an instance that died. */
export function failoverMs(timing: ProcessorTiming = {}): number {
  const { leaseExpirationInterval, leaseAcquireInterval } = settingsOf(timingShape, timing)
  return leaseExpirationInterval + leaseAcquireInterval
}

/**
 * The poll intervals of each role. The scheduler and the agents poll often after activity, because writes of
 * other processes may come without a hint. The pause doubles after each empty poll, so a first pause of 10
 * instead of 100 ms costs only three or four more polls. The supervisor may poll
 * rarely, because deadlines are further away and it also has its sweep. The notifier may be half a second
 * late if another process writes. Because of its longer pause, it reads fewer versions of a document that
 * changes often.
 */
export const pollIntervals: Readonly<Record<Reader, { readonly min: number; readonly max: number }>> = {
  scheduler: { min: 10, max: 5_000 },
  agents: { min: 10, max: 5_000 },
  supervisor: { min: 1_000, max: 10_000 },
  notifier: { min: 500, max: 10_000 },
}
