/** Compares two values as `<` does, texts therefore by their code units. Returns a negative number, 0 or a positive. */
export function compare<T extends string | bigint>(one: T, other: T): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
