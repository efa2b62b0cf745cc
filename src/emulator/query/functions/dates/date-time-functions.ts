import { dateTimeText, floorDivided, millisecondsOf, ticksOf } from './date-time.js'
import { formatted } from './date-time-format.js'
import { added, boundariesBetween, isInteger, padded, partOfDateTime, ticksOfBin } from './date-time-part.js'
import { ofOne, type QueryFunction } from '../../values/query-function.js'

function ofDateTime(compute: (ticks: bigint) => unknown): QueryFunction {
  return ofOne((value) => {
    const ticks = ticksOf(value)
    return ticks === undefined ? undefined : compute(ticks)
  })
}

/** Returns a function that converts a whole number of units since 1970 to a date and time. */
function ofCount(ticksPerUnit: bigint): QueryFunction {
  return ofOne((count) => (isInteger(count) ? dateTimeText(BigInt(count) * ticksPerUnit) : undefined))
}

function ofPart(name: string): QueryFunction {
  return ofOne((dateTime) => partOfDateTime(name, dateTime))
}

const unixEpoch = '1970-01-01'
const windowsEpoch = ticksOf('1601-01-01')

/**
 * Rounds a date and time down to the beginning of its bin. The service accepts no time before the Windows
 * epoch.
 */
function bin(dateTime: unknown, part: unknown, ...rest: readonly unknown[]): string | undefined {
  const ticks = ticksOf(dateTime)
  const size = ticksOfBin(part, rest.length > 0 ? rest[0] : 1)
  const start = ticksOf(rest.length > 1 ? rest[1] : unixEpoch)
  if (ticks === undefined || size === undefined || start === undefined) return undefined
  if (windowsEpoch === undefined || ticks < windowsEpoch || start < windowsEpoch) return undefined
  return dateTimeText(start + floorDivided(ticks - start, size) * size)
}

function fromParts(...values: readonly unknown[]): string | undefined {
  if (!values.every(isInteger)) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, fraction = 0] = values
  const date = [padded(year, 4), padded(month, 2), padded(day, 2)].join('-')
  const time = [padded(hour, 2), padded(minute, 2), padded(second, 2)].join(':')
  const ticks = ticksOf(`${date}T${time}.${padded(fraction, 7)}`)
  return ticks === undefined ? undefined : dateTimeText(ticks)
}

/** Functions of dates and times. The result for any other value is undefined, except for IS_DATETIME. */
export const dateTimeFunctions = {
  DATETIMEADD: {
    minArguments: 3,
    maxArguments: 3,
    evaluate: (part: unknown, count: unknown, dateTime: unknown) => added(part, count, ticksOf(dateTime)),
  },
  DATETIMEBIN: { minArguments: 2, maxArguments: 4, evaluate: bin },
  DATETIMEDIFF: { minArguments: 3, maxArguments: 3, evaluate: boundariesBetween },
  DATETIMEFORMAT: { minArguments: 2, maxArguments: 2, evaluate: formatted },
  DATETIMEFROMPARTS: { minArguments: 3, maxArguments: 7, evaluate: fromParts },
  DATETIMEPART: { minArguments: 2, maxArguments: 2, evaluate: partOfDateTime },
  DATETIMETOTICKS: ofDateTime(Number),
  DATETIMETOTIMESTAMP: ofDateTime(millisecondsOf),
  DAY: ofPart('day'),
  IS_DATETIME: ofOne((value) => ticksOf(value) !== undefined),
  MONTH: ofPart('month'),
  TICKSTODATETIME: ofCount(1n),
  TIMESTAMPTODATETIME: ofCount(10_000n),
  YEAR: ofPart('year'),
}
