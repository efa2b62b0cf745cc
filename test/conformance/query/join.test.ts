import { describe, expect, it } from 'vitest'
import { lists, orders, products } from './data-sets.js'
import { refusalOf, rowsOf, sql, type Example } from './rows-of.js'

const jacket = [
  {
    name: 'Raiot Jacket',
    sizes: [
      { key: 's', description: 'Small' },
      { key: 'm', description: 'Medium' },
      { key: 'l', description: 'Large' },
      { key: 'xl', description: 'Extra Large' },
    ],
  },
]
const colored = [
  { name: 'Elecy Jacket', colors: ['indigo-shark', 'jordy-blue-shark'] },
  { name: 'Gremon Fins', colors: ['science-blue', 'turbo'] },
  { name: 'Tresko Pack', colors: ['golden-dream'] },
]
const cubes = [{ id: 1, a: [1, 2], b: ['x', 'y'], c: [true, false] }]

describe('a self-join of the documentation', () => {
  it.each<Example>([
    [
      sql`SELECT * FROM products p WHERE p.sizes[0].description LIKE "%Large" OR
          p.sizes[1].description LIKE "%Large" OR p.sizes[2].description LIKE "%Large" OR
          p.sizes[3].description LIKE "%Large"`,
      jacket,
      jacket,
    ],
    [
      'SELECT p.name, s.key, s.description FROM products p JOIN s in p.sizes',
      jacket,
      [
        { name: 'Raiot Jacket', key: 's', description: 'Small' },
        { name: 'Raiot Jacket', key: 'm', description: 'Medium' },
        { name: 'Raiot Jacket', key: 'l', description: 'Large' },
        { name: 'Raiot Jacket', key: 'xl', description: 'Extra Large' },
      ],
    ],
    [
      'SELECT p.name, s.key AS size FROM products p JOIN s in p.sizes WHERE s.description LIKE "%Large"',
      jacket,
      [
        { name: 'Raiot Jacket', size: 'l' },
        { name: 'Raiot Jacket', size: 'xl' },
      ],
    ],
    [
      'SELECT p.name, c AS color FROM products p JOIN c in p.colors',
      colored,
      [
        { name: 'Elecy Jacket', color: 'indigo-shark' },
        { name: 'Elecy Jacket', color: 'jordy-blue-shark' },
        { name: 'Gremon Fins', color: 'science-blue' },
        { name: 'Gremon Fins', color: 'turbo' },
        { name: 'Tresko Pack', color: 'golden-dream' },
      ],
    ],
    [
      'SELECT p.name, c AS color FROM products p JOIN c in p.colors WHERE c LIKE "%blue%"',
      colored,
      [
        { name: 'Elecy Jacket', color: 'jordy-blue-shark' },
        { name: 'Gremon Fins', color: 'science-blue' },
      ],
    ],
    [
      'SELECT VALUE p.name FROM products p JOIN c in p.colors WHERE c LIKE "%blue%"',
      colored,
      ['Elecy Jacket', 'Gremon Fins'],
    ],
    [
      sql`SELECT p.name, t.description AS tag FROM products p JOIN t in p.tags
          WHERE t.key = "fabric" AND t["value"] = "leather"`,
      products,
      [{ name: 'Remdriel Shoes', tag: 'Leather' }],
    ],
    [
      'SELECT c.id, t AS tag FROM c JOIN t IN c.tags WHERE t.name = "waterproof"',
      [{ id: '68719519015', tags: [{ name: 'waterproof' }, { name: 'lightweight' }] }],
      [{ id: '68719519015', tag: { name: 'waterproof' } }],
    ],
    [
      sql`SELECT VALUE COUNT(1) FROM products p JOIN t in p.tags JOIN s in p.sizes JOIN c in p.colors
          WHERE t.key IN ("fabric", "material") AND s["order"] >= 3 AND c LIKE "%gray%"`,
      products,
      [2],
    ],
  ])('returns the documented rows: %s', (query, documents, expected) => {
    expect(rowsOf(query, documents)).toStrictEqual(expected)
  })
})

describe('JOIN with IN', () => {
  it.each<Example>([
    [
      'SELECT VALUE [c.id, x] FROM c JOIN x IN c.list',
      lists,
      [
        ['two', 1],
        ['two', 2],
        ['nested', [3]],
        ['nested', null],
        ['nested', 'z'],
      ],
    ],
    ['SELECT VALUE c.id FROM c JOIN x IN c.nothing', lists, []],
    ['SELECT VALUE c.id FROM c JOIN x IN c.list.nothing', lists, []],
    ['SELECT VALUE c.id FROM c JOIN x IN c.id', lists, []],
    ['SELECT VALUE c.id FROM c JOIN x IN c', lists, []],
    ['SELECT VALUE x FROM c JOIN x IN c.list[0]', lists, [3]],
    ['SELECT VALUE x FROM c JOIN x IN c["list"] WHERE x = null', lists, [null]],
    ['SELECT VALUE x FROM c JOIN x IN c.list', [{ list: [{}, [], '', 0, false] }], [{}, [], '', 0, false]],
    ['SELECT c, x FROM c JOIN x IN c.l', [{ l: [1] }], [{ c: { l: [1] }, x: 1 }]],
    ['SELECT c FROM c JOIN x IN c.l', [{ l: [1, 1] }], [{ c: { l: [1, 1] } }, { c: { l: [1, 1] } }]],
    ['SELECT VALUE 1 FROM c JOIN x IN c.l', [{ l: [0, 0, 0] }, { l: [0] }], [1, 1, 1, 1]],
    ['SELECT VALUE x FROM c JOIN x IN c.l', [], []],
    ['SELECT VALUE x FROM ROOT JOIN x IN ROOT.l', [{ l: [1] }], [1]],
    ['SELECT VALUE x FROM ROOT r JOIN x IN r.l', [{ l: [1] }], [1]],
    ['SELECT VALUE x FROM c.at a JOIN x IN a.l', [{ at: { l: [1] } }, { at: 1 }], [1]],
  ])('has a row for each element, and none if there is no array: %s', (query, documents, expected) => {
    expect(rowsOf(query, documents)).toStrictEqual(expected)
  })
})

describe('JOIN without IN', () => {
  it.each<Example>([
    ['SELECT VALUE [c.id, v] FROM c JOIN c.at v', [{ id: 1, at: [5] }, { id: 2 }], [[1, [5]]]],
    ['SELECT VALUE [c.id, v] FROM c JOIN c.at AS v', [{ id: 1, at: null }, { id: 2 }], [[1, null]]],
    ['SELECT VALUE at.x FROM c JOIN c.at', [{ at: { x: 3 } }, { at: 1 }, {}], [3]],
    [
      'SELECT VALUE [v, x] FROM c JOIN c.at v JOIN x IN v',
      [{ at: [1, 2] }],
      [
        [[1, 2], 1],
        [[1, 2], 2],
      ],
    ],
    ['SELECT VALUE v FROM c JOIN x IN c.l JOIN x.n v', [{ l: [{ n: 1 }, {}, { n: 2 }] }], [1, 2]],
  ])('has one row for a property that exists: %s', (query, documents, expected) => {
    expect(rowsOf(query, documents)).toStrictEqual(expected)
  })
})

describe('several JOINs', () => {
  it.each<Example>([
    [
      'SELECT VALUE [x, y] FROM c JOIN x IN c.a JOIN y IN c.b',
      cubes,
      [
        [1, 'x'],
        [1, 'y'],
        [2, 'x'],
        [2, 'y'],
      ],
    ],
    [
      'SELECT VALUE [y, x] FROM c JOIN y IN c.b JOIN x IN c.a',
      cubes,
      [
        ['x', 1],
        ['x', 2],
        ['y', 1],
        ['y', 2],
      ],
    ],
    [
      'SELECT VALUE [x, y, z] FROM c JOIN x IN c.a JOIN y IN c.b JOIN z IN c.c WHERE x = 2 AND z',
      cubes,
      [
        [2, 'x', true],
        [2, 'y', true],
      ],
    ],
    ['SELECT VALUE COUNT(1) FROM c JOIN x IN c.a JOIN y IN c.b JOIN z IN c.c', cubes, [8]],
    ['SELECT VALUE COUNT(1) FROM c JOIN x IN c.a JOIN y IN c.none', cubes, [0]],
    ['SELECT VALUE COUNT(1) FROM c JOIN x IN c.a JOIN y IN c.a JOIN z IN c.a', cubes, [8]],
    [
      'SELECT VALUE [x, y] FROM c JOIN x IN c.a JOIN y IN c.a WHERE x < y',
      [{ a: [1, 2, 3] }],
      [
        [1, 2],
        [1, 3],
        [2, 3],
      ],
    ],
    [
      'SELECT VALUE [o.id, l.sku, p.n] FROM orders o JOIN l IN o.lines JOIN p IN l.parts',
      orders,
      [
        ['o1', 'a', 1],
        ['o1', 'a', 2],
        ['o1', 'a', 3],
        ['o4', 'b', 9],
      ],
    ],
    [
      'SELECT VALUE x FROM c JOIN a IN c.m JOIN b IN a JOIN x IN b',
      [{ m: [[[1], [2, 3]], [], [4, [5]]] }],
      [1, 2, 3, 5],
    ],
  ])('form the cross product, in which the last source changes fastest: %s', (query, documents, expected) => {
    expect(rowsOf(query, documents)).toStrictEqual(expected)
  })

  it.each([
    'SELECT * FROM c JOIN x IN c.a',
    'SELECT * FROM c JOIN c.a v',
    'SELECT * FROM c JOIN (SELECT VALUE 1)',
    'SELECT * FROM c JOIN (SELECT VALUE 1) AS one',
    'SELECT * FROM x IN c.a JOIN y IN x',
  ])('leave * without one source: %s', (query) => {
    expect(refusalOf(query)).toBe('400 BadRequest')
  })
})

describe('JOIN together with other clauses', () => {
  it.each<Example>([
    ['SELECT DISTINCT VALUE l.sku FROM o JOIN l IN o.lines', orders, ['a', 'b', 'c']],
    ['SELECT DISTINCT VALUE o.customer FROM o JOIN l IN o.lines', orders, ['ann', 'bob', 'cat']],
    ['SELECT VALUE SUM(l.quantity) FROM o JOIN l IN o.lines', orders, [11]],
    [
      'SELECT MIN(l.quantity) AS low, MAX(l.sku) AS last FROM o JOIN l IN o.lines',
      orders,
      [{ low: 1, last: 'c' }],
    ],
    ['SELECT VALUE AVG(l.quantity) FROM o JOIN l IN o.lines WHERE l.sku = "a"', orders, [3]],
    ['SELECT VALUE COUNTIF(l.sku = "a") FROM o JOIN l IN o.lines', orders, [2]],
    ['SELECT VALUE MAKESET(l.sku) FROM o JOIN l IN o.lines WHERE o.id = "o1"', orders, [['a', 'b']]],
    ['SELECT VALUE MAKELIST(l.sku) FROM o JOIN l IN o.lines WHERE o.id = "o1"', orders, [['a', 'b', 'a']]],
    ['SELECT TOP 2 VALUE l.sku FROM o JOIN l IN o.lines', orders, ['a', 'b']],
    ['SELECT VALUE l.sku FROM o JOIN l IN o.lines OFFSET 2 LIMIT 2', orders, ['a', 'c']],
    ['SELECT TOP 2 VALUE o.id FROM o JOIN l IN o.lines ORDER BY o.id DESC', orders, ['o4', 'o2']],
    [
      'SELECT VALUE l.sku FROM o JOIN l IN o.lines ORDER BY o.customer DESC',
      orders,
      ['b', 'c', 'a', 'b', 'a'],
    ],
    ['SELECT DISTINCT TOP 2 VALUE l.sku FROM o JOIN l IN o.lines', orders, ['a', 'b']],
    [
      'SELECT VALUE l.sku FROM o JOIN l IN o.lines WHERE o.city = "Rome" AND l.quantity > 1',
      orders,
      ['a', 'a'],
    ],
    ['SELECT VALUE COUNT(1) FROM (SELECT DISTINCT VALUE l.sku FROM o JOIN l IN o.lines)', orders, [3]],
  ])('answers %s', (query, documents, expected) => {
    expect(rowsOf(query, documents)).toStrictEqual(expected)
  })
})

describe('JOIN over a subquery', () => {
  it.each<Example>([
    [
      sql`SELECT VALUE COUNT(1) FROM products p
          JOIN (SELECT VALUE t FROM t IN p.tags WHERE t.key IN ("fabric", "material"))
          JOIN (SELECT VALUE s FROM s IN p.sizes WHERE s["order"] >= 3)
          JOIN (SELECT VALUE c FROM c in p.colors WHERE c LIKE "%gray%")`,
      products,
      [2],
    ],
    [
      sql`SELECT VALUE { subtotal: p.price, total: totalPrice } FROM products p
          JOIN (SELECT VALUE p.price * 1.25) totalPrice WHERE totalPrice < 22.25`,
      products,
      [
        { subtotal: 15, total: 18.75 },
        { subtotal: 10, total: 12.5 },
      ],
    ],
    [
      sql`SELECT VALUE { subtotal: p.price, total: (p.price * 1.25) } FROM products p
          WHERE (p.price * 1.25) < 22.25`,
      products,
      [
        { subtotal: 15, total: 18.75 },
        { subtotal: 10, total: 12.5 },
      ],
    ],
    [
      sql`SELECT p.name, p.subCategory, s.description AS size, m.length, m.unit FROM products p
          JOIN s IN p.sizes
          JOIN m IN (SELECT VALUE [
            {size: 'xs', length: 63.5, unit: 'cm'}, {size: 's', length: 64.5, unit: 'cm'},
            {size: 'm', length: 66, unit: 'cm'}, {size: 'l', length: 67.5, unit: 'cm'},
            {size: 'xl', length: 69, unit: 'cm'}, {size: 'xxl', length: 70.5, unit: 'cm'}
          ]) WHERE s.key = m.size`,
      [{ ...jacket[0], subCategory: 'jackets' }],
      [
        { name: 'Raiot Jacket', subCategory: 'jackets', size: 'Small', length: 64.5, unit: 'cm' },
        { name: 'Raiot Jacket', subCategory: 'jackets', size: 'Medium', length: 66, unit: 'cm' },
        { name: 'Raiot Jacket', subCategory: 'jackets', size: 'Large', length: 67.5, unit: 'cm' },
        { name: 'Raiot Jacket', subCategory: 'jackets', size: 'Extra Large', length: 69, unit: 'cm' },
      ],
    ],
    ['SELECT VALUE c.id FROM c JOIN (SELECT VALUE c.nothing)', lists, []],
    ['SELECT VALUE n FROM c JOIN (SELECT VALUE c.v) AS n', [{ v: 1 }, {}, { v: null }], [1, null]],
    ['SELECT VALUE n FROM c JOIN (SELECT c.v) AS n', [{ v: 1 }, {}], [{ v: 1 }, {}]],
    ['SELECT VALUE n.v FROM c JOIN (SELECT c.v) n', [{ v: 1 }, {}], [1]],
    ['SELECT VALUE n FROM c JOIN (SELECT VALUE x FROM x IN c.list WHERE x > 1) n', lists, [2]],
    ['SELECT VALUE n FROM c JOIN n IN (SELECT VALUE x FROM x IN c.list)', lists, [3]],
    ['SELECT VALUE n FROM c JOIN n IN (SELECT VALUE c.list)', lists, [1, 2, [3], null, 'z']],
    [
      'SELECT VALUE [c.id, n] FROM c JOIN (SELECT VALUE COUNT(1) FROM x IN c.list) n WHERE n > 2',
      lists,
      [['nested', 3]],
    ],
    ['SELECT VALUE n FROM c JOIN (SELECT DISTINCT VALUE x FROM x IN c.l) n', [{ l: [1, 1, 2] }], [1, 2]],
    [
      'SELECT VALUE [a, b] FROM c JOIN (SELECT VALUE c.v) a JOIN (SELECT VALUE a + 1) b',
      [{ v: 1 }],
      [[1, 2]],
    ],
    ['SELECT VALUE x FROM c JOIN (SELECT VALUE c.l) a JOIN x IN a', [{ l: [1, 2] }, {}], [1, 2]],
    [
      'SELECT VALUE n FROM c JOIN (SELECT x AS v, COUNT(1) AS n FROM x IN c.l GROUP BY x) n',
      [{ l: [1, 2, 1] }],
      [
        { v: 1, n: 2 },
        { v: 2, n: 1 },
      ],
    ],
  ])('has a row for each row of the subquery: %s', (query, documents, expected) => {
    expect(rowsOf(query, documents)).toStrictEqual(expected)
  })
})
