import { jsonOf, refuseDeepValue } from '../language/query-limits.js'
import { ofOne, type QueryFunction } from '../values/query-function.js'
import { finite, isObject } from '../values/values.js'

/** Returns a function that reads a JSON text, and passes on a value of the wanted type. */
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
  return value
}

/** Conversions from and to texts. A text that is not JSON of the wanted type is undefined. */
export const conversionFunctions = {
  STRINGTOARRAY: ofJson((value) => shallow(Array.isArray(value) ? value : undefined)),
  STRINGTOBOOLEAN: ofJson((value) => (typeof value === 'boolean' ? value : undefined)),
  STRINGTONULL: ofJson((value) => (value === null ? null : undefined)),
  STRINGTONUMBER: ofJson((value) => (typeof value === 'number' ? finite(value) : undefined)),
  STRINGTOOBJECT: ofJson((value) => shallow(isObject(value) ? value : undefined)),
  TOSTRING: ofOne((value) => (typeof value === 'string' ? value : jsonOf(value))),
}
