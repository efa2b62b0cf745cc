import { arrayFunctions } from './array-functions.js'
import { arraySummaryFunctions } from './array-summary-functions.js'
import { conditionalFunctions } from './conditional-functions.js'
import { integerFunctions } from './integer-functions.js'
import { mathematicalFunctions } from './mathematical-functions.js'
import type { QueryFunction } from './query-function.js'
import { randomFunctions } from './random-functions.js'
import { setFunctions } from './set-functions.js'
import { stringFunctions } from './string-functions.js'
import { typeFunctions } from './type-functions.js'

/** Functions by upper-case name. */
export const functions: ReadonlyMap<string, QueryFunction> = new Map(
  Object.entries({
    ...typeFunctions,
    ...conditionalFunctions,
    ...stringFunctions,
    ...mathematicalFunctions,
    ...integerFunctions,
    ...randomFunctions,
    ...arrayFunctions,
    ...arraySummaryFunctions,
    ...setFunctions,
  }),
)
