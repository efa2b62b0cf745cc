const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A length of time: milliseconds, or a number with a unit: `'500ms'`, `'30s'`, `'1.5m'`, `'1h'`, `'2d'`. */
export type Duration = number | string

/** The duration in milliseconds, or null when it is not one: positive, finite, with a known unit. */
export function durationMs(duration: Duration): number | null {
  if (typeof duration === 'number') return Number.isFinite(duration) && duration > 0 ? duration : null
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(duration.trim()) ?? []
  if (amount === undefined || unit === undefined) return null
  const ms = Number(amount) * (unitMs[unit] ?? Number.NaN)
  return ms > 0 ? ms : null
}
