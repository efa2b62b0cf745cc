import { ofOne } from '../values/query-function.js'
import { isInteger64, isObject, isPrimitive } from '../values/values.js'

/** Tests of a value's type. The result is always true or false, even for undefined values. */
export const typeFunctions = {
  IS_DEFINED: ofOne((value) => value !== undefined),
  IS_NULL: ofOne((value) => value === null),
  IS_BOOL: ofOne((value) => typeof value === 'boolean'),
  IS_NUMBER: ofOne((value) => typeof value === 'number'),
  IS_FINITE_NUMBER: ofOne((value) => Number.isFinite(value)),
  IS_INTEGER: ofOne(isInteger64),
  IS_STRING: ofOne((value) => typeof value === 'string'),
  IS_ARRAY: ofOne((value) => Array.isArray(value)),
  IS_OBJECT: ofOne(isObject),
  IS_PRIMITIVE: ofOne(isPrimitive),
}
