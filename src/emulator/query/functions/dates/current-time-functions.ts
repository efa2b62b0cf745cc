import { dateTimeText, millisecondsOf, ticksOfMilliseconds } from './date-time.js'
import { added } from './date-time-part.js'
import type { TimeFunction } from '../../values/query-function.js'

/** Returns a function that computes its result from the time of each evaluation. */
function ofCurrent(compute: (ticks: bigint) => unknown): TimeFunction {
  return {
    minArguments: 0,
    maxArguments: 0,
    bind:
      ({ now }) =>
      () =>
        compute(ticksOfMilliseconds(now())),
  }
}

/**
 * Returns a function that computes its result from the time of the compilation, so that every document gets
 * the same value.
 */
function ofStatic(compute: (ticks: bigint) => unknown): TimeFunction {
  return {
    minArguments: 0,
    maxArguments: 0,
    bind: ({ compiledAt }) => {
      const value = compute(ticksOfMilliseconds(compiledAt))
      return () => value
    },
  }
}

/** Functions of the current time. */
export const currentTimeFunctions = {
  AGO: {
    minArguments: 2,
    maxArguments: 2,
    bind:
      ({ now }) =>
      (part, count) =>
        typeof count === 'number' ? added(part, -count, ticksOfMilliseconds(now())) : undefined,
  },
  GETCURRENTDATETIME: ofCurrent(dateTimeText),
  GETCURRENTDATETIMESTATIC: ofStatic(dateTimeText),
  GETCURRENTTICKS: ofCurrent(Number),
  GETCURRENTTICKSSTATIC: ofStatic(Number),
  GETCURRENTTIMESTAMP: ofCurrent(millisecondsOf),
  GETCURRENTTIMESTAMPSTATIC: ofStatic(millisecondsOf),
  /** Returns the current time. Two arguments, such as "day" and 3, are added to it as in DATETIMEADD. */
  NOW: {
    minArguments: 0,
    maxArguments: 2,
    bind:
      ({ now }) =>
      (...values) => {
        const ticks = ticksOfMilliseconds(now())
        return values.length === 0 ? dateTimeText(ticks) : added(values[0], values[1], ticks)
      },
  },
} satisfies Readonly<Record<string, TimeFunction>>
