import { describe, expect, it } from 'vitest'
import { rowsOf, rowsWith, type Row } from './rows-of.js'

const product = {
  name: 'Estrel',
  category: 'short-fins',
  sku: '73311',
  onSale: true,
  pricing: { msrp: 35.9, sale: 30.85 },
}

describe('CHOOSE', () => {
  it.each<Row>([
    ['CHOOSE(1, "adventure", "works", true, [1])', 'adventure'],
    ['CHOOSE(3, c.category, c.name, c.sku)', '73311'],
    ['CHOOSE(0, "abc", 1, true, [1])', undefined],
    ['CHOOSE(1, "abc", 1, true, [1])', 'abc'],
    ['CHOOSE(2, "abc", 1, true, [1])', 1],
    ['CHOOSE(3, "abc", 1, true, [1])', true],
    ['CHOOSE(4, "abc", 1, true, [1])', [1]],
    ['CHOOSE(5, "abc", 1, true, [1])', undefined],
  ])('returns the documented value: %s', (expression, value) => {
    expect(rowsOf(expression, product)).toEqual(rowsWith(value))
  })

  it.each<Row>([
    ['CHOOSE(1.5, "a", "b")', undefined],
    ['CHOOSE(-1, "a", "b")', undefined],
    ['CHOOSE(1e300, "a", "b")', undefined],
    ['CHOOSE("1", "a", "b")', undefined],
    ['CHOOSE(true, "a", "b")', undefined],
    ['CHOOSE(null, "a", "b")', undefined],
    ['CHOOSE(c.nothing, "a", "b")', undefined],
    ['CHOOSE(1, c.nothing, "b")', undefined],
    ['CHOOSE(2, c.nothing, null)', null],
  ])('is undefined without an item at the position: %s', (expression, value) => {
    expect(rowsOf(expression)).toEqual(rowsWith(value))
  })
})

describe('IIF', () => {
  it.each<Row>([
    ['IIF(true, 123, 456)', 123],
    ['IIF(false, 123, 456)', 456],
    ['IIF(123, 123, 456)', 456],
    ['IIF("ABC", 123, 456)', 456],
    ['IIF([1,2,3], 123, 456)', 456],
    ['IIF({"name": "Alice", "age": 20}, 123, 456)', 456],
    ['IIF(c.onSale, c.pricing.sale, c.pricing.msrp)', 30.85],
  ])('returns the documented value: %s', (expression, value) => {
    expect(rowsOf(expression, product)).toEqual([value])
  })

  it.each<Row>([
    ['IIF(null, 1, 2)', 2],
    ['IIF(c.nothing, 1, 2)', 2],
    ['IIF(true, c.nothing, 2)', undefined],
    ['IIF(false, 1, c.nothing)', undefined],
    ['IIF(false, 1, null)', null],
  ])('reads any condition but true as false: %s', (expression, value) => {
    expect(rowsOf(expression)).toEqual(rowsWith(value))
  })
})

it.each(['CHOOSE(1)', 'IIF(true, 1)', 'IIF(true, 1, 2, 3)'])(
  'a conditional function refuses a wrong count of arguments: %s',
  (expression) => {
    expect(() => rowsOf(expression)).toThrow(expect.objectContaining({ code: 'SC2050' }) as Error)
  },
)
