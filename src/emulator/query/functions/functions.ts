import { arrayFunctions } from './array-functions.js'
import { arraySummaryFunctions } from './array-summary-functions.js'
import { conditionalFunctions } from './conditional-functions.js'
import { conversionFunctions } from './conversion-functions.js'
import { integerFunctions } from './integer-functions.js'
import { mathematicalFunctions } from './mathematical-functions.js'
import type { QueryFunction } from './query-function.js'
import { randomFunctions } from './random-functions.js'
import { regexFunctions } from './regex-functions.js'
import { setFunctions } from './set-functions.js'
import { stringFunctions } from './string-functions.js'
import { stringPartFunctions } from './string-part-functions.js'
import { trimFunctions } from './trim-functions.js'
import { typeFunctions } from './type-functions.js'

/** Functions by upper-case name. */
export const functions: ReadonlyMap<string, QueryFunction> = new Map(
  Object.entries({
    ...typeFunctions,
    ...conditionalFunctions,
    ...conversionFunctions,
    ...stringFunctions,
    ...stringPartFunctions,
    ...trimFunctions,
    ...regexFunctions,
    ...mathematicalFunctions,
    ...integerFunctions,
    ...randomFunctions,
    ...arrayFunctions,
    ...arraySummaryFunctions,
    ...setFunctions,
  }),
)
