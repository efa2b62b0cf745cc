/**
 * Points in time, in the service's unit: ticks of 100 nanoseconds since the beginning of 1970. Ticks are
 * bigints, because a JavaScript number cannot hold today's ticks exactly.
 */

/** A date, or a date and a time, with up to 7 digits of fractional seconds. The zone is always UTC. */
const form = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,7}))?)?Z?$/

const longestText = '9999-12-31T23:59:59.9999999Z'.length

const ticksPerMillisecond = 10_000n
const firstTicks = BigInt(Date.parse('0001-01-01T00:00:00Z')) * ticksPerMillisecond
const endTicks = BigInt(Date.parse('+010000-01-01T00:00:00Z')) * ticksPerMillisecond

/** Reads a date and time. Returns undefined for any other value, such as 30 February. */
export function ticksOf(value: unknown): bigint | undefined {
  if (typeof value !== 'string' || value.length > longestText) return undefined
  const [, date, time = '00:00:00', fraction = ''] = form.exec(value) ?? []
  if (date === undefined) return undefined
  const seconds = `${date}T${time}`
  const milliseconds = Date.parse(`${seconds}Z`)
  if (Number.isNaN(milliseconds)) return undefined
  // JavaScript reads 30 February as a day in March, and 24:00:00 as a time on the next day.
  if (!new Date(milliseconds).toISOString().startsWith(seconds)) return undefined
  const ticks = BigInt(milliseconds) * ticksPerMillisecond + BigInt(fraction.padEnd(7, '0'))
  return ticks < firstTicks ? undefined : ticks
}

/** Returns the text `YYYY-MM-DDThh:mm:ss.fffffffZ`, or undefined outside the years 1 to 9999. */
export function dateTimeText(ticks: bigint): string | undefined {
  if (ticks < firstTicks || ticks >= endTicks) return undefined
  const milliseconds = millisecondsOf(ticks)
  const rest = String(ticks - BigInt(milliseconds) * ticksPerMillisecond).padStart(4, '0')
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${rest}Z`
}

/** Returns the milliseconds from 1970 to a point in time, rounded down. */
export function millisecondsOf(ticks: bigint): number {
  return Number(floorDivided(ticks, ticksPerMillisecond))
}

/** Returns the ticks of a time in milliseconds since 1970. Keeps fractions of a millisecond. */
export function ticksOfMilliseconds(milliseconds: number): bigint {
  const whole = Math.floor(milliseconds)
  const fraction = Math.floor((milliseconds - whole) * Number(ticksPerMillisecond))
  return BigInt(whole) * ticksPerMillisecond + BigInt(fraction)
}

/** Divides by a positive number and rounds down, even if the quotient is negative. */
export function floorDivided(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  return dividend % divisor < 0n ? quotient - 1n : quotient
}
