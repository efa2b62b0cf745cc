import type { Duration } from '../../platform/index.js'
import type { FaultMatch, RequestMatched } from './fault-match.js'

/**
 * What a fault does, to which requests, and how often. At least one of `status`, `reset` and `delay` is
 * required. `status` and `reset` exclude each other. A delay may come before either of them, or be the only
 * effect.
 */
export interface FaultOptions {
  /**
   * The requests that the fault affects: requests with all of these properties, or requests that this
   * predicate accepts. Default: every request.
   */
  readonly match?: FaultMatch | ((request: RequestMatched) => boolean)
  /** The status of the answer, 400 to 599. */
  readonly status?: number
  /** Distinguishes errors with the same status. Default: 3200 for status 429; otherwise none. */
  readonly substatus?: number
  /** The largest number of requests that the fault affects. Default: no limit. */
  readonly times?: number
  /** The probability that the fault affects a matching request, above 0 and up to 1. Default 1. */
  readonly probability?: number
  /** A seed that makes `probability` repeatable. Default: the account's random numbers. */
  readonly seed?: number
  /**
   * If true, the request is carried out, and then `status` or `reset` replaces its answer, so the client
   * cannot know the outcome. Default false: with `status` or `reset`, the request is not carried out.
   */
  readonly afterApply?: boolean
  /** The delay before the client gets a response, measured by the account's clock. Default: none. */
  readonly delay?: Duration
  /** The time after which the client may retry. Default: 10 ms for status 429; otherwise none is sent. */
  readonly retryAfter?: Duration
  /** If true, the connection is cut without an answer. */
  readonly reset?: boolean
}

/** An added fault. It stays in the list until it is removed, even if it no longer has an effect. */
export interface Fault {
  readonly id: string
  readonly options: FaultOptions
  /** The number of requests that the fault has affected. */
  readonly fired: number
}

/** The faults of an account, which may be added and removed while the account is open. */
export interface Faults {
  /**
   * Adds a fault.
   *
   * @throws RangeError that names every problem of the options
   */
  add(options: FaultOptions): Fault
  /** Removes a fault, given as an object or by its id. Does nothing if the fault is already gone. */
  remove(fault: Fault | string): void
  /** Removes all faults, and lets delayed requests continue immediately. */
  clear(): void
  /** Returns the faults in the order in which they were added. They are tried in the same order. */
  list(): readonly Fault[]
}
