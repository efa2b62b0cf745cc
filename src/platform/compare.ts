/** Compares two values for sorting, and returns -1, 0 or 1. Strings are compared by code units. */
export function compare<T extends string | number>(one: T, other: T): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
