import type { QueryFunction } from './query-function.js'
import { areEqual, isObject } from './values.js'

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

/** Functions of arrays. The result for any other type is undefined. */
export const arrayFunctions: Readonly<Record<string, QueryFunction>> = {
  /** With `true` as third argument, an object matches if it has the wanted properties, whatever else it has. */
  ARRAY_CONTAINS: { minArguments: 2, maxArguments: 3, evaluate: arrayContains },
  ARRAY_LENGTH: {
    minArguments: 1,
    maxArguments: 1,
    evaluate: (array) => (Array.isArray(array) ? array.length : undefined),
  },
}
