import { refuseLongResult } from '../../language/query-limits.js'
import { ofOne, type QueryFunction } from '../../values/query-function.js'
import { areEqual, isObject } from '../../values/values.js'

function includesPart(item: unknown, part: unknown): boolean {
  if (!isObject(part)) return areEqual(item, part)
  if (!isObject(item)) return false
  return Object.entries(part).every(
    ([name, value]) => Object.hasOwn(item, name) && areEqual(item[name], value),
  )
}

function arrayContains(array: unknown, wanted: unknown, isPartial: unknown = false): boolean | undefined {
  if (!Array.isArray(array) || wanted === undefined || typeof isPartial !== 'boolean') return undefined
  return array.some((item) => (isPartial ? includesPart(item, wanted) : areEqual(item, wanted)))
}

function arrayConcat(...arrays: readonly unknown[]): readonly unknown[] | undefined {
  if (!arrays.every((array): array is readonly unknown[] => Array.isArray(array))) return undefined
  // The JSON of an item has at least one character, and a comma.
  refuseLongResult(arrays.reduce((total, array) => total + 2 * array.length, 0))
  return arrays.flat()
}

/** Returns at most `length` items. A negative start counts from the end. */
function arraySlice(array: unknown, start: unknown, ...rest: readonly unknown[]): unknown {
  const length = rest.length === 0 ? Number.MAX_SAFE_INTEGER : rest[0]
  if (!Array.isArray(array) || !isWhole(start) || !isWhole(length)) return undefined
  const from = start < 0 ? Math.max(0, start + array.length) : start
  return array.slice(from, from + Math.max(0, length))
}

function isWhole(value: unknown): value is number {
  return Number.isInteger(value)
}

/** Returns one object for each property, with its name and its value. */
function objectToArray(object: unknown, ...keys: readonly unknown[]): unknown {
  const [nameKey = 'k', valueKey = 'v'] = keys
  if (!isObject(object) || keys.includes(undefined)) return undefined
  if (typeof nameKey !== 'string' || typeof valueKey !== 'string') return undefined
  const properties = Object.entries(object)
  refuseLongResult(properties.length * (nameKey.length + valueKey.length))
  return properties.map(([name, value]) =>
    Object.fromEntries([
      [nameKey, name],
      [valueKey, value],
    ]),
  )
}

/** Functions of arrays, and OBJECTTOARRAY. The result for an argument of any other type is undefined. */
export const arrayFunctions: Readonly<Record<string, QueryFunction>> = {
  ARRAY_CONCAT: { minArguments: 2, maxArguments: Infinity, evaluate: arrayConcat },
  /**
   * With `true` as the third argument, an object matches if it has at least the properties of the second
   * argument.
   */
  ARRAY_CONTAINS: { minArguments: 2, maxArguments: 3, evaluate: arrayContains },
  ARRAY_LENGTH: ofOne((array) => (Array.isArray(array) ? array.length : undefined)),
  ARRAY_SLICE: { minArguments: 2, maxArguments: 3, evaluate: arraySlice },
  OBJECTTOARRAY: { minArguments: 1, maxArguments: 3, evaluate: objectToArray },
}
