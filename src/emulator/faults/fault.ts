import type { FaultMatch, RequestMatched } from './fault-match.js'

/**
 * What goes wrong, for which requests, how often. One of `status`, `reset` and `delayMs` says what; a delay may come
 * before either of the others, or alone.
 */
export interface FaultOptions {
  /** Which requests it meets: all of these properties, or a predicate. Default: every request. */
  readonly match?: FaultMatch | ((request: RequestMatched) => boolean)
  /** The status answered, 400 to 599. */
  readonly status?: number
  /** Tells apart errors with one status. Default 3200 for 429 (as the service throttles), else none. */
  readonly substatus?: number
  /** After how many firings it is spent. Default: never. */
  readonly times?: number
  /** How likely it meets a request that matches, above 0 and up to 1. Default 1. */
  readonly probability?: number
  /** Makes `probability` decide the same way in every run. Default: the account's chance. */
  readonly seed?: number
  /** The request is carried out, then its answer is lost: the client cannot know. Default false: it is never looked at. */
  readonly afterApply?: boolean
  /** Milliseconds, by the account's clock, until the client hears anything. */
  readonly delayMs?: number
  /** When the client may try again. Default 10 for 429, else not said. */
  readonly retryAfterMs?: number
  /** The connection is cut without an answer. */
  readonly reset?: boolean
}

/** A fault that was added; it stays listed until it is removed, spent or not. */
export interface Fault {
  readonly id: string
  readonly options: FaultOptions
  /** How many requests it has met. */
  readonly fired: number
}

/** The faults of an account, to be added and removed while it runs. */
export interface Faults {
  /** @throws RangeError that names everything wrong with the options */
  add(options: FaultOptions): Fault
  /** By the fault or its id; removing one that has gone does no harm. */
  remove(fault: Fault | string): void
  /** Removes all, and lets requests that are being delayed go on at once. */
  clear(): void
  /** In the order in which they were added, which is the order in which they are tried. */
  list(): readonly Fault[]
}
