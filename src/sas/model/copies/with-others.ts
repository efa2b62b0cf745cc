const none: ReadonlySet<PropertyKey> = new Set()

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
  let place = 0
  // This loop makes no list of the names. A document inherits no fields.
  for (const name in source) {
    // If the document itself is a copy, it has its fields in this order, so its first names need no further check.
    if (name === order[place]) place += 1
    else if (!Object.hasOwn(copy, name) && !omitted.has(name)) setOwn(copy, name, source[name])
  }
  return copy
}

function setOwn<D extends object>(copy: D, name: keyof D, value: D[keyof D]): void {
  if (name !== '__proto__') copy[name] = value
  else Object.defineProperty(copy, name, { value, writable: true, enumerable: true, configurable: true })
}
