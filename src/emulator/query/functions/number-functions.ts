import type { QueryFunction } from './query-function.js'

function ofNumber(compute: (value: number) => number): QueryFunction {
  return {
    minArguments: 1,
    maxArguments: 1,
    evaluate: (value) => (typeof value === 'number' ? compute(value) + 0 : undefined),
  }
}

/** Functions of one number. The result for any other type is undefined. Zero is always written 0, never -0. */
export const numberFunctions: Readonly<Record<string, QueryFunction>> = {
  ABS: ofNumber(Math.abs),
  CEILING: ofNumber(Math.ceil),
  FLOOR: ofNumber(Math.floor),
  /** Rounds halves away from zero, unlike `Math.round`. */
  ROUND: ofNumber((value) => Math.sign(value) * Math.round(Math.abs(value))),
}
