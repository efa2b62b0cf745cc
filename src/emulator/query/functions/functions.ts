import { arrayFunctions } from './array-functions.js'
import { numberFunctions } from './number-functions.js'
import type { QueryFunction } from './query-function.js'
import { stringFunctions } from './string-functions.js'
import { typeFunctions } from './type-functions.js'

/** Functions by upper-case name. */
export const functions: ReadonlyMap<string, QueryFunction> = new Map(
  Object.entries({ ...typeFunctions, ...stringFunctions, ...numberFunctions, ...arrayFunctions }),
)
