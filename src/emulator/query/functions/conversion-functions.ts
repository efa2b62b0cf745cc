import { jsonOf, refuseDeepValue } from '../language/query-limits.js'
import { ofOne, type QueryFunction } from '../values/query-function.js'
import { finite, isObject } from '../values/values.js'

/**
 * Returns a function that parses a JSON text and then converts the value. The result for an invalid text is
 * undefined.
 */
function ofJson(convert: (value: unknown) => unknown): QueryFunction {
  return ofOne((text) => (typeof text === 'string' ? convert(parsed(text)) : undefined))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function shallow(value: object | undefined): object | undefined {
  refuseDeepValue(value)
  return isFinite(value) ? value : undefined
}

/** Checks that a value contains no number that JSON cannot hold, such as `1e999`. */
function isFinite(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  return typeof value !== 'object' || value === null || Object.values(value).every(isFinite)
}

/**
 * Conversions from strings and to strings. The result for a string that is not JSON of the right type is
 * undefined.
 */
export const conversionFunctions = {
  STRINGTOARRAY: ofJson((value) => shallow(Array.isArray(value) ? value : undefined)),
  STRINGTOBOOLEAN: ofJson((value) => (typeof value === 'boolean' ? value : undefined)),
  STRINGTONULL: ofJson((value) => (value === null ? null : undefined)),
  STRINGTONUMBER: ofJson((value) => (typeof value === 'number' ? finite(value) : undefined)),
  STRINGTOOBJECT: ofJson((value) => shallow(isObject(value) ? value : undefined)),
  TOSTRING: ofOne((value) => (typeof value === 'string' ? value : jsonOf(value))),
}
