import type { QueryFunction } from './query-function.js'
import { isObject, isPrimitive } from './values.js'

function test(holds: (value: unknown) => boolean): QueryFunction {
  return { minArguments: 1, maxArguments: 1, evaluate: holds }
}

/** Tests of a value's type. The result is always true or false, even for undefined values. */
export const typeFunctions: Readonly<Record<string, QueryFunction>> = {
  IS_DEFINED: test((value) => value !== undefined),
  IS_NULL: test((value) => value === null),
  IS_BOOL: test((value) => typeof value === 'boolean'),
  IS_NUMBER: test((value) => typeof value === 'number'),
  IS_STRING: test((value) => typeof value === 'string'),
  IS_ARRAY: test((value) => Array.isArray(value)),
  IS_OBJECT: test(isObject),
  IS_PRIMITIVE: test(isPrimitive),
}
