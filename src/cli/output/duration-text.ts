const units: readonly (readonly [name: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
]

/** A duration in its largest unit, for people: `17 s`, `3 min`; `?` when it is not known. */
export function durationText(ms: number | null): string {
  if (ms === null) return '?'
  const [name, unitMs] = units.find(([, least]) => ms >= least) ?? ['s', 1_000]
  return `${Math.floor(ms / unitMs)} ${name}`
}
