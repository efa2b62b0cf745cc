/** The types of values in the service's order. */
const kinds = ['undefined', 'null', 'boolean', 'number', 'string', 'array', 'object']

function rankOf(value: unknown): number {
  return kinds.indexOf(value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)
}

/** Checks whether a value is a JSON object: neither null nor an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns an element of an array, or a property of an object. Returns undefined for any other value. */
export function memberOf(value: unknown, key: unknown): unknown {
  if (Array.isArray(value)) return typeof key === 'number' ? (value[key] as unknown) : undefined
  return typeof key === 'string' && isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

/** Checks whether a value is null, a boolean, a number or a string. */
export function isPrimitive(value: unknown): value is null | boolean | number | string {
  return value === null || ['boolean', 'number', 'string'].includes(typeof value)
}

/**
 * Checks whether a value is a signed 64-bit integer. 2^63 counts as one, because JavaScript rounds the
 * largest integer (2^63 - 1) to it.
 */
export function isInteger64(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= 2 ** 63
}

/** Returns a number as JSON holds it: undefined for infinity and NaN, and 0 for -0. */
export function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value + 0 : undefined
}

/** Compares two values by type and content, including the contents of arrays and objects. */
export function areEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => areEqual(item, right[index]))
    )
  }
  if (!isObject(left) || !isObject(right)) return false
  const names = Object.keys(left)
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && areEqual(left[name], right[name]))
  )
}

/**
 * Compares values as ORDER BY, MIN and MAX do: by type, then by value. The service promises no order among
 * arrays or among objects. Here they have an order, so that equal values are neighbours.
 */
export function compareValues(left: unknown, right: unknown): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right
  if (typeof left === 'string' && typeof right === 'string') return compareAlike(left, right)
  const difference = rankOf(left) - rankOf(right)
  if (difference !== 0) return difference
  if (isOrdered(left) && isOrdered(right)) return compareAlike(left, right)
  if (Array.isArray(left) && Array.isArray(right)) return compareItems(left, right)
  return isObject(left) && isObject(right) ? compareItems(sortedEntries(left), sortedEntries(right)) : 0
}

/** Compares the first items that differ. If one array is the beginning of the other, it comes first. */
function compareItems(left: readonly unknown[], right: readonly unknown[]): number {
  for (let index = 0; index < left.length && index < right.length; index += 1) {
    const difference = compareValues(left[index], right[index])
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

function sortedEntries(object: object): readonly (readonly [string, unknown])[] {
  return Object.entries(object).sort(([left], [right]) => compareAlike(left, right))
}

/**
 * Compares two values for `<` and similar operators. Returns undefined when they have no order: different
 * types, arrays, objects.
 */
export function compareForOperators(left: unknown, right: unknown): number | undefined {
  if (left === null && right === null) return 0
  if (typeof left !== typeof right || !isOrdered(left) || !isOrdered(right)) return undefined
  return compareAlike(left, right)
}

type Ordered = boolean | number | string

function isOrdered(value: unknown): value is Ordered {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

function compareAlike(left: Ordered, right: Ordered): number {
  return left < right ? -1 : left > right ? 1 : 0
}

/** Returns a text that is the same for two values if and only if they are equal. */
export function canonicalText(value: unknown): string {
  if (typeof value !== 'object') return JSON.stringify(value)
  return JSON.stringify(value, (_name, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(sortedEntries(inner)) : inner,
  )
}
