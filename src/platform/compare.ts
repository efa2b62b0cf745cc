/**
 * Returns -1 if `one` is less than `other`, 0 if they are equal, and 1 if `one` is greater. Texts are
 * compared by code units.
 */
export function compare<T extends string | number>(one: T, other: T): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
