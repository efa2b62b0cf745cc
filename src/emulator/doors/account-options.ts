import { systemClock, type Clock, type Random } from '../../platform/index.js'
import { systemRandom } from '../../platform/internal.js'
import { defaultMemoryBytes } from '../engine/index.js'
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
  /** The number of physical partitions of a new container, 1 to 1,000. Default 1. */
  readonly partitionCount?: number
  /**
   * Whether requests beyond a container's throughput get status 429 (sub-status 3200) and a time to wait, as
   * in the service. The emulator estimates the charges. Default false.
   */
  readonly enforceThroughput?: boolean
  /** The directory that keeps all data after the process ends. Default: none, so the data is lost. */
  readonly dataDirectory?: string
  /**
   * The bytes of memory for documents. With a data directory, the documents that were not used for the longest
   * time are read from disk again. Without one, all documents stay in memory. Default 256 MiB.
   */
  readonly memoryBytes?: number
  /** The clock for TTL and `_ts`. It may be virtual. Default: the machine's clock. */
  readonly clock?: Clock
  /** The source of rids and request ids. Default: the machine's random numbers. */
  readonly random?: Random
}

export const accountShape = {
  partitionCount: optional(wholeNumber(1, 1_000), 1),
  enforceThroughput: optional(flag(), false),
  dataDirectory: optional(text()),
  memoryBytes: optional(wholeNumber(0, Number.MAX_SAFE_INTEGER), defaultMemoryBytes),
  clock: optional(having<Clock>('a Clock', 'now', 'monotonic', 'sleep', 'schedule'), systemClock),
  random: optional(having<Random>('a Random', 'next', 'id'), systemRandom),
}

/** Returns the options of a door with defaults filled in. Throws a RangeError that lists every problem. */
export function doorOptions<S extends Shape>(shape: S, options: object): Values<S> {
  return checkedOptions(shape, options, (problems) => new RangeError(problems.join('; ')))
}
