/** The fields that each document of a kind has. */
export interface Fields {
  readonly count: number
  /** The last one in the order in which copies have them. */
  readonly last: string
}

const none: ReadonlySet<PropertyKey> = new Set()

/** Adds the fields to a copy that only some documents have, after those that all have. Leaves out the omitted ones. */
export function withOthers<D extends object>(
  copy: D,
  source: D,
  { count, last }: Fields,
  omitted: ReadonlySet<PropertyKey> = none,
): D {
  const names = Object.keys(source) as (keyof D)[]
  // A document that was copied before has its fields in the order of copies.
  const first = names[count - 1] === last ? count : 0
  for (const name of names.slice(first)) {
    if (!(name in copy) && !omitted.has(name)) copy[name] = source[name]
  }
  return copy
}
