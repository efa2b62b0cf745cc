import type { Duration, DurationRange } from '../../platform/index.js'
import { duration, fixedOrRange, optional } from '../../platform/options.js'

/** The intervals of a processor. */
export interface ProcessorTiming {
  /** The pause after a poll that found nothing, fixed or doubling between bounds. Default 100 ms to 5 s. */
  readonly pollInterval?: Duration | DurationRange
  /** The interval between two checks for leases to take. Must be less than the expiration. Default 17 s. */
  readonly leaseAcquireInterval?: Duration
  /** The interval between renewals of a lease, at most half of the expiration. Default 13 s. */
  readonly leaseRenewInterval?: Duration
  /** The time after which an unrenewed lease may be taken over. All instances must agree. Default 60 s. */
  readonly leaseExpirationInterval?: Duration
  /**
   * The interval in which checkpoints are combined into one. With 0, a checkpoint is stored after every page.
   * After 2,000 changes, a tenth of the interval is enough.
   * Must be less than a third of the expiration. Default 5 s, or a twelfth of the expiration if that is less.
   */
  readonly checkpointInterval?: Duration
  /** The time for which `stop` waits for delegates before it abandons them. Default 30 s. */
  readonly stopTimeout?: Duration
}

/** Reads the option `leaseExpirationInterval` as a number of milliseconds. Default 60 s. */
export const leaseExpiration = optional(duration(), 60_000)

/** The zod types that read {@link ProcessorTiming}. */
export const timingShape = {
  pollInterval: optional(fixedOrRange(), { minMs: 100, maxMs: 5_000 }),
  leaseAcquireInterval: optional(duration(), 17_000),
  leaseRenewInterval: optional(duration(), 13_000),
  leaseExpirationInterval: leaseExpiration,
  checkpointInterval: optional(duration(0)),
  stopTimeout: optional(duration(0), 30_000),
}
