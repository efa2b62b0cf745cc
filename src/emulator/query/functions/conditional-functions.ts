import type { QueryFunction } from '../values/query-function.js'

/** Returns the item at a position. The first position is 1. */
function choose(position: unknown, ...items: readonly unknown[]): unknown {
  return typeof position === 'number' ? items[position - 1] : undefined
}

/** Functions that return one of their arguments. */
export const conditionalFunctions: Readonly<Record<string, QueryFunction>> = {
  CHOOSE: { minArguments: 2, maxArguments: Infinity, evaluate: choose },
  /** As in WHERE, only `true` counts. Any other condition selects the last argument. */
  IIF: {
    minArguments: 3,
    maxArguments: 3,
    evaluate: (condition, whenTrue, otherwise) => (condition === true ? whenTrue : otherwise),
  },
}
