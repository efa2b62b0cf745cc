import { describe, expect, it } from 'vitest'
import { rowsOf, rowsWith, type Row } from './rows-of.js'

const ofOneNumber = [
  ...['ABS', 'ACOS', 'ASIN', 'ATAN', 'CEILING', 'COS', 'COT', 'DEGREES', 'EXP', 'FLOOR', 'LOG', 'LOG10'],
  ...['NUMBERBIN', 'RADIANS', 'ROUND', 'SIGN', 'SIN', 'SQRT', 'SQUARE', 'TAN', 'TRUNC'],
]

const ofTwoNumbers = ['ATN2', 'LOG', 'NUMBERBIN', 'POWER']

const wrong = ['undefined', 'null', 'true', '"0.5"', '[0.5]', '{"a": 0.5}', 'c.nothing']

describe('a mathematical function', () => {
  it.each<Row>([
    ['ACOS(-1)', 3.141592653589793],
    ['ATAN(-45.01)', -1.5485826962062663],
    ['ATN2(35.175643, 129.44)', 0.265344532064832],
    ['CEILING(123.45)', 124],
    ['CEILING(-45.72)', -45],
    ['CEILING(0)', 0],
    ['COS(14.78)', -0.5994654261946543],
    ['COT(124.1332)', -0.040311998371148884],
    ['DEGREES(1.5707963267948966)', 90],
    ['DEGREES(3.141592653589793)', 180],
    ['DEGREES(4.71238898038469)', 270],
    ['DEGREES(6.283185307179586)', 360],
    ['EXP(0)', 1],
    ['EXP(10)', 22026.465794806718],
    ['EXP(20)', 485165195.4097903],
    ['FLOOR(62.6)', 62],
    ['FLOOR(-145.12)', -146],
    ['FLOOR(0.2989)', 0],
    ['FLOOR(0.0)', 0],
    ['LOG(5)', 1.6094379124341003],
    ['LOG(2, 10)', 0.3010299956639812],
    ['LOG10(5)', 0.6989700043360189],
    ['LOG10(2)', 0.3010299956639812],
    ['LOG10(100)', 2],
    ['NUMBERBIN(37.752, -100)', 100],
    ['NUMBERBIN(37.752, 10)', 30],
    ['NUMBERBIN(37.752, 1)', 37],
    ['NUMBERBIN(37.752, 0)', undefined],
    ['NUMBERBIN(37.752, 0.1)', 37.7],
    ['NUMBERBIN(37.752, 0.01)', 37.75],
    ['NUMBERBIN(155.23478, 0.01)', 155.23],
    ['PI()', 3.141592653589793],
    ['POWER(1, 1)', 1],
    ['POWER(2, 2)', 4],
    ['POWER(3, 3)', 27],
    ['POWER(4, 4)', 256],
    ['POWER(5, 5)', 3125],
    ['POWER(0, 2)', 0],
    ['RADIANS(90)', 1.5707963267948966],
    ['RADIANS(180)', 3.141592653589793],
    ['RADIANS(270)', 4.71238898038469],
    ['RADIANS(360)', 6.283185307179586],
    ['ROUND(2.4)', 2],
    ['ROUND(2.6)', 3],
    ['ROUND(2.5)', 3],
    ['ROUND(-2.4)', -2],
    ['ROUND(-2.6)', -3],
    ['ROUND(-6.5)', -7],
    ['ROUND(-0.5)', -1],
    ['ROUND(0.5)', 1],
    ['SIGN(-2)', -1],
    ['SIGN(0)', 0],
    ['SIGN(2)', 1],
    ['SIN(45.175643)', 0.929607286611012],
    ['SQRT(17)', 4.123105625617661],
    ['SQRT(25)', 5],
    ['SQUARE(0)', 0],
    ['SQUARE(3)', 9],
    ['TAN(PI()/2)', 16331239353195370],
    ['TAN(124.1332)', -24.80651023035602],
    ['TRUNC(2.37)', 2],
    ['TRUNC(-2.78)', -2],
    ['TRUNC(2)', 2],
    ['TRUNC(0.0000714)', 0],
    ['TRUNC(PI())', 3],
  ])('returns the documented value: %s', (expression, value) => {
    expect(rowsOf(expression)).toEqual(rowsWith(value))
  })

  it.each<Row>([
    ['ASIN(1)', Math.PI / 2],
    ['ATN2(0, -1)', Math.PI],
    ['LOG(8, 2)', 3],
    ['LOG(1)', 0],
    ['NUMBERBIN(37.752)', 37],
    ['NUMBERBIN(-37.752, 10)', -40],
    ['POWER(2, -1)', 0.5],
    ['POWER(0, 0)', 1],
    ['sqrt(4)', 2],
    ['SQUARE(9007199254740992)', 2 ** 106],
    ['TRUNC(9007199254740993)', 2 ** 53],
  ])('has the mathematical value: %s', (expression, value) => {
    expect(rowsOf(expression)).toEqual(rowsWith(value))
  })

  it.each([
    ...['ACOS(2)', 'ASIN(-2)', 'COT(0)', 'EXP(1000)', 'LOG(0)', 'LOG(-1)', 'LOG(2, 1)', 'LOG(2, 0)'],
    ...['LOG(2, -2)', 'LOG10(0)', 'POWER(-8, 1 / 3)', 'POWER(0, -1)', 'POWER(10, 400)', 'SQRT(-1)'],
    ...['SQUARE(1e200)', 'DEGREES(1e308)'],
  ])('is undefined instead of infinite or not a number: %s', (expression) => {
    expect(rowsOf(expression)).toEqual([])
  })

  it.each(['TRUNC(-0.5)', 'SIN(-0)', 'ROUND(-0.4)', 'NUMBERBIN(0, -5)', 'SIGN(-0)', 'ATN2(-0, 1)'])(
    'returns 0 instead of -0: %s',
    (expression) => {
      expect(Object.is(rowsOf(expression)[0], 0)).toBe(true)
    },
  )

  it.each(ofOneNumber.flatMap((name) => wrong.map((value) => `${name}(${value})`)))(
    'is undefined for any value but a number: %s',
    (expression) => {
      expect(rowsOf(expression)).toEqual([])
    },
  )

  it.each(
    ofTwoNumbers.flatMap((name) =>
      wrong.flatMap((value) => [`${name}(2, ${value})`, `${name}(${value}, 2)`]),
    ),
  )('is undefined unless both values are numbers: %s', (expression) => {
    expect(rowsOf(expression)).toEqual([])
  })

  it.each(['PI(1)', 'RAND(1)', 'SQRT()', 'POWER(1)', 'ATN2(1, 2, 3)', 'LOG(1, 2, 3)', 'NUMBERBIN()'])(
    'refuses a wrong count of arguments: %s',
    (expression) => {
      expect(() => rowsOf(expression)).toThrow(expect.objectContaining({ code: 'SC2050' }) as Error)
    },
  )
})
