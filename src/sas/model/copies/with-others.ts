const none: ReadonlySet<PropertyKey> = new Set()

/** Returns how many names at the beginning of both lists are the same. */
function sameAtBegin(one: readonly PropertyKey[], other: readonly PropertyKey[]): number {
  let count = 0
  while (count < one.length && one[count] === other[count]) count += 1
  return count
}

/**
 * Adds to a copy the fields that only some documents have, after those that all documents have. Leaves out the omitted
 * fields.
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
  // A document that is a copy itself has its fields in this order, so the first names need no look.
  for (const name of names.slice(sameAtBegin(order, names))) {
    if (!Object.hasOwn(copy, name) && !omitted.has(name)) setOwn(copy, name, source[name])
  }
  return copy
}

function setOwn<D extends object>(copy: D, name: keyof D, value: D[keyof D]): void {
  if (name !== '__proto__') copy[name] = value
  else Object.defineProperty(copy, name, { value, writable: true, enumerable: true, configurable: true })
}
