import { ofOne, type QueryFunction } from '../../values/query-function.js'
import { finite } from '../../values/values.js'

/** Returns a function of a number. The result for any other type is undefined. */
function ofNumber(compute: (value: number) => number): QueryFunction {
  return ofOne((value) => (typeof value === 'number' ? finite(compute(value)) : undefined))
}

/** Returns a function of two numbers. If `minArguments` is 1, `otherwise` is the default for the second. */
function ofTwoNumbers(
  compute: (value: number, other: number) => number,
  { minArguments = 2, otherwise = NaN } = {},
): QueryFunction {
  return {
    minArguments,
    maxArguments: 2,
    evaluate: (value, ...rest) => {
      const other = rest.length === 0 ? otherwise : rest[0]
      return typeof value === 'number' && typeof other === 'number'
        ? finite(compute(value, other))
        : undefined
    },
  }
}

/** Computes logarithms to the bases e and 10 directly, because a quotient of two logarithms is less exact. */
function logarithm(value: number, base: number): number {
  if (base === Math.E) return Math.log(value)
  if (base === 10) return Math.log10(value)
  return base === 0 ? NaN : Math.log(value) / Math.log(base)
}

/** Functions of numbers. A result that is infinite or not a number is undefined, because JSON has neither. */
export const mathematicalFunctions = {
  ABS: ofNumber(Math.abs),
  ACOS: ofNumber(Math.acos),
  ASIN: ofNumber(Math.asin),
  ATAN: ofNumber(Math.atan),
  ATN2: ofTwoNumbers(Math.atan2),
  CEILING: ofNumber(Math.ceil),
  COS: ofNumber(Math.cos),
  COT: ofNumber((value) => 1 / Math.tan(value)),
  DEGREES: ofNumber((value) => (value * 180) / Math.PI),
  EXP: ofNumber(Math.exp),
  FLOOR: ofNumber(Math.floor),
  LOG: ofTwoNumbers(logarithm, { minArguments: 1, otherwise: Math.E }),
  LOG10: ofNumber(Math.log10),
  /** Rounds down to a multiple of the size, or up if the size is negative. */
  NUMBERBIN: ofTwoNumbers((value, size) => Math.floor(value / size) * size, {
    minArguments: 1,
    otherwise: 1,
  }),
  PI: { minArguments: 0, maxArguments: 0, evaluate: () => Math.PI },
  POWER: ofTwoNumbers((value, exponent) => value ** exponent),
  RADIANS: ofNumber((value) => (value * Math.PI) / 180),
  /** Rounds halves away from zero, unlike `Math.round`. */
  ROUND: ofNumber((value) => Math.sign(value) * Math.round(Math.abs(value))),
  SIGN: ofNumber(Math.sign),
  SIN: ofNumber(Math.sin),
  SQRT: ofNumber(Math.sqrt),
  SQUARE: ofNumber((value) => value * value),
  TAN: ofNumber(Math.tan),
  TRUNC: ofNumber(Math.trunc),
}
