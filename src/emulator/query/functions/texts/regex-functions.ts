import type { QueryFunction } from '../../values/query-function.js'
import { regularExpression, type RegularExpression } from './regular-expression.js'

/**
 * Returns a function of a text, a pattern and modifiers. An invalid pattern, modifier or group makes the
 * result undefined.
 */
function ofExpression(
  maxArguments: number,
  compute: (expression: RegularExpression, text: string, group: number) => unknown,
): QueryFunction {
  return {
    minArguments: 2,
    maxArguments,
    evaluate: (text, pattern, ...rest) => {
      const [modifiers = '', group = 0] = rest
      if (rest.includes(undefined) || typeof text !== 'string') return undefined
      if (typeof pattern !== 'string' || typeof modifiers !== 'string') return undefined
      const expression = regularExpression(pattern, modifiers)
      if (expression === undefined || !isGroup(group, expression)) return undefined
      return compute(expression, text, group)
    },
  }
}

function isGroup(group: unknown, { groupCount }: RegularExpression): group is number {
  return typeof group === 'number' && Number.isInteger(group) && group >= 0 && group <= groupCount
}

/** Functions of regular expressions. */
export const regexFunctions = {
  REGEXEXTRACT: ofExpression(4, (expression, text, group) => expression.first(text, group)),
  REGEXEXTRACTALL: ofExpression(4, (expression, text, group) => expression.all(text, group)),
  REGEXMATCH: ofExpression(3, (expression, text) => expression.matches(text)),
}
