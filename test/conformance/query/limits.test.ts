import { describe, expect, it } from 'vitest'
import { orders } from './data-sets.js'
import { refusalOf, rowsOf, sql, type Documents } from './rows-of.js'

const leaders = ['Isaac Talbot', 'Adele Vance', 'Riley Johnson', 'Jennifer Wilkins', 'Zoe Last'].map(
  (name) => ({
    name,
    team: 'Leadership team',
  }),
)
const numbers = [3, 1, 5, 2, 4].map((n) => ({ n }))
type Limited = readonly [
  query: string,
  parameters: Readonly<Record<string, unknown>>,
  documents: Documents,
  expected: readonly unknown[],
]

describe('TOP', () => {
  it.each<Limited>([
    ['SELECT TOP 3 * FROM c ORDER BY c.n ASC', {}, numbers, [{ n: 1 }, { n: 2 }, { n: 3 }]],
    [
      'SELECT TOP 10 * FROM products p ORDER BY p.price ASC',
      {},
      [{ price: 2 }, { price: 1 }],
      [{ price: 1 }, { price: 2 }],
    ],
    ['SELECT TOP @pageSize * FROM c ORDER BY c.n', { pageSize: 1 }, numbers, [{ n: 1 }]],
    ['SELECT TOP 0 * FROM c', {}, numbers, []],
    ['SELECT TOP 2 VALUE c.n FROM c ORDER BY c.n DESC', {}, numbers, [5, 4]],
    ['SELECT TOP 2 VALUE c.n FROM c WHERE c.n > 2 ORDER BY c.n', {}, numbers, [3, 4]],
    [
      'SELECT TOP 2 c.n, c.n * 2 AS twice FROM c ORDER BY c.n',
      {},
      numbers,
      [
        { n: 1, twice: 2 },
        { n: 2, twice: 4 },
      ],
    ],
    ['SELECT TOP 1 VALUE COUNT(1) FROM c', {}, numbers, [5]],
    ['SELECT TOP 5 VALUE c.none FROM c', {}, numbers, []],
    ['SELECT TOP 1 VALUE c.v FROM c ORDER BY c.n', {}, [{ n: 1 }, { n: 2, v: 'x' }], ['x']],
    ['SELECT TOP 1 VALUE ARRAY(SELECT VALUE l.sku FROM l IN o.lines) FROM o', {}, orders, [['a', 'b', 'a']]],
    ['SELECT TOP 1 VALUE 1', {}, [], [1]],
  ])('returns the first rows: %s with %j', (query, parameters, documents, expected) => {
    expect(rowsOf(query, documents, parameters)).toStrictEqual(expected)
  })

  it('returns any rows without ORDER BY, and never more', () => {
    expect(rowsOf('SELECT TOP 10 * FROM c', numbers)).toHaveLength(5)
    expect(rowsOf('SELECT TOP @pageSize * FROM products', numbers, { pageSize: 2 })).toHaveLength(2)
  })
})

describe('OFFSET LIMIT', () => {
  it.each<Limited>([
    [
      sql`SELECT VALUE { name: e.name } FROM employees e WHERE e.team = "Leadership team"
          ORDER BY e.name OFFSET 1 LIMIT 3`,
      {},
      leaders,
      [{ name: 'Isaac Talbot' }, { name: 'Jennifer Wilkins' }, { name: 'Riley Johnson' }],
    ],
    ['SELECT VALUE c.n FROM c ORDER BY c.n OFFSET 0 LIMIT 2', {}, numbers, [1, 2]],
    ['SELECT VALUE c.n FROM c ORDER BY c.n OFFSET 4 LIMIT 2', {}, numbers, [5]],
    ['SELECT VALUE c.n FROM c ORDER BY c.n OFFSET 5 LIMIT 2', {}, numbers, []],
    ['SELECT VALUE c.n FROM c ORDER BY c.n OFFSET 2 LIMIT 0', {}, numbers, []],
    [
      'SELECT VALUE c.n FROM c ORDER BY c.n DESC OFFSET @skip LIMIT @take',
      { skip: 1, take: 2 },
      numbers,
      [4, 3],
    ],
    ['SELECT VALUE c.n FROM c WHERE c.n > @least ORDER BY c.n OFFSET 1 LIMIT 1', { least: 2 }, numbers, [4]],
    [
      'SELECT VALUE c.v FROM c ORDER BY c.n OFFSET 1 LIMIT 1',
      {},
      [{ n: 1 }, { n: 2, v: 'x' }, { n: 3, v: 'y' }],
      ['y'],
    ],
    ['SELECT VALUE COUNT(1) FROM c OFFSET 0 LIMIT 1', {}, numbers, [5]],
    ['SELECT VALUE COUNT(1) FROM c OFFSET 1 LIMIT 1', {}, numbers, []],
    ['SELECT VALUE l.sku FROM o JOIN l IN o.lines ORDER BY o.id OFFSET 3 LIMIT 9', {}, orders, ['c', 'b']],
  ])('skips rows and takes the next: %s with %j', (query, parameters, documents, expected) => {
    expect(rowsOf(query, documents, parameters)).toStrictEqual(expected)
  })

  it('takes as many rows without ORDER BY', () => {
    expect(rowsOf('SELECT * FROM c OFFSET 1 LIMIT 3', numbers)).toHaveLength(3)
    expect(rowsOf('SELECT * FROM c OFFSET 3 LIMIT 3', numbers)).toHaveLength(2)
  })
})

describe('a limit refuses', () => {
  it.each<readonly [string, Readonly<Record<string, unknown>>, string]>([
    ['SELECT TOP 1 * FROM c OFFSET 0 LIMIT 1', {}, '400 BadRequest'],
    ['SELECT TOP -1 * FROM c', {}, '400 SC1001'],
    ['SELECT TOP "1" * FROM c', {}, '400 SC1001'],
    ['SELECT TOP 1.5 * FROM c', {}, '400 BadRequest'],
    ['SELECT TOP @n * FROM c', { n: -1 }, '400 BadRequest'],
    ['SELECT TOP @n * FROM c', { n: '1' }, '400 BadRequest'],
    ['SELECT TOP @n * FROM c', { n: null }, '400 BadRequest'],
    ['SELECT TOP @n * FROM c', {}, '400 SC2001'],
    ['SELECT TOP * FROM c', {}, '400 SC1001'],
    ['SELECT * FROM c OFFSET 1', {}, '400 SC1001'],
    ['SELECT * FROM c LIMIT 1', {}, '400 SC1001'],
    ['SELECT * FROM c LIMIT 1 OFFSET 1', {}, '400 SC1001'],
    ['SELECT * FROM c OFFSET 0 LIMIT 1 ORDER BY c.n', {}, '400 SC1001'],
    ['SELECT * FROM c OFFSET @o LIMIT 1', { o: 0.5 }, '400 BadRequest'],
  ])('%s with %j', (query, parameters, refusal) => {
    expect(refusalOf(query, [{}], parameters)).toBe(refusal)
  })
})

describe('a parameter', () => {
  const sales = [
    { id: 'a', onSale: false, price: 100 },
    { id: 'b', onSale: true, price: 5 },
    { id: 'c', onSale: false, price: 101 },
    { id: 'd', price: 5 },
  ]

  it('stands for its value in the documented query', () => {
    const query = 'SELECT * FROM p WHERE (NOT p.onSale) AND (p.price BETWEEN 0 AND @upperPriceLimit)'
    expect(rowsOf(query, sales, { upperPriceLimit: 100 })).toEqual(sales.slice(0, 1))
    expect(rowsOf(query, sales, { upperPriceLimit: 200 })).toEqual([sales[0], sales[2]])
  })

  it.each([
    [null],
    [true],
    [0],
    [2 ** 53],
    ['text'],
    [''],
    ['it\'s "quoted" \\ @p'],
    [[1, [2]]],
    [{ a: { b: [] } }],
    [[]],
    [{}],
  ])('may be any JSON value: %j', (p) => {
    expect(rowsOf('SELECT VALUE @p', [{}], { p })).toEqual([p])
    expect(rowsOf('SELECT VALUE c.v FROM c WHERE c.v = @p', [{ v: p }, { v: 'other' }, {}], { p })).toEqual([
      p,
    ])
    expect(rowsOf('SELECT VALUE 1 FROM c WHERE @p IN (c.v)', [{ v: p }, {}], { p })).toEqual([1])
  })

  it.each<Limited>([
    ['SELECT @p AS p, [@p, {x: @p}] AS made', { p: 1 }, [{}], [{ p: 1, made: [1, { x: 1 }] }]],
    ['SELECT VALUE @p.a[0]', { p: { a: [7] } }, [{}], [7]],
    ['SELECT VALUE c[@name] FROM c', { name: 'odd name' }, [{ 'odd name': 1 }], [1]],
    ['SELECT VALUE c.l[@index] FROM c', { index: 1 }, [{ l: [1, 2] }], [2]],
    ['SELECT VALUE l FROM c JOIN l IN c.l WHERE l > @p', { p: 1 }, [{ l: [1, 2] }], [2]],
    ['SELECT VALUE SUM(c.n * @by) FROM c', { by: 10 }, numbers, [150]],
    ['SELECT VALUE COUNT(1) FROM c GROUP BY c.n > @p', { p: 0 }, numbers, [5]],
    [
      'SELECT VALUE EXISTS(SELECT VALUE l FROM l IN c.l WHERE l = @p) FROM c',
      { p: 2 },
      [{ l: [1, 2] }],
      [true],
    ],
    ['SELECT VALUE c.n FROM c WHERE c.n IN (@one, @two) ORDER BY c.n', { one: 1, two: 2 }, numbers, [1, 2]],
    ['SELECT VALUE @P', { p: 1, P: 2 }, [{}], [2]],
    ['SELECT VALUE @from', { from: 'reserved' }, [{}], ['reserved']],
    ['SELECT VALUE "@p"', { p: 1 }, [{}], ['@p']],
    ['SELECT VALUE 1', { unused: 1 }, [{}], [1]],
  ])('may stand in every clause: %s with %j', (query, parameters, documents, expected) => {
    expect(rowsOf(query, documents, parameters)).toStrictEqual(expected)
  })

  it('never becomes a part of the query', () => {
    const p = '" OR true OR "" = "'
    expect(rowsOf('SELECT * FROM c WHERE c.v = @p', [{ v: 1 }], { p })).toEqual([])
    expect(refusalOf('SELECT * FROM c WHERE c.v = @none', [{}], { p })).toBe('400 SC2001')
  })
})
