import { describe, expect, it } from 'vitest'
import { rowsOf, rowsWith, type Row } from './rows-of.js'

const ofTwoIntegers = [
  ...['INTADD', 'INTBITAND', 'INTBITLEFTSHIFT', 'INTBITOR', 'INTBITRIGHTSHIFT', 'INTBITXOR', 'INTDIV'],
  ...['INTMOD', 'INTMUL', 'INTSUB'],
]

const wrong = ['0.5', 'undefined', 'null', 'true', '"1"', '[1]', '1e19', '-1e19', 'c.nothing']

describe('an integer function', () => {
  it.each<Row>([
    ['IntAdd(20, 10)', 30],
    ['IntAdd(20, 0)', 20],
    ['IntBitAnd(15, 25)', 9],
    ['IntBitAnd(15, 0)', 0],
    ['IntBitAnd(15, 15)', 15],
    ['IntBitLeftShift(16, 4)', 256],
    ['IntBitNot(65)', -66],
    ['IntBitNot(0)', -1],
    ['IntBitOr(56, 100)', 124],
    ['IntBitOr(56, 56)', 56],
    ['IntBitOr(56, 0)', 56],
    ['IntBitRightShift(16, 4)', 1],
    ['IntBitXor(56, 100)', 92],
    ['IntBitXor(56, 56)', 0],
    ['IntBitXor(56, 0)', 56],
    ['IntDiv(10, 2)', 5],
    ['IntDiv(10, -2)', -5],
    ['IntDiv(-10, -2)', 5],
    ['IntDiv(10, 10)', 1],
    ['IntDiv(10, 0)', undefined],
    ['IntMod(12, 5)', 2],
    ['IntMod(12, -5)', 2],
    ['IntMod(-12, -5)', -2],
    ['IntMod(15, 5)', 0],
    ['IntMod(12, 0)', undefined],
    ['IntMul(5, 2)', 10],
    ['IntMul(5, -2)', -10],
    ['IntMul(-5, -2)', 10],
    ['IntMul(5, IntMul(5, 5))', 125],
    ['IntMul(5, 0)', 0],
    ['IntSub(25, 50)', -25],
    ['IntSub(25, 15)', 10],
    ['IntSub(25, 25)', 0],
    ['IntSub(25, 0)', 25],
  ])('returns the documented value: %s', (expression, value) => {
    expect(rowsOf(expression)).toEqual(rowsWith(value))
  })

  it.each<Row>([
    ['INTDIV(7, 2)', 3],
    ['INTDIV(-7, 2)', -3],
    ['INTADD(2.0, 1)', 3],
    ['INTBITAND(-1, 4294967296)', 2 ** 32],
    ['INTBITOR(4294967296, 1)', 2 ** 32 + 1],
    ['INTBITXOR(-1, 4294967295)', -(2 ** 32)],
    ['INTBITRIGHTSHIFT(-16, 2)', -4],
    ['INTBITLEFTSHIFT(1, 40)', 2 ** 40],
    ['INTMUL(3037000500, 3)', 9111001500],
    ['INTMOD(9007199254740992, 10)', 2],
    ['INTSUB(9223372036854775807, 9223372036854775807)', 0],
    ['INTADD(9223372036854775807, 0)', 2 ** 63],
    ['INTBITNOT(9223372036854775807)', -(2 ** 63)],
  ])('computes with all 64 bits: %s', (expression, value) => {
    expect(rowsOf(expression)).toEqual([value])
  })

  it.each<Row>([
    ['INTADD(9223372036854775807, 1)', -(2 ** 63)],
    ['INTSUB(-9223372036854775808, 1)', 2 ** 63],
    ['INTMUL(4294967296, 4294967296)', 0],
    ['INTDIV(-9223372036854775808, -1)', -(2 ** 63)],
    ['INTBITLEFTSHIFT(1, 63)', -(2 ** 63)],
    ['INTBITLEFTSHIFT(1, 64)', 1],
    ['INTBITLEFTSHIFT(1, -1)', -(2 ** 63)],
    ['INTBITRIGHTSHIFT(8, 9007199254740992)', 8],
    ['INTBITLEFTSHIFT(3, 9223372036854775807)', -(2 ** 63)],
  ])('keeps 64 bits of a larger result, which the service does not document: %s', (expression, value) => {
    expect(rowsOf(expression)).toEqual([value])
  })

  it.each(['INTMUL(5, -0)', 'INTMUL(-5, 0)', 'INTDIV(-1, 2)', 'INTMOD(-5, 5)'])(
    'returns 0 instead of -0: %s',
    (expression) => {
      expect(Object.is(rowsOf(expression)[0], 0)).toBe(true)
    },
  )

  it.each([
    ...ofTwoIntegers.flatMap((name) =>
      wrong.flatMap((value) => [`${name}(20, ${value})`, `${name}(${value}, 20)`]),
    ),
    ...wrong.map((value) => `INTBITNOT(${value})`),
  ])('is undefined for any value but an integer of 64 bits: %s', (expression) => {
    expect(rowsOf(expression)).toEqual([])
  })

  it.each([
    ...ofTwoIntegers.map((name) => `${name}(1)`),
    'INTBITNOT()',
    'INTBITNOT(1, 2)',
    'INTADD(1, 2, 3)',
  ])('refuses a wrong count of arguments: %s', (expression) => {
    expect(() => rowsOf(expression)).toThrow(expect.objectContaining({ code: 'SC2050' }) as Error)
  })
})
