import { arrayFunctions } from './arrays/array-functions.js'
import { arraySummaryFunctions } from './arrays/array-summary-functions.js'
import { conditionalFunctions } from './conditional-functions.js'
import { containsFunctions } from './texts/contains-functions.js'
import { conversionFunctions } from './conversion-functions.js'
import { integerFunctions } from './numbers/integer-functions.js'
import { mathematicalFunctions } from './numbers/mathematical-functions.js'
import { currentTimeFunctions } from './dates/current-time-functions.js'
import { dateTimeFunctions } from './dates/date-time-functions.js'
import { documentFunctions } from './document-functions.js'
import { fullTextFunctions } from './full-text/full-text-functions.js'
import { spatialFunctions } from './spatial/spatial-functions.js'
import { vectorFunctions } from './vector-functions.js'
import type { QueryFunction, TimeFunction } from '../values/query-function.js'
import { randomFunctions } from './numbers/random-functions.js'
import { regexFunctions } from './texts/regex-functions.js'
import { setFunctions } from './arrays/set-functions.js'
import { stringFunctions } from './texts/string-functions.js'
import { stringPartFunctions } from './texts/string-part-functions.js'
import { trimFunctions } from './texts/trim-functions.js'
import { typeFunctions } from './type-functions.js'

/**
 * The upper-case names of slow functions. A single call can take about one second, because the limits of
 * these functions allow many steps over a long value.
 */
export const slowFunctions: ReadonlySet<string> = new Set(
  [regexFunctions, spatialFunctions, fullTextFunctions].flatMap((group) => Object.keys(group)),
)

/** Functions by upper-case name. */
export const functions: ReadonlyMap<string, QueryFunction | TimeFunction> = new Map(
  Object.entries<QueryFunction | TimeFunction>({
    ...typeFunctions,
    ...conditionalFunctions,
    ...conversionFunctions,
    ...stringFunctions,
    ...stringPartFunctions,
    ...containsFunctions,
    ...trimFunctions,
    ...regexFunctions,
    ...mathematicalFunctions,
    ...integerFunctions,
    ...randomFunctions,
    ...arrayFunctions,
    ...arraySummaryFunctions,
    ...setFunctions,
    ...currentTimeFunctions,
    ...dateTimeFunctions,
    ...documentFunctions,
    ...spatialFunctions,
    ...vectorFunctions,
    ...fullTextFunctions,
  }),
)
