const none: ReadonlySet<PropertyKey> = new Set()

/** Returns the number of names that are the same, from the first one on. */
function sameAtBegin(one: readonly PropertyKey[], other: readonly PropertyKey[]): number {
  let count = 0
  while (count < one.length && one[count] === other[count]) count += 1
  return count
}

/**
 * Adds the fields to a copy that only some documents have, after those that all have. Leaves out the omitted ones.
 *
 * @param order the fields that all documents have, in the order in which copies have them
 */
export function withOthers<D extends object>(
  copy: D,
  source: D,
  order: readonly PropertyKey[],
  omitted: ReadonlySet<PropertyKey> = none,
): D {
  const names = Object.keys(source) as (keyof D)[]
  // A document that was copied before has its fields in the order of copies.
  for (const name of names.slice(sameAtBegin(order, names))) {
    if (!Object.hasOwn(copy, name) && !omitted.has(name)) setOwn(copy, name, source[name])
  }
  return copy
}

function setOwn<D extends object>(copy: D, name: keyof D, value: D[keyof D]): void {
  if (name !== '__proto__') copy[name] = value
  else Object.defineProperty(copy, name, { value, writable: true, enumerable: true, configurable: true })
}
