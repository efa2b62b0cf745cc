import { describe, expect, it } from 'vitest'
import { rowsOf, rowsWith, type Row } from './rows-of.js'

const names = ['ARRAY_AVG', 'ARRAY_MAX', 'ARRAY_MEDIAN', 'ARRAY_MIN', 'ARRAY_SUM']
const ofNumbers = ['ARRAY_AVG', 'ARRAY_MEDIAN', 'ARRAY_SUM']

describe('a summary of an array', () => {
  it.each<Row>([
    ['ARRAY_AVG([1, 2, 3, 4])', 2.5],
    ['ARRAY_AVG([1.0, 2.0, 3.3, 4.7])', 2.75],
    ['ARRAY_AVG([1, -2.7, 3, -4, undefined])', -0.675],
    ['ARRAY_MAX([1, 2, 3, 4])', 4],
    ["ARRAY_MAX(['abc', 'ABC', 'aBc', 'AbC'])", 'abc'],
    ['ARRAY_MAX([true, false])', true],
    ['ARRAY_MAX([null, null])', null],
    ["ARRAY_MAX([12, 'abc', true, false, null, undefined])", 'abc'],
    ['ARRAY_MEDIAN([1, 2, 3, 4])', 2.5],
    ['ARRAY_MEDIAN([1.0, 2.0, 3.3, 4.7, 7.8])', 3.3],
    ['ARRAY_MEDIAN([1, -2.7, 3, -4, undefined])', -0.8500000000000001],
    ['ARRAY_MIN([1, 2, 3, 4])', 1],
    ["ARRAY_MIN(['abc', 'ABC', 'aBc', 'AbC'])", 'ABC'],
    ['ARRAY_MIN([true, false])', false],
    ['ARRAY_MIN([null, null])', null],
    ["ARRAY_MIN([12, 'abc', true, false, null, undefined])", null],
    ['ARRAY_SUM([1, 2, 3, 4])', 10],
    ['ARRAY_SUM([1, 2, 3, 4, undefined])', 10],
  ])('returns the documented value: %s', (expression, value) => {
    expect(rowsOf(expression)).toEqual([value])
  })

  it.each(
    ofNumbers.flatMap((name) => [
      `${name}(['abc', 'ABC', 'aBc', 'AbC'])`,
      `${name}([12, 'abc', true, false, null, undefined])`,
      `${name}([1, null])`,
      `${name}([1, [2]])`,
    ]),
  )('is undefined for an array with anything but numbers: %s', (expression) => {
    expect(rowsOf(expression)).toEqual([])
  })

  it.each<Row>([
    ['ARRAY_MEDIAN([10, 9, 100])', 10],
    ['ARRAY_MEDIAN([5])', 5],
    ['ARRAY_MEDIAN([1.7e308, 1.7e308])', 1.7e308],
    ['ARRAY_MAX([2, 10])', 10],
    ['ARRAY_MIN([false, 0, ""])', false],
    ['ARRAY_MAX(["ä", "z"])', 'ä'],
    ['ARRAY_SUM([9007199254740992, 1])', 2 ** 53],
    ['ARRAY_SUM([1e308, 1e308])', undefined],
    ['ARRAY_AVG([1e308, 1e308])', undefined],
    ['ARRAY_MAX([1, [2]])', undefined],
    ['ARRAY_MIN([1, {"a": 2}])', undefined],
  ])('has the expected value at a boundary: %s', (expression, value) => {
    expect(rowsOf(expression)).toEqual(rowsWith(value))
  })

  it.each<Row>([
    ['ARRAY_AVG([])', undefined],
    ['ARRAY_MAX([])', undefined],
    ['ARRAY_MEDIAN([])', undefined],
    ['ARRAY_MIN([])', undefined],
    ['ARRAY_SUM([])', 0],
  ])(
    'answers for no items as an aggregate does for no documents (not documented): %s',
    (expression, value) => {
      expect(rowsOf(expression)).toEqual(rowsWith(value))
    },
  )

  it.each(['ARRAY_SUM([-0])', 'ARRAY_AVG([-0, -0])', 'ARRAY_MEDIAN([-1, 1])'])(
    'returns 0 instead of -0: %s',
    (expression) => {
      expect(Object.is(rowsOf(expression)[0], 0)).toBe(true)
    },
  )

  it('does not change the array of the document', () => {
    const document = { list: [3, 1, 2] }
    rowsOf('ARRAY_MEDIAN(c.list)', document)
    expect(document.list).toEqual([3, 1, 2])
  })

  it.each(
    names.flatMap((name) =>
      ['undefined', 'null', 'true', '1', '"a"', '{"a": 1}', 'c.nothing'].map((value) => `${name}(${value})`),
    ),
  )('is undefined for any value but an array: %s', (expression) => {
    expect(rowsOf(expression)).toEqual([])
  })

  it.each(names.flatMap((name) => [`${name}()`, `${name}([1], [2])`]))(
    'refuses a wrong count of arguments: %s',
    (expression) => {
      expect(() => rowsOf(expression)).toThrow(expect.objectContaining({ code: 'SC2050' }) as Error)
    },
  )
})
