import { z } from 'zod'
import type { Duration } from './duration.js'
import { duration, wholeNumber } from './kinds.js'
import { chosen, group, isObject, misfit, optional } from './read-options.js'

/** A duration that doubles from `min` to `max`. */
export interface DurationRange {
  readonly min: Duration
  readonly max: Duration
}

/** The number of tries of an operation, and the pauses between these tries. */
export interface Retry {
  /** The number of all tries, including the first. At least 1. */
  readonly tries: number
  /**
   * The pause between two tries, which doubles from `min` to `max`. Up to half of each pause is subtracted at
   * random, so the shortest pause is half of `min`.
   */
  readonly backoff?: DurationRange
}

/** Bounds of an exponential back-off, in milliseconds. */
export interface Backoff {
  readonly minMs: number
  readonly maxMs: number
}

/** A {@link Retry} with its defaults, in milliseconds. */
export interface ResolvedRetry {
  readonly tries: number
  readonly backoff: Backoff
}

/** Returns the kind of a {@link DurationRange}. */
export function durationRange(): z.ZodType<Backoff> {
  return group({ min: duration(), max: duration() }).transform(({ min, max }, context) => {
    if (min <= max) return { minMs: min, maxMs: max }
    const message = misfit(`${min} ms to ${max} ms`, 'a range whose min does not exceed its max')
    context.issues.push({ code: 'custom', message, input: undefined })
    return z.NEVER
  })
}

/** Returns the kind of an interval that is either fixed, or doubles within a {@link DurationRange}. */
export function fixedOrRange(): z.ZodType<Backoff> {
  const fixed = duration(1, ', or { min, max } of them').transform((ms) => ({ minMs: ms, maxMs: ms }))
  const range = durationRange()
  return chosen((value) => (isObject(value) ? range : fixed))
}

/**
 * Returns the zod type that checks and reads a {@link Retry}. Without a default for `tries`, the option must
 * contain `tries`.
 */
export function retryOption(backoff: Backoff, tries?: number): z.ZodType<ResolvedRetry> {
  return group({
    tries: tries === undefined ? wholeNumber(1) : optional(wholeNumber(1), tries),
    backoff: optional(durationRange(), backoff),
  })
}
