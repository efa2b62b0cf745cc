import type { QueryFunction } from '../../values/query-function.js'
import { indexOf } from './text-search.js'

/**
 * Returns a function that searches a text for several parts. If `isDecidedBy` is true, one part that is found
 * makes the result true. If it is false, one missing part makes the result false. If no part decides the
 * result, a part that is not a string makes the result undefined, as in a chain of ORs or ANDs.
 */
function ofSeveral(isDecidedBy: boolean, ignoresCase: boolean): QueryFunction {
  const folded = (text: string): string => (ignoresCase ? text.toLowerCase() : text)
  return {
    minArguments: 2,
    maxArguments: Infinity,
    evaluate: (text, ...parts) => {
      if (typeof text !== 'string') return undefined
      const searched = folded(text)
      const found = parts.map((part) =>
        typeof part === 'string' ? indexOf(searched, folded(part)) >= 0 : undefined,
      )
      if (found.includes(isDecidedBy)) return isDecidedBy
      return found.includes(undefined) ? undefined : !isDecidedBy
    },
  }
}

const containsAllCi = ofSeveral(false, true)
const containsAllCs = ofSeveral(false, false)
const containsAnyCi = ofSeveral(true, true)
const containsAnyCs = ofSeveral(true, false)

/**
 * Functions that search for several texts. The names have underscores in the documentation, but not in .NET.
 */
export const containsFunctions = {
  CONTAINS_ALL_CI: containsAllCi,
  CONTAINS_ALL_CS: containsAllCs,
  CONTAINS_ANY_CI: containsAnyCi,
  CONTAINS_ANY_CS: containsAnyCs,
  CONTAINSALLCI: containsAllCi,
  CONTAINSALLCS: containsAllCs,
  CONTAINSANYCI: containsAnyCi,
  CONTAINSANYCS: containsAnyCs,
}
