import { systemClock, type Clock, type Random } from '../../platform/index.js'
import { systemRandom } from '../../platform/internal.js'
import {
  checkedOptions,
  flag,
  having,
  optional,
  text,
  wholeNumber,
  type Shape,
  type Values,
} from '../../platform/options.js'

/** Options that every kind of emulator has. */
export interface AccountOptions {
  /** Physical partitions of a new container, 1 to 1,000. Default 1. */
  readonly partitionCount?: number
  /**
   * Answers requests beyond a container's throughput with 429 (sub-status 3200) and the time to wait, as the
   * service does. A model of charges says how much each request costs. Default false.
   */
  readonly enforceThroughput?: boolean
  /**
   * The directory that keeps all data across processes. Default: none, so that data is lost with the process.
   */
  readonly dataDirectory?: string
  /** Default: the machine's clock. With a virtual clock, TTL and `_ts` follow it. */
  readonly clock?: Clock
  /** The source of rids and request ids. Default: the machine's random numbers. */
  readonly random?: Random
}

/** The kinds of {@link AccountOptions}. */
export const accountShape = {
  partitionCount: optional(wholeNumber(1, 1_000), 1),
  enforceThroughput: optional(flag(), false),
  dataDirectory: optional(text()),
  clock: optional(having<Clock>('a Clock', 'now', 'monotonic', 'sleep', 'schedule'), systemClock),
  random: optional(having<Random>('a Random', 'next', 'id'), systemRandom),
}

/** Returns the options of a door with their defaults. Throws a RangeError that lists every problem. */
export function doorOptions<S extends Shape>(shape: S, options: object): Values<S> {
  return checkedOptions(shape, options, (problems) => new RangeError(problems.join('; ')))
}
