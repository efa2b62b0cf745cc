const unitMs = new Map(Object.entries({ ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }))

/** A hundred years in milliseconds. An instant this far in the future is still a valid date. */
const longestMs = 36_525 * 86_400_000

/** A number of milliseconds, or a string with a unit (`'500ms'`, `'30s'`, `'1.5m'`, `'1h'`, `'2d'`). */
export type Duration = number | string

/** Returns the milliseconds of a positive duration of at most 100 years, or null for other values. */
export function durationMs(duration: Duration): number | null {
  const ms = lengthMs(duration)
  return (ms ?? 0) > 0 ? ms : null
}

/** Returns the milliseconds of a duration, which may be zero. Returns null if the value is not a duration. */
export function lengthMs(value: unknown): number | null {
  if (typeof value === 'number') return inBounds(value)
  if (typeof value !== 'string') return null
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)([a-z]+)$/.exec(value.trim()) ?? []
  return inBounds(Number(amount) * (unitMs.get(unit) ?? Number.NaN))
}

function inBounds(ms: number): number | null {
  return ms >= 0 && ms <= longestMs ? ms : null
}

/** A date, or a date and a time with its zone. A time without a zone would depend on the zone of each host. */
const instantPattern = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d))?$/

/**
 * Returns an instant in milliseconds since the epoch, or null if the text is not one in ISO 8601. A date is its first moment in
 * UTC.
 */
export function instantMs(text: string): number | null {
  // Without the pattern, `Date.parse` would find the year 4711 in "order 4711".
  const ms = instantPattern.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(ms) ? null : ms
}
