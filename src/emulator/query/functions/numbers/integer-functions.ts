import { ofOne, type QueryFunction } from '../../values/query-function.js'
import { isInteger64 } from '../../values/values.js'

const largest = 2n ** 63n - 1n

/**
 * Converts a number to an integer. The number 2^63 becomes the largest integer (2^63 - 1), which JavaScript
 * rounds to 2^63.
 */
function integerOf(value: number): bigint {
  const exact = BigInt(value)
  return exact > largest ? largest : exact
}

/** Converts a result to a number. A result of more than 64 bits loses its upper bits. */
function numberOf(result: bigint): number {
  return Number(BigInt.asIntN(64, result))
}

function ofTwoIntegers(compute: (one: bigint, other: bigint) => bigint | undefined): QueryFunction {
  return {
    minArguments: 2,
    maxArguments: 2,
    evaluate: (one, other) => {
      if (!isInteger64(one) || !isInteger64(other)) return undefined
      const result = compute(integerOf(one), integerOf(other))
      return result === undefined ? undefined : numberOf(result)
    },
  }
}

/** Returns the number of bits to shift by: the lowest six bits of the argument, as in processors. */
function shiftOf(bits: bigint): bigint {
  return BigInt.asUintN(6, bits)
}

/** Functions of signed 64-bit integers. The result for a fraction or any other type is undefined. */
export const integerFunctions = {
  INTADD: ofTwoIntegers((one, other) => one + other),
  INTBITAND: ofTwoIntegers((one, other) => one & other),
  INTBITLEFTSHIFT: ofTwoIntegers((one, bits) => one << shiftOf(bits)),
  INTBITNOT: ofOne((value) => (isInteger64(value) ? numberOf(~integerOf(value)) : undefined)),
  INTBITOR: ofTwoIntegers((one, other) => one | other),
  INTBITRIGHTSHIFT: ofTwoIntegers((one, bits) => one >> shiftOf(bits)),
  INTBITXOR: ofTwoIntegers((one, other) => one ^ other),
  INTDIV: ofTwoIntegers((one, other) => (other === 0n ? undefined : one / other)),
  INTMOD: ofTwoIntegers((one, other) => (other === 0n ? undefined : one % other)),
  INTMUL: ofTwoIntegers((one, other) => one * other),
  INTSUB: ofTwoIntegers((one, other) => one - other),
}
