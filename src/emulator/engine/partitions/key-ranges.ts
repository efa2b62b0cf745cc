/**
 * An interval of effective partition keys in upper-case hexadecimal, from `min` (inclusive) to `max`
 * (exclusive). The whole key space is `""` to `"FF"`.
 */
export interface KeyRange {
  readonly min: string
  readonly max: string
}

export const wholeKeySpace: KeyRange = { min: '', max: 'FF' }

export function contains(range: KeyRange, key: string): boolean {
  return key >= range.min && key < range.max
}

export function intersection(one: KeyRange, other: KeyRange): KeyRange | null {
  const min = one.min > other.min ? one.min : other.min
  const max = one.max < other.max ? one.max : other.max
  return min < max ? { min, max } : null
}
