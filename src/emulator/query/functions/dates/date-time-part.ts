import { dateTimeText, floorDivided, ticksOf } from './date-time.js'

/** A part of a date and time. Its length is in `nanoseconds` if it is fixed, and otherwise in `months`. */
interface Part {
  readonly names: readonly string[]
  readonly nanoseconds?: bigint
  readonly months?: number
  /** The place of the part in the full text of a date and time. */
  readonly from: number
  readonly to: number
}

const nanosecond: Part = { names: ['nanosecond', 'ns'], nanoseconds: 1n, from: 20, to: 27 }
const second = 1_000_000_000n

const parts: readonly Part[] = [
  { names: ['year', 'yyyy', 'yy'], months: 12, from: 0, to: 4 },
  { names: ['month', 'mm', 'm'], months: 1, from: 5, to: 7 },
  { names: ['day', 'dd', 'd'], nanoseconds: 86_400n * second, from: 8, to: 10 },
  { names: ['hour', 'hh'], nanoseconds: 3600n * second, from: 11, to: 13 },
  { names: ['minute', 'mi', 'n'], nanoseconds: 60n * second, from: 14, to: 16 },
  { names: ['second', 'ss', 's'], nanoseconds: second, from: 17, to: 19 },
  { names: ['millisecond', 'ms'], nanoseconds: 1_000_000n, from: 20, to: 23 },
  { names: ['microsecond', 'mcs'], nanoseconds: 1000n, from: 20, to: 26 },
  nanosecond,
]

const partsByName = new Map(parts.flatMap((part) => part.names.map((name) => [name, part] as const)))

const nanosecondsPerTick = 100n

function partNamed(name: unknown): Part | undefined {
  return typeof name === 'string' ? partsByName.get(name) : undefined
}

/**
 * Returns one part of a date and time as a number. Parts that are shorter than a second count from the last
 * full second.
 */
export function partOfDateTime(name: unknown, dateTime: unknown): number | undefined {
  const part = partNamed(name)
  const ticks = ticksOf(dateTime)
  if (part === undefined || ticks === undefined) return undefined
  const value = Number(dateTimeText(ticks)?.slice(part.from, part.to))
  return part === nanosecond ? value * Number(nanosecondsPerTick) : value
}

/**
 * Adds a whole number of a part, such as 3 days, to a time. If the resulting month lacks the day, the result
 * is its last day. Nanoseconds are rounded towards zero to hundreds.
 */
export function added(name: unknown, count: unknown, ticks: bigint | undefined): string | undefined {
  const part = partNamed(name)
  if (part === undefined || ticks === undefined || !isInteger(count)) return undefined
  if (part.nanoseconds === undefined) return monthsLater(count * (part.months ?? 0), ticks)
  return dateTimeText(ticks + (BigInt(count) * part.nanoseconds) / nanosecondsPerTick)
}

function monthsLater(count: number, ticks: bigint): string | undefined {
  const text = dateTimeText(ticks) ?? ''
  const months = monthsOf(text) + count
  const year = Math.floor(months / 12)
  if (year < 1 || year > 9999) return undefined
  const month = (months % 12) + 1
  const day = Math.min(Number(text.slice(8, 10)), daysIn(year, month))
  return `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}${text.slice(10)}`
}

/** Counts the months from the beginning of year 0 to the month in a text. */
function monthsOf(text: string): number {
  return Number(text.slice(0, 4)) * 12 + Number(text.slice(5, 7)) - 1
}

/** Returns the number of days in a month. The calendar repeats every 400 years. */
function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()
}

/**
 * Counts the boundaries of a part between two points in time, such as midnights for days. The count is
 * negative if `end` is before `start`.
 */
export function boundariesBetween(name: unknown, start: unknown, end: unknown): number | undefined {
  const part = partNamed(name)
  const [from, to] = [ticksOf(start), ticksOf(end)]
  if (part === undefined || from === undefined || to === undefined) return undefined
  const { nanoseconds, months = 1 } = part
  if (nanoseconds === undefined) {
    const [first, last] = [from, to].map((ticks) => Math.floor(monthsOf(dateTimeText(ticks) ?? '') / months))
    return (last ?? 0) - (first ?? 0)
  }
  const [first = 0n, last = 0n] = [from, to].map((ticks) =>
    floorDivided(ticks * nanosecondsPerTick, nanoseconds),
  )
  return Number(last - first)
}

/**
 * Returns the length of a bin in ticks. Returns undefined for years and months, for a count that is not a
 * positive integer, and for a length below one tick.
 */
export function ticksOfBin(name: unknown, count: unknown): bigint | undefined {
  const nanoseconds = partNamed(name)?.nanoseconds
  if (nanoseconds === undefined || !isInteger(count) || count <= 0) return undefined
  const ticks = (BigInt(count) * nanoseconds) / nanosecondsPerTick
  return ticks === 0n ? undefined : ticks
}

export function isInteger(value: unknown): value is number {
  return Number.isInteger(value)
}

export function padded(number: number, digits: number): string {
  return String(number).padStart(digits, '0')
}
