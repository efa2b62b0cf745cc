import type { Duration, DurationRange } from '../../platform/index.js'
import { duration, fixedOrRange, optional } from '../../platform/options.js'

/** The intervals of a processor. */
export interface ProcessorTiming {
  /** The pause after a poll that found nothing: doubling between bounds, or fixed. Default 100 ms to 5 s. */
  readonly pollInterval?: Duration | DurationRange
  /** How often the instance looks for leases to take. Less than the expiration. Default 17 s. */
  readonly leaseAcquireInterval?: Duration
  /** How often the owner renews a lease. Less than a third of the expiration. Default 13 s. */
  readonly leaseRenewInterval?: Duration
  /**
   * The time without a renewal after which a lease may be taken over. The same for all instances. Default 60
   * s.
   */
  readonly leaseExpirationInterval?: Duration
  /**
   * The interval in which checkpoints are combined into one; 0 to store one after every page. Less than a
   * third of the expiration. Default 5 s, or a twelfth of the expiration if less.
   */
  readonly checkpointInterval?: Duration
  /** How long `stop` waits for delegates before it abandons them. Default 30 s. */
  readonly stopTimeout?: Duration
}

/** The kind of the option `leaseExpirationInterval`, in milliseconds. */
export const leaseExpiration = optional(duration(), 60_000)

/** The kinds of {@link ProcessorTiming}. */
export const timingShape = {
  pollInterval: optional(fixedOrRange(), { minMs: 100, maxMs: 5_000 }),
  leaseAcquireInterval: optional(duration(), 17_000),
  leaseRenewInterval: optional(duration(), 13_000),
  leaseExpirationInterval: leaseExpiration,
  checkpointInterval: optional(duration(0)),
  stopTimeout: optional(duration(0), 30_000),
}
