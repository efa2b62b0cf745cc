const units: readonly (readonly [name: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
]

/**
 * Formats a duration in its largest unit, such as `17 s` or `3 min`. Returns `?` if the duration is unknown.
 */
export function durationText(ms: number | null): string {
  if (ms === null) return '?'
  const [name, unitMs] = units.find(([, least]) => ms >= least) ?? ['s', 1_000]
  return `${Math.floor(ms / unitMs)} ${name}`
}
