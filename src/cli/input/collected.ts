/** Collects the values of an option that may be repeated. */
export function collected(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}
