import type { Duration } from '../../platform/index.js'
import type { FaultMatch, RequestMatched } from './fault-match.js'

/**
 * The effect of a fault, the requests it meets, and how often. At least one of `status`, `reset` and `delay`
 * is required; `status` and `reset` exclude each other. A delay may precede either of these, or be the only
 * effect.
 */
export interface FaultOptions {
  /**
   * The requests that the fault meets: those with all of these properties, or those that a predicate accepts.
   * Default: every request.
   */
  readonly match?: FaultMatch | ((request: RequestMatched) => boolean)
  /** The status of the answer, 400 to 599. */
  readonly status?: number
  /**
   * The sub-status, which distinguishes errors with one status. Default 3200 for 429 (as the service
   * throttles), otherwise none.
   */
  readonly substatus?: number
  /** The number of requests after which the fault has no more effect. Default: no limit. */
  readonly times?: number
  /** The probability that a matching request meets the fault, above 0 and up to 1. Default 1. */
  readonly probability?: number
  /** Makes `probability` decide the same way in every run. Default: the account's random numbers. */
  readonly seed?: number
  /**
   * If true, the request is carried out first, and `status` or `reset` then loses its answer, so that the
   * client cannot know the outcome. Default false: with `status` or `reset`, the request is not carried out.
   */
  readonly afterApply?: boolean
  /** The time by the account's clock before the client gets a response. Default: none. */
  readonly delay?: Duration
  /** The time after which the client may retry. Default 10 ms for 429, otherwise not sent. */
  readonly retryAfter?: Duration
  /** Cuts the connection without an answer. */
  readonly reset?: boolean
}

/** An added fault. It stays listed until it is removed, even when it has no more effect. */
export interface Fault {
  readonly id: string
  readonly options: FaultOptions
  /** The number of requests that it has met. */
  readonly fired: number
}

/** The faults of an account, which may be added and removed while it runs. */
export interface Faults {
  /**
   * Adds a fault.
   *
   * @throws RangeError that names every problem of the options
   */
  add(options: FaultOptions): Fault
  /** Removes a fault, given itself or its id. Does nothing if it is already gone. */
  remove(fault: Fault | string): void
  /** Removes all faults, and lets delayed requests continue at once. */
  clear(): void
  /** Returns the faults in the order in which they were added and are tried. */
  list(): readonly Fault[]
}
