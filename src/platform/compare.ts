/**
 * Returns -1, 0 or 1 as `one` is less than, equal to or greater than `other`. Texts compare by code units.
 */
export function compare<T extends string | number>(one: T, other: T): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
