import { describe, expect, it } from 'vitest'
import { lists, mixed, orders } from './data-sets.js'
import { inAnyOrder, refusalOf, rowsOf, sql, type Documents, type Example } from './rows-of.js'

const values = (...list: readonly unknown[]): Documents => list.map((v) => ({ v }))
const helmets = Array.from({ length: 10 }, (_, index) => ({
  name: `h${index}`,
  detailCategory: 'gear-cycle-helmets',
}))
const backpacks = [0, 230, 14, 232, 141].map((quantity) => ({
  quantity,
  detailCategory: 'gear-hike-backpacks',
}))
const watches = [98, 105].map((price) => ({ price, detailCategory: 'apparel-accessories-watches' }))
const bracelets = [71.76, 27.6, 40].map((price) => ({ price, category: 'bracelet' }))

describe('an aggregate of the documentation', () => {
  it.each<Example>([
    [
      'SELECT VALUE { countScalar: COUNT(1), countExpression: COUNT(2 + 3) }',
      [],
      [{ countScalar: 1, countExpression: 1 }],
    ],
    [
      'SELECT VALUE COUNT(p.name) FROM products p WHERE p.detailCategory = "gear-cycle-helmets"',
      [...helmets, { name: 'other' }],
      [10],
    ],
    [
      'SELECT VALUE COUNT(1) FROM products p WHERE p.detailCategory = "gear-cycle-helmets"',
      [...helmets, { name: 'other' }],
      [10],
    ],
    [
      'SELECT VALUE SUM(p.quantity) FROM products p WHERE p.detailCategory = "gear-hike-backpacks"',
      [...backpacks, { quantity: 'x' }],
      [617],
    ],
    [
      sql`SELECT AVG(p.price) AS averagePrice FROM products p
          WHERE p.detailCategory = "apparel-accessories-watches"`,
      [...watches, { price: null }],
      [{ averagePrice: 101.5 }],
    ],
    [
      'SELECT MIN(p.price) AS minPrice FROM products p WHERE p.category = "bracelet"',
      bracelets,
      [{ minPrice: 27.6 }],
    ],
    [
      'SELECT MAX(p.price) AS maxPrice FROM products p WHERE p.category = "bracelet"',
      bracelets,
      [{ maxPrice: 71.76 }],
    ],
  ])('has the documented value: %s', (query, documents, expected) => {
    expect(rowsOf(query, documents)).toStrictEqual(expected)
  })
})

describe('an aggregate over nothing', () => {
  it.each<[string, readonly unknown[], readonly unknown[]]>([
    ['COUNT(1)', [0], [2]],
    ['COUNT(c.v)', [0], [0]],
    ['COUNTIF(c.v)', [0], [0]],
    ['AVG(c.v)', [], []],
    ['MIN(c.v)', [], []],
    ['MAX(c.v)', [], []],
    ['MAKELIST(c.v)', [[]], [[]]],
    ['MAKESET(c.v)', [[]], [[]]],
    ['{ n: COUNT(1), low: MIN(c.v) }', [{ n: 0 }], [{ n: 2 }]],
    ['[COUNT(c.v), AVG(c.v)]', [[0]], [[0]]],
    ['COUNT(1) + 1', [1], [3]],
  ])('%s has a value over no documents, and over undefined values', (aggregate, none, undefineds) => {
    const query = `SELECT VALUE ${aggregate} FROM c`
    expect(rowsOf(query, [])).toStrictEqual(none)
    expect(rowsOf(`${query} WHERE false`, [{}, {}])).toStrictEqual(none)
    expect(rowsOf(query, [{}, { w: 1 }])).toStrictEqual(undefineds)
  })

  it('has one row with an empty object if the property has no value', () => {
    expect(rowsOf('SELECT MIN(c.v) AS low, AVG(c.v) AS mean FROM c', [])).toStrictEqual([{}])
    expect(rowsOf('SELECT COUNT(1) AS n, MAX(c.v) AS high FROM c', [])).toStrictEqual([{ n: 0 }])
  })
})

describe('COUNT and COUNTIF', () => {
  it.each<Example>([
    ['SELECT VALUE COUNT(c.v) FROM c', mixed, [7]],
    ['SELECT VALUE COUNT(c) FROM c', mixed, [8]],
    ['SELECT VALUE COUNT(null) FROM c', mixed, [8]],
    ['SELECT VALUE COUNT(false) FROM c', mixed, [8]],
    ['SELECT VALUE COUNT(undefined) FROM c', mixed, [0]],
    ['SELECT VALUE COUNT(c.v > 1) FROM c', values(1, 2, 'x'), [2]],
    ['SELECT VALUE COUNT(c.v.w) FROM c', values({ w: null }, {}, 1), [1]],
    ['SELECT VALUE COUNT(c.list) FROM c', lists, [8]],
    ['SELECT VALUE COUNTIF(c.v) FROM c', mixed, [1]],
    ['SELECT VALUE COUNTIF(c.v > 1) FROM c', mixed, [2]],
    ['SELECT VALUE COUNTIF(NOT c.v) FROM c', mixed, [1]],
    ['SELECT VALUE COUNTIF(IS_DEFINED(c.v)) FROM c', mixed, [7]],
    ['SELECT VALUE COUNTIF(true) FROM c', mixed, [8]],
    ['SELECT VALUE COUNTIF(1) FROM c', mixed, [0]],
    ['SELECT VALUE COUNTIF(c.v = "true") FROM c', values('true', true), [1]],
    ['SELECT COUNT(1) AS n, COUNTIF(c.v = null) AS nulls FROM c', mixed, [{ n: 8, nulls: 1 }]],
  ])('answer %s', (query, documents, expected) => {
    expect(rowsOf(query, documents)).toStrictEqual(expected)
  })
})

describe('SUM and AVG', () => {
  const strange: readonly unknown[] = ['1', '', true, false, null]

  it.each(strange)('are undefined if one value is %j', (value) => {
    for (const documents of [values(1, value), values(value, 1), values(value)]) {
      expect(rowsOf('SELECT SUM(c.v) AS s, AVG(c.v) AS a, COUNT(c.v) AS n FROM c', documents)).toStrictEqual([
        { n: documents.length },
      ])
      expect(rowsOf('SELECT VALUE SUM(c.v) FROM c', documents)).toEqual([])
      expect(rowsOf('SELECT VALUE AVG(c.v) FROM c', documents)).toEqual([])
    }
  })

  it.each<Example>([
    ['SELECT VALUE [SUM(c.v), AVG(c.v)] FROM c', [{ v: 1 }, {}, { v: 3 }], [[4, 2]]],
    ['SELECT VALUE SUM(c.v) FROM c', values(1.5, -2.5), [-1]],
    ['SELECT VALUE SUM(c.v) FROM c', values(0.1, 0.2), [0.30000000000000004]],
    ['SELECT VALUE SUM(c.v) FROM c', values(2 ** 53, 2), [2 ** 53 + 2]],
    ['SELECT VALUE AVG(c.v) FROM c', values(1, 2), [1.5]],
    ['SELECT VALUE AVG(c.v) FROM c', values(7), [7]],
    ['SELECT VALUE SUM(1) FROM c', values(1, 2, 3), [3]],
    ['SELECT VALUE SUM(c.v * 2) FROM c', values(1, 2), [6]],
    [
      'SELECT VALUE SUM(c.v / c.w) FROM c',
      [
        { v: 1, w: 0 },
        { v: 4, w: 2 },
      ],
      [2],
    ],
    ['SELECT VALUE SUM(c.v) / COUNT(1) FROM c', values(1, 2), [1.5]],
    ['SELECT VALUE SUM(c.v) FROM c WHERE IS_NUMBER(c.v)', mixed, [11]],
    ['SELECT VALUE SUM(c.v) FROM c', mixed, []],
    ['SELECT VALUE SUM(x) FROM x IN c.v', values([1, 2], [3], 9), [6]],
    ['SELECT SUM(c.v) AS s, MIN(c.v) AS m FROM c', values(1, 'a'), [{ m: 1 }]],
  ])('skip undefined values: %s', (query, documents, expected) => {
    expect(rowsOf(query, documents)).toStrictEqual(expected)
  })

  it.each(['SUM', 'AVG'])('of numbers with too large a sum stay within JSON: %s', (aggregate) => {
    const rows = rowsOf(`SELECT VALUE ${aggregate}(c.v) FROM c`, values(1.7e308, 1.7e308))
    expect(JSON.parse(JSON.stringify(rows))).toEqual(rows)
  })
})

describe('MIN and MAX', () => {
  it.each<Example>([
    ['SELECT VALUE [MIN(c.v), MAX(c.v)] FROM c', values(3, -1, 2), [[-1, 3]]],
    ['SELECT VALUE [MIN(c.v), MAX(c.v)] FROM c', values('b', 'a', 'aa', 'B'), [['B', 'b']]],
    ['SELECT VALUE [MIN(c.v), MAX(c.v)] FROM c', values(true, false), [[false, true]]],
    ['SELECT VALUE [MIN(c.v), MAX(c.v)] FROM c', values(null, null), [[null, null]]],
    ['SELECT VALUE [MIN(c.v), MAX(c.v)] FROM c', mixed, [[null, 'b']]],
    ['SELECT VALUE [MIN(c.v), MAX(c.v)] FROM c', values(1, 'a'), [[1, 'a']]],
    ['SELECT VALUE [MIN(c.v), MAX(c.v)] FROM c', values('a', 1), [[1, 'a']]],
    ['SELECT VALUE [MIN(c.v), MAX(c.v)] FROM c', values(true, 0), [[true, 0]]],
    ['SELECT VALUE [MIN(c.v), MAX(c.v)] FROM c', values(false, null), [[null, false]]],
    ['SELECT VALUE [MIN(c.v), MAX(c.v)] FROM c', [{ v: 5 }, {}], [[5, 5]]],
    ['SELECT VALUE [MIN(c.v), MAX(c.v)] FROM c', values(2 ** 53, 2 ** 53 - 1), [[2 ** 53 - 1, 2 ** 53]]],
    ['SELECT VALUE MAX(c.v) - MIN(c.v) FROM c', values(3, 10), [7]],
    ['SELECT VALUE MAX(LENGTH(c.v)) FROM c', values('a', 'bcd'), [3]],
    ['SELECT VALUE MIN(1) FROM c', values(1, 2), [1]],
    ['SELECT VALUE MAX(x) FROM x IN c.v', values([1, 9], [3]), [9]],
  ])('follow the order of types: %s', (query, documents, expected) => {
    expect(rowsOf(query, documents)).toStrictEqual(expected)
  })
})

describe('MAKELIST and MAKESET', () => {
  it.each<Example>([
    ['SELECT VALUE MAKELIST(c.v) FROM c', mixed, [['b', 2, null, false, 10, true, -1]]],
    ['SELECT VALUE MAKELIST(c.v) FROM c', values(1, 1, [2], {}), [[1, 1, [2], {}]]],
    ['SELECT VALUE MAKELIST({ a: c.v }) FROM c', [{ v: 1 }, {}], [[{ a: 1 }, {}]]],
    ['SELECT VALUE MAKELIST(c.v) FROM c WHERE c.v > 1', values(1, 2, 3), [[2, 3]]],
    ['SELECT MAKELIST(c.v) AS all, COUNT(1) AS n FROM c', values(1, 2), [{ all: [1, 2], n: 2 }]],
    ['SELECT VALUE MAKELIST(l.sku) FROM o JOIN l IN o.lines', orders, [['a', 'b', 'a', 'c', 'b']]],
  ])('keep the values that exist: %s', (query, documents, expected) => {
    expect(rowsOf(query, documents)).toStrictEqual(expected)
  })

  it.each<readonly [Documents, readonly unknown[]]>([
    [values(1, 2, 1), [1, 2]],
    [values(1, '1', true, 1), [1, '1', true]],
    [[...values(null, null), {}], [null]],
    [values({ a: 1, b: 2 }, { b: 2, a: 1 }), [{ a: 1, b: 2 }]],
    [values([1], [1], 1), [[1], 1]],
    [values(0, -0), [0]],
    [values('a', 'A'), ['a', 'A']],
  ])('of %j keep each value of a set once', (documents, expected) => {
    const [set] = rowsOf('SELECT VALUE MAKESET(c.v) FROM c', documents)
    expect(inAnyOrder(set as unknown[])).toEqual(inAnyOrder(expected))
  })
})

describe('an aggregate refuses', () => {
  it.each([
    ['SELECT COUNT(*) FROM c', '400 SC1001'],
    ['SELECT COUNT() FROM c', '400 SC2050'],
    ['SELECT SUM(c.a, c.b) FROM c', '400 SC2050'],
    ['SELECT COUNT(DISTINCT c.a) FROM c', '400 SC1001'],
    ['SELECT SUM(MAX(c.a)) FROM c', '400 BadRequest'],
    ['SELECT c.a, MAX(c.b) FROM c', '400 BadRequest'],
    ['SELECT VALUE { a: c.a, n: COUNT(1) } FROM c', '400 BadRequest'],
    ['SELECT VALUE c.a + COUNT(1) FROM c', '400 BadRequest'],
    ['SELECT * FROM c WHERE MAX(c.a) > 1', '400 BadRequest'],
  ])('%s with %s', (query, refusal) => {
    expect(refusalOf(query)).toBe(refusal)
  })
})
