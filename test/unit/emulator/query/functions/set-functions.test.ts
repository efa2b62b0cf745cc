import { describe, expect, it } from 'vitest'
import { rowsOf, rowsWith, type Row } from './rows-of.js'

const names = ['SETDIFFERENCE', 'SETEQUAL', 'SETINTERSECT', 'SETSUBSET', 'SETUNION']
const searches = ['ARRAY_CONTAINS_ALL', 'ARRAY_CONTAINS_ANY']
const wrong = ['undefined', 'null', 'true', '1', '"a"', '{"a": 1}', 'c.nothing']

describe('a set function', () => {
  it.each<Row>([
    ['SETDIFFERENCE([1, 2, 3], [1, 2, 6, 7])', [3]],
    ['SETDIFFERENCE([1, 2, 6, 7], [1, 2, 3])', [6, 7]],
    ['SETDIFFERENCE([1, 2, 3, 4], [1, 2, 3, 4, 5, 6])', []],
    ['SETDIFFERENCE([], [1, 2, 3])', []],
    ['SETDIFFERENCE([1, 2, 3], [])', [1, 2, 3]],
    ['SETDIFFERENCE([1, 1, 1, 1], [2, 3, 4])', [1]],
    ['SETEQUAL([1, 2, 3], [1, 2, 3])', true],
    ['SETEQUAL([1, 2, 3], [3, 2, 1])', true],
    ['SETEQUAL([1, 2, 3, 3], [1, 2, 2, 3, 1, 2])', true],
    ['SETEQUAL([], [1, 2, 3])', false],
    ["SETEQUAL([1, true, 'abc'], [true, 1, 'abc'])", true],
    ['SETEQUAL([1, 1, 1, 1], [2, 3, 4])', false],
    ['SetIntersect([1, 2, 3, 4], [3, 4, 5, 6])', [3, 4]],
    ['SetIntersect([1, 2, 3, 4], [])', []],
    ['SetIntersect([1, 2, 3, 4], [1, 1, 1, 1])', [1]],
    ['SetIntersect([1, 2, 3, 4], ["A", "B"])', []],
    ['SetIntersect([1, 2, "A", "B"], ["A", 1])', ['A', 1]],
    ['SetIntersect(["Finch", "Mine Shaft", "Rhino"], ["Rhino", "Finch"])', ['Rhino', 'Finch']],
    ['SetUnion([1, 2, 3, 4], [3, 4, 5, 6])', [1, 2, 3, 4, 5, 6]],
    ['SetUnion([1, 2, 3, 4], [])', [1, 2, 3, 4]],
    ['SetUnion([1, 2, 3, 4], [1, 1, 1, 1])', [1, 2, 3, 4]],
    ['SetUnion([1, 2, "A", "B"], ["A", 1])', [1, 2, 'A', 'B']],
  ])('returns the documented value: %s', (expression, value) => {
    expect(rowsOf(expression)).toEqual([value])
  })

  it.each<Row>([
    ['SETSUBSET([1, 2, 2], [3, 2, 1])', true],
    ['SETSUBSET([1, 4], [3, 2, 1])', false],
    ['SETSUBSET([1, 2, 3], [1, 2])', false],
    ['SETSUBSET([], [])', true],
    ['SETSUBSET([{"a": 1}], [{"a": 1, "b": 2}])', false],
  ])('finds the first set in the second, which no page documents: %s', (expression, value) => {
    expect(rowsOf(expression)).toEqual([value])
  })

  it.each<Row>([
    ['SETUNION([{"a": 1, "b": [2]}], [{"b": [2], "a": 1}])', [{ a: 1, b: [2] }]],
    ['SETUNION([1], ["1", true, null, [1]])', [1, '1', true, null, [1]]],
    ['SETUNION([0], [-0])', [0]],
    ['SETUNION(["\\u00e9"], ["e\\u0301"])', ['\u00e9', 'e\u0301']],
    ['SETINTERSECT([[1, 2]], [[2, 1]])', []],
    ['SETDIFFERENCE([9007199254740992, 1], [9007199254740993])', [1]],
    ['SETEQUAL([], [])', true],
    ['SETEQUAL([null], [])', false],
    ['SETEQUAL([1, 2], [1, 3])', false],
  ])('compares values by type and content: %s', (expression, value) => {
    expect(rowsOf(expression)).toEqual([value])
  })

  it.each(
    names.flatMap((name) => wrong.flatMap((value) => [`${name}([1], ${value})`, `${name}(${value}, [1])`])),
  )('is undefined unless both values are arrays: %s', (expression) => {
    expect(rowsOf(expression)).toEqual([])
  })

  it.each(names.flatMap((name) => [`${name}([1])`, `${name}([1], [2], [3])`]))(
    'refuses a wrong count of arguments: %s',
    (expression) => {
      expect(() => rowsOf(expression)).toThrow(expect.objectContaining({ code: 'SC2050' }) as Error)
    },
  )
})

describe('a search of an array for several values', () => {
  it.each<Row>([
    ['ARRAY_CONTAINS_ALL([1, true, "3", [1,2,3]], 1, true, "3", [1,2,3])', true],
    ['ARRAY_CONTAINS_ALL([1, 2, 3, 4], 2, 3, 4, 5)', false],
    ['ARRAY_CONTAINS_ALL([1, 2, 3, 4], 1, undefined)', undefined],
    ['ARRAY_CONTAINS_ALL([1, 2, 3, 4], 5, 6, 7, 8)', false],
    ['ARRAY_CONTAINS_ALL([], 1, 2, 3)', false],
    ['ARRAY_CONTAINS_ALL([1, 2, 3, 4], 5, undefined)', false],
    ['ARRAY_CONTAINS_ANY([1, true, "3", [1,2,3]], 1, true, "3", [1,2,3])', true],
    ['ARRAY_CONTAINS_ANY([1, 2, 3, 4], 2, 3, 4, 5)', true],
    ['ARRAY_CONTAINS_ANY([1, 2, 3, 4], 1, undefined)', true],
    ['ARRAY_CONTAINS_ANY([1, 2, 3, 4], 5, 6, 7, 8)', false],
    ['ARRAY_CONTAINS_ANY([], 1, 2, 3)', false],
    ['ARRAY_CONTAINS_ANY([1, 2, 3, 4], 5, undefined)', undefined],
  ])('returns the documented value: %s', (expression, value) => {
    expect(rowsOf(expression)).toEqual(rowsWith(value))
  })

  it.each<Row>([
    ['ARRAY_CONTAINS_ANY([1, null], null)', true],
    ['ARRAY_CONTAINS_ANY([{"a": 1, "b": 2}], {"b": 2, "a": 1})', true],
    ['ARRAY_CONTAINS_ANY([{"a": 1, "b": 2}], {"b": 2})', false],
    ['ARRAY_CONTAINS_ALL([1], c.nothing)', undefined],
    ['ARRAY_CONTAINS_ANY([1], "1")', false],
  ])('compares values by type and content: %s', (expression, value) => {
    expect(rowsOf(expression)).toEqual(rowsWith(value))
  })

  it.each(searches.flatMap((name) => wrong.map((value) => `${name}(${value}, 1)`)))(
    'is undefined for any value but an array: %s',
    (expression) => {
      expect(rowsOf(expression)).toEqual([])
    },
  )

  it.each(searches.map((name) => `${name}([1])`))('refuses a wrong count of arguments: %s', (expression) => {
    expect(() => rowsOf(expression)).toThrow(expect.objectContaining({ code: 'SC2050' }) as Error)
  })
})

describe('the sets of a large document', () => {
  const list = Array.from({ length: 100_000 }, (_, index) => index)
  const document = { list, reverse: list.toReversed(), text: 'a'.repeat(1_000_000) }

  it.each<Row>([
    ['SETEQUAL(c.list, c.reverse)', true],
    ['SETDIFFERENCE(c.list, c.reverse)', []],
    ['ARRAY_LENGTH(SETINTERSECT(c.list, c.reverse))', 100_000],
    ['ARRAY_LENGTH(SETUNION(c.list, c.reverse))', 100_000],
    ['SETSUBSET(c.list, c.reverse)', true],
  ])('are compared in linear time: %s', (expression, value) => {
    expect(rowsOf(expression, document)).toEqual([value])
  })

  it.each([
    `SETEQUAL([${Array(5000).fill('c').join(',')}], [])`,
    `ARRAY_CONTAINS_ANY([], ${Array(5000).fill('c').join(',')})`,
  ])('are refused when a query repeats them, before the texts are made', (expression) => {
    expect(() => rowsOf(expression, document)).toThrow('the limit of 4194304 characters')
  })
})
