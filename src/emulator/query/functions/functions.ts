import { currentTimeFunctions } from './current-time-functions.js'
import { dateTimeFunctions } from './date-time-functions.js'
import { documentFunctions } from './document-functions.js'
import { fullTextFunctions } from './full-text-functions.js'
import { ofOne, type QueryFunction, type TimeFunction } from './query-function.js'
import { spatialFunctions } from './spatial-functions.js'
import { stringFunctions } from './string-functions.js'
import { areEqual, isObject, isPrimitive } from './values.js'
import { vectorFunctions } from './vector-functions.js'

/** Tests of a value's type. The result is always true or false, even for undefined values. */
const typeFunctions = {
  IS_DEFINED: ofOne((value) => value !== undefined),
  IS_NULL: ofOne((value) => value === null),
  IS_BOOL: ofOne((value) => typeof value === 'boolean'),
  IS_NUMBER: ofOne((value) => typeof value === 'number'),
  IS_STRING: ofOne((value) => typeof value === 'string'),
  IS_ARRAY: ofOne((value) => Array.isArray(value)),
  IS_OBJECT: ofOne(isObject),
  IS_PRIMITIVE: ofOne(isPrimitive),
}

/**
 * Returns a function of a number. The result for any other type is undefined. Zero is always written 0, never
 * -0.
 */
function ofNumber(compute: (value: number) => number): QueryFunction {
  return ofOne((value) => (typeof value === 'number' ? compute(value) + 0 : undefined))
}

const numberFunctions = {
  ABS: ofNumber(Math.abs),
  CEILING: ofNumber(Math.ceil),
  FLOOR: ofNumber(Math.floor),
  /** Rounds halves away from zero, unlike `Math.round`. */
  ROUND: ofNumber((value) => Math.sign(value) * Math.round(Math.abs(value))),
}

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
const arrayFunctions = {
  /**
   * With `true` as third argument, an object matches if it has the wanted properties, whatever else it has.
   */
  ARRAY_CONTAINS: { minArguments: 2, maxArguments: 3, evaluate: arrayContains },
  ARRAY_LENGTH: ofOne((array) => (Array.isArray(array) ? array.length : undefined)),
}

/** Functions by upper-case name. */
export const functions: ReadonlyMap<string, QueryFunction | TimeFunction> = new Map(
  Object.entries<QueryFunction | TimeFunction>({
    ...typeFunctions,
    ...stringFunctions,
    ...numberFunctions,
    ...arrayFunctions,
    ...currentTimeFunctions,
    ...dateTimeFunctions,
    ...documentFunctions,
    ...spatialFunctions,
    ...vectorFunctions,
    ...fullTextFunctions,
  }),
)
