import { describe, expect, it } from 'vitest'
import { rowsOf, rowsWith, type Row } from './rows-of.js'

const temperatures = { list: [70, 86, 92, 99, 85, 90, 82] }

const wrong = ['undefined', 'null', 'true', '1', '"[]"', '{"0": 1}', 'c.nothing']

describe('an array function', () => {
  it.each<Row>([
    ['ARRAY_CONCAT(["apples", "strawberries"], ["bananas"])', ['apples', 'strawberries', 'bananas']],
    ['ARRAY_CONTAINS(["coats", "jackets"], "coats")', true],
    ['ARRAY_CONTAINS(["coats", "jackets"], "hoodies")', false],
    ['ARRAY_CONTAINS([{category: "shirts", color: "blue"}], {category: "shirts", color: "blue"})', true],
    ['ARRAY_CONTAINS([{category: "shirts", color: "blue"}], {category: "shirts"})', false],
    ['ARRAY_CONTAINS([{category: "shirts", color: "blue"}], {category: "shirts"}, true)', true],
    ['ARRAY_CONTAINS([{category: "shirts"}], {category: "shorts"}, true)', false],
    ['ARRAY_LENGTH([70, 86, 92, 99, 85, 90, 82])', 7],
    ['ARRAY_LENGTH([])', 0],
    ['ARRAY_LENGTH(null)', undefined],
    ['ARRAY_SLICE(c.list, 0)', [70, 86, 92, 99, 85, 90, 82]],
    ['ARRAY_SLICE(c.list, 1)', [86, 92, 99, 85, 90, 82]],
    ['ARRAY_SLICE(c.list, -1)', [82]],
    ['ARRAY_SLICE(c.list, -2)', [90, 82]],
    ['ARRAY_SLICE(c.list, 0, 3)', [70, 86, 92]],
    ['ARRAY_SLICE(c.list, 0, 12)', [70, 86, 92, 99, 85, 90, 82]],
    ['ARRAY_SLICE(c.list, 3, 5)', [99, 85, 90, 82]],
    ['ARRAY_SLICE(c.list, -2, 1)', [90]],
    [
      'ObjectToArray({"a": "12345", "b": "67890"})',
      [
        { k: 'a', v: '12345' },
        { k: 'b', v: '67890' },
      ],
    ],
    ['ObjectToArray({"a": "12345"}, "name")', [{ name: 'a', v: '12345' }]],
    ['ObjectToArray({"a": "12345"}, "key", "value")', [{ key: 'a', value: '12345' }]],
  ])('returns the documented value: %s', (expression, value) => {
    expect(rowsOf(expression, temperatures)).toEqual(rowsWith(value))
  })

  it.each<Row>([
    ['ARRAY_CONCAT([1], [[2]], [], [null])', [1, [2], null]],
    ['ARRAY_CONCAT([], [])', []],
    ['ARRAY_SLICE(c.list, 7)', []],
    ['ARRAY_SLICE(c.list, -100, 2)', [70, 86]],
    ['ARRAY_SLICE(c.list, 1, 0)', []],
    ['ARRAY_SLICE(c.list, 1, -1)', []],
    ['ARRAY_SLICE(c.list, 9007199254740992, 9007199254740992)', []],
    ['ARRAY_SLICE([], 0)', []],
    ['ARRAY_SLICE(c.list, 0.5)', undefined],
    ['ARRAY_SLICE(c.list, 0, 0.5)', undefined],
    ['ARRAY_SLICE(c.list, "0")', undefined],
    ['ARRAY_SLICE(c.list, 0, null)', undefined],
    ['ARRAY_SLICE(c.list, 0, c.nothing)', undefined],
    ['OBJECTTOARRAY({})', []],
    ['OBJECTTOARRAY({"a": {"b": 1}})', [{ k: 'a', v: { b: 1 } }]],
    ['OBJECTTOARRAY({"ключ": "🙂"})', [{ k: 'ключ', v: '🙂' }]],
    ['OBJECTTOARRAY([1])', undefined],
    ['OBJECTTOARRAY(null)', undefined],
    ['OBJECTTOARRAY(c.nothing)', undefined],
    ['OBJECTTOARRAY({"a": 1}, 1)', undefined],
    ['OBJECTTOARRAY({"a": 1}, "k", null)', undefined],
    ['OBJECTTOARRAY({"a": 1}, c.nothing)', undefined],
    ['OBJECTTOARRAY({"a": 1}, "k", c.nothing)', undefined],
  ])('has the expected value at a boundary: %s', (expression, value) => {
    expect(rowsOf(expression, temperatures)).toEqual(rowsWith(value))
  })

  it('creates an own property for any name', () => {
    const rows = rowsOf('OBJECTTOARRAY({"a": 1}, "__proto__")')
    expect(JSON.stringify(rows)).toBe('[[{"__proto__":"a","v":1}]]')
  })

  it.each([
    ...wrong.flatMap((value) => [`ARRAY_CONCAT([1], ${value})`, `ARRAY_CONCAT(${value}, [1])`]),
    ...wrong.map((value) => `ARRAY_SLICE(${value}, 0)`),
  ])('is undefined for any value but an array: %s', (expression) => {
    expect(rowsOf(expression)).toEqual([])
  })

  it.each(['ARRAY_CONCAT([1])', 'ARRAY_SLICE([1])', 'ARRAY_SLICE([1], 1, 1, 1)', 'OBJECTTOARRAY()'])(
    'refuses a wrong count of arguments: %s',
    (expression) => {
      expect(() => rowsOf(expression)).toThrow(expect.objectContaining({ code: 'SC2050' }) as Error)
    },
  )

  it.each([
    `ARRAY_LENGTH(${'ARRAY_CONCAT('.repeat(20)}c.list${', c.list, c.list)'.repeat(20)})`,
    `OBJECTTOARRAY(c.object, "${'n'.repeat(50_000)}")`,
  ])('refuses a result of more than 4 MB before creating it', (expression) => {
    const list = Array.from({ length: 100_000 }, (_, index) => index)
    const object = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`p${index}`, 1]))
    expect(() => rowsOf(expression, { list, object })).toThrow('the limit of 4194304 characters')
  })
})

describe('a call with many arguments', () => {
  it.each(['CONCAT("a"', 'CHOOSE(1', 'ARRAY_CONCAT([]', 'ARRAY_CONTAINS_ANY([]'])(
    'is refused above 10000 of them, and answered below: %s',
    (start) => {
      expect(() => rowsOf(`${start}${',1'.repeat(9999)})`)).not.toThrow()
      expect(() => rowsOf(`${start}${',1'.repeat(130_000)})`)).toThrow('the limit is 10000')
    },
  )
})
