import { describe, expect, it } from 'vitest'
import { lists, orders, products } from './data-sets.js'
import { refusalOf, rowsOf, sql, type Example } from './rows-of.js'

const sandals = [
  { name: 'Menti Sandals', sizes: [{ key: '5' }, { key: '6' }, { key: '7' }, { key: '8' }, { key: '9' }] },
]
const shoes = [{ id: '1', name: 'Remdriel Shoes' }, { id: '2', name: 'Tirevy trunks' }, { id: '3' }]

describe('a scalar subquery', () => {
  it.each<Example>([
    ['SELECT 1 AS a, 2 AS b', [{}], [{ a: 1, b: 2 }]],
    ['SELECT (SELECT VALUE 1) AS a, (SELECT VALUE 2) AS b', [{}], [{ a: 1, b: 2 }]],
    [
      "SELECT (SELECT VALUE CONCAT('ID-', p.id)) AS internalId FROM products p",
      shoes,
      [{ internalId: 'ID-1' }, { internalId: 'ID-2' }, { internalId: 'ID-3' }],
    ],
    [
      'SELECT p.id, (SELECT p.name WHERE CONTAINS(p.name, "Shoes")).name FROM products p',
      shoes,
      [{ id: '1', name: 'Remdriel Shoes' }, { id: '2' }, { id: '3' }],
    ],
    ['SELECT VALUE (SELECT VALUE c.v) FROM c', [{ v: 1 }, {}, { v: null }], [1, null]],
    ['SELECT VALUE (SELECT c.v) FROM c', [{ v: 1 }, {}], [{ v: 1 }, {}]],
    ['SELECT VALUE (SELECT VALUE c.v WHERE c.v > 1) FROM c', [{ v: 1 }, { v: 2 }], [2]],
    ['SELECT VALUE (SELECT VALUE c.v WHERE false) ?? "none" FROM c', [{ v: 1 }], ['none']],
    ['SELECT VALUE (SELECT VALUE 2) * (SELECT VALUE 3)', [{}], [6]],
    ['SELECT VALUE [(SELECT VALUE 1), { a: (SELECT VALUE 2) }]', [{}], [[1, { a: 2 }]]],
    ['SELECT VALUE ABS((SELECT VALUE -2))', [{}], [2]],
    ['SELECT VALUE (SELECT VALUE [1, 2])[1]', [{}], [2]],
    ['SELECT VALUE (SELECT VALUE {a: {b: 3}}).a.b', [{}], [3]],
    [
      'SELECT VALUE c.id FROM c WHERE (SELECT VALUE c.v > 1)',
      [
        { id: 'a', v: 1 },
        { id: 'b', v: 2 },
      ],
      ['b'],
    ],
    [
      'SELECT VALUE c.id FROM c WHERE (SELECT VALUE c.v) = 2',
      [
        { id: 'a', v: 1 },
        { id: 'b', v: 2 },
      ],
      ['b'],
    ],
    ['SELECT VALUE c.id FROM c WHERE 2 IN ((SELECT VALUE c.v), 9)', [{ id: 'a' }, { id: 'b', v: 2 }], ['b']],
  ])('without a source has the value of its expression: %s', (query, documents, expected) => {
    expect(rowsOf(query, documents)).toStrictEqual(expected)
  })

  it.each<Example>([
    [
      sql`SELECT p.name, (SELECT VALUE COUNT(1) FROM c IN p.colors) AS colorsCount FROM products p
          WHERE p.id = "1"`,
      products,
      [{ name: 'Remdriel Shoes', colorsCount: 5 }],
    ],
    [
      sql`SELECT p.name, (SELECT VALUE COUNT(1) FROM c IN p.colors) AS colorsCount,
          (SELECT VALUE COUNT(1) FROM c IN p.colors WHERE c LIKE "%t") AS colorsEndsWithTCount
          FROM products p`,
      [{ name: 'Blators Snowboard Boots', colors: ['turquoise', 'cobalt', 'jam', 'galliano', 'violet'] }],
      [{ name: 'Blators Snowboard Boots', colorsCount: 5, colorsEndsWithTCount: 2 }],
    ],
    [
      sql`SELECT p.name, (SELECT VALUE COUNT(1) FROM c IN p.colors) AS colorsCount,
          (SELECT VALUE COUNT(1) FROM s in p.sizes) AS sizesCount,
          (SELECT VALUE COUNT(1) FROM t IN p.tags) AS tagsCount FROM products p
          WHERE p.price > 30 OR p.id = "1"`,
      products,
      [
        { name: 'Remdriel Shoes', colorsCount: 5, sizesCount: 3, tagsCount: 2 },
        { name: 'Benki Hat', colorsCount: 0, sizesCount: 0, tagsCount: 0 },
        { name: 'Plain', colorsCount: 0, sizesCount: 0, tagsCount: 0 },
      ],
    ],
    [
      sql`SELECT p.name,
          (SELECT VALUE COUNT(1) FROM s in p.sizes WHERE s.description LIKE "%Small") AS smallSizesCount,
          (SELECT VALUE COUNT(1) FROM s in p.sizes WHERE s.description LIKE "%Large") AS largeSizesCount
          FROM products p WHERE (SELECT VALUE COUNT(1) FROM c IN p.colors) >= 5`,
      products,
      [{ name: 'Remdriel Shoes', smallSizesCount: 1, largeSizesCount: 2 }],
    ],
    [
      sql`SELECT p.name, colorCount, smallSizesCount, largeSizesCount FROM products p
          JOIN (SELECT VALUE COUNT(1) FROM c IN p.colors) AS colorCount
          JOIN (SELECT VALUE COUNT(1) FROM s in p.sizes WHERE s.description LIKE "%Small") AS smallSizesCount
          JOIN (SELECT VALUE COUNT(1) FROM s in p.sizes WHERE s.description LIKE "%Large") AS largeSizesCount
          WHERE colorCount >= 5 AND largeSizesCount > 0 AND smallSizesCount > 0`,
      products,
      [{ name: 'Remdriel Shoes', colorCount: 5, smallSizesCount: 1, largeSizesCount: 2 }],
    ],
    ['SELECT VALUE (SELECT VALUE MAX(x) FROM x IN c.l) FROM c', [{ l: [1, 3, 2] }, { l: [] }, {}], [3]],
    ['SELECT VALUE (SELECT VALUE SUM(x) FROM x IN c.l) FROM c', [{ l: [1, 3] }, { l: [1, 'a'] }], [4]],
    [
      'SELECT VALUE (SELECT MIN(x) AS a, AVG(x) AS b FROM x IN c.l) FROM c',
      [{ l: [1, 3] }, {}],
      [{ a: 1, b: 2 }, {}],
    ],
    ['SELECT VALUE (SELECT VALUE SUM(x * c.base) FROM x IN c.l) FROM c', [{ base: 10, l: [1, 3] }], [40]],
    ['SELECT VALUE (SELECT VALUE SUM(c.base) FROM x IN c.l) FROM c', [{ base: 10, l: [1, 3] }], [20]],
    [
      'SELECT VALUE (SELECT VALUE COUNT(1) FROM x IN c.l WHERE x > c.base) FROM c',
      [{ base: 2, l: [1, 3] }],
      [1],
    ],
    ['SELECT VALUE SUM((SELECT VALUE COUNT(1) FROM x IN c.list)) FROM c', lists, [5]],
    ['SELECT VALUE MAX((SELECT VALUE MAX(l.quantity) FROM l IN o.lines)) FROM o', orders, [4]],
    ['SELECT VALUE c.id FROM c WHERE (SELECT VALUE COUNT(1) FROM x IN c.list) > 1', lists, ['two', 'nested']],
    ['SELECT VALUE (SELECT VALUE MAX(x) FROM x IN c.l) + 1 FROM c', [{ l: [1, 3] }, { l: [] }], [4]],
    [
      'SELECT VALUE (SELECT VALUE COUNT(1) FROM x IN c.a JOIN y IN c.b WHERE x = y) FROM c',
      [{ a: [1, 2, 3], b: [2, 3, 4] }],
      [2],
    ],
    ['SELECT VALUE (SELECT VALUE MAKELIST(x) FROM x IN c.l) FROM c', [{ l: [2, 2] }, {}], [[2, 2], []]],
  ])('with an aggregate has one value per outer row: %s', (query, documents, expected) => {
    expect(rowsOf(query, documents)).toStrictEqual(expected)
  })

  it.each([
    'SELECT (SELECT VALUE x FROM x IN c.a) FROM c',
    'SELECT (SELECT x.b FROM x IN c.a) FROM c',
    'SELECT VALUE c FROM c WHERE (SELECT VALUE x FROM x IN c.a WHERE x = 1)',
    'SELECT (SELECT VALUE COUNT(1) FROM x IN c.a GROUP BY x) FROM c',
    'SELECT (SELECT DISTINCT VALUE x FROM x IN c.a) FROM c',
  ])('may not have several rows: %s', (query) => {
    expect(refusalOf(query)).toBe('400 BadRequest')
  })

  it.each([
    'SELECT (SELECT TOP 1 VALUE 1) FROM c',
    'SELECT ARRAY(SELECT VALUE x FROM x IN c.a ORDER BY x) FROM c',
    'SELECT ARRAY(SELECT VALUE x FROM x IN c.a OFFSET 0 LIMIT 1) FROM c',
    'SELECT VALUE EXISTS(SELECT TOP 1 VALUE x FROM x IN c.a) FROM c',
    'SELECT VALUE x FROM c JOIN (SELECT TOP 1 VALUE y FROM y IN c.a) x',
    'SELECT VALUE x FROM (SELECT VALUE c.a FROM c ORDER BY c.a) x',
  ])('has no order and no limit: %s', (query) => {
    expect(refusalOf(query)).toBe('400 BadRequest')
  })
})

describe('EXISTS', () => {
  it.each<Example>([
    ['SELECT VALUE undefined', [{}], []],
    ['SELECT VALUE EXISTS (SELECT VALUE undefined)', [{}], [false]],
    ['SELECT undefined', [{}], [{}]],
    ['SELECT VALUE EXISTS (SELECT undefined)', [{}], [true]],
    ['SELECT VALUE EXISTS (SELECT VALUE null)', [{}], [true]],
    ['SELECT VALUE EXISTS (SELECT VALUE false)', [{}], [true]],
    ['SELECT VALUE EXISTS (SELECT VALUE 1 WHERE false)', [{}], [false]],
    ['SELECT VALUE p.id FROM products p WHERE ARRAY_CONTAINS(p.colors, "cobalt")', products, ['1']],
    [
      'SELECT VALUE p.id FROM products p WHERE EXISTS (SELECT VALUE c FROM c IN p.colors WHERE c = "cobalt")',
      products,
      ['1'],
    ],
    [
      sql`SELECT VALUE p.name FROM products p WHERE EXISTS (SELECT VALUE t FROM t IN p.tags
          WHERE t.key = "fabric" AND t["value"] = "leather")`,
      products,
      ['Remdriel Shoes'],
    ],
    [
      sql`SELECT p.name, EXISTS (SELECT VALUE t FROM t IN p.tags
          WHERE t.key = "fabric" AND t["value"] = "leather") AS containsFabricLeatherTag FROM products p`,
      products.slice(0, 2),
      [
        { name: 'Remdriel Shoes', containsFabricLeatherTag: true },
        { name: 'Tirevy trunks', containsFabricLeatherTag: false },
      ],
    ],
    ['SELECT VALUE c.id FROM c WHERE EXISTS(SELECT VALUE x FROM x IN c.list)', lists, ['two', 'nested']],
    [
      'SELECT VALUE c.id FROM c WHERE NOT EXISTS(SELECT VALUE x FROM x IN c.list) AND IS_ARRAY(c.list)',
      lists,
      ['none'],
    ],
    ['SELECT VALUE c.id FROM c WHERE EXISTS(SELECT VALUE x.a FROM x IN c.list)', lists, []],
    ['SELECT VALUE c.id FROM c WHERE EXISTS(SELECT x.a FROM x IN c.list)', lists, ['two', 'nested']],
    ['SELECT VALUE EXISTS(SELECT VALUE COUNT(1) FROM x IN c.nothing) FROM c', [{}], [true]],
    ['SELECT VALUE EXISTS(SELECT VALUE MAX(x) FROM x IN c.nothing) FROM c', [{}], [false]],
    ['SELECT VALUE EXISTS(SELECT VALUE c.v) FROM c', [{ v: null }, {}], [true, false]],
    [
      'SELECT VALUE EXISTS(SELECT VALUE x FROM x IN c.l) ? "some" : "none" FROM c',
      [{ l: [1] }, {}],
      ['some', 'none'],
    ],
    ['SELECT VALUE COUNTIF(EXISTS(SELECT VALUE x FROM x IN c.list)) FROM c', lists, [2]],
    [
      'SELECT VALUE o.id FROM o JOIN l IN o.lines WHERE EXISTS(SELECT VALUE p FROM p IN l.parts)',
      orders,
      ['o1', 'o1', 'o4'],
    ],
  ])('is true if the subquery has rows: %s', (query, documents, expected) => {
    expect(rowsOf(query, documents)).toStrictEqual(expected)
  })
})

describe('ARRAY', () => {
  it.each<Example>([
    [
      sql`SELECT p.name, ARRAY (SELECT VALUE s.key FROM s IN p.sizes) AS sizes FROM products p
          WHERE p.name = "Menti Sandals"`,
      sandals,
      [{ name: 'Menti Sandals', sizes: ['5', '6', '7', '8', '9'] }],
    ],
    [
      sql`SELECT p.name,
          ARRAY (SELECT VALUE s.key FROM s IN p.sizes WHERE s.key <= "6") AS smallSizes,
          ARRAY (SELECT VALUE s.key FROM s IN p.sizes WHERE s.key >= "9") AS largeSizes
          FROM products p WHERE p.name = "Menti Sandals"`,
      sandals,
      [{ name: 'Menti Sandals', smallSizes: ['5', '6'], largeSizes: ['9'] }],
    ],
    [
      sql`SELECT p.name, z.s.key AS sizes FROM products p JOIN z IN (SELECT VALUE ARRAY (
          SELECT s FROM s IN p.sizes WHERE s.key <= "8"))`,
      sandals,
      ['5', '6', '7', '8'].map((sizes) => ({ name: 'Menti Sandals', sizes })),
    ],
    [
      'SELECT f.id, ARRAY(SELECT DISTINCT VALUE c.givenName FROM c IN f.children) as ChildNames FROM f',
      [
        { id: 'AndersenFamily', children: [{ firstName: 'Henriette Thaulow' }] },
        { id: 'WakefieldFamily', children: [{ givenName: 'Jesse' }, { givenName: 'Lisa' }] },
      ],
      [
        { id: 'AndersenFamily', ChildNames: [] },
        { id: 'WakefieldFamily', ChildNames: ['Jesse', 'Lisa'] },
      ],
    ],
    ['SELECT VALUE ARRAY(SELECT VALUE c.v) FROM c', [{ v: 1 }, {}, { v: null }], [[1], [], [null]]],
    ['SELECT VALUE ARRAY(SELECT c.v) FROM c', [{ v: 1 }, {}], [[{ v: 1 }], [{}]]],
    ['SELECT VALUE ARRAY(SELECT VALUE x FROM x IN c.nothing) FROM c', [{}], [[]]],
    [
      'SELECT VALUE ARRAY(SELECT VALUE x.a FROM x IN c.l) FROM c',
      [{ l: [{ a: 1 }, {}, { a: 2 }] }],
      [[1, 2]],
    ],
    ['SELECT VALUE ARRAY(SELECT VALUE COUNT(1) FROM x IN c.l) FROM c', [{ l: [1, 1] }, {}], [[2], [0]]],
    ['SELECT VALUE ARRAY(SELECT VALUE MAX(x) FROM x IN c.l) FROM c', [{ l: [1, 5] }, {}], [[5], []]],
    ['SELECT VALUE ARRAY(SELECT VALUE [x, y] FROM x IN c.l JOIN y IN c.l) FROM c', [{ l: [1] }], [[[1, 1]]]],
    [
      'SELECT VALUE ARRAY(SELECT x.k, COUNT(1) AS n FROM x IN c.l GROUP BY x.k) FROM c',
      [{ l: [{ k: 'a' }, { k: 'a' }, {}] }],
      [[{ k: 'a', n: 2 }, { n: 1 }]],
    ],
    ['SELECT VALUE ARRAY(SELECT VALUE x FROM x IN c.l)[1] FROM c', [{ l: [1, 2] }], [2]],
    [
      'SELECT VALUE ARRAY_LENGTH(ARRAY(SELECT VALUE x FROM x IN c.l WHERE x > 1)) FROM c',
      [{ l: [1, 2] }],
      [1],
    ],
    [
      'SELECT DISTINCT VALUE ARRAY(SELECT VALUE x FROM x IN c.l) FROM c',
      [{ l: [1] }, { l: [1] }, {}],
      [[1], []],
    ],
  ])('has the rows of the subquery as an array: %s', (query, documents, expected) => {
    expect(rowsOf(query, documents)).toStrictEqual(expected)
  })

  it.each<Example>([
    [
      sql`SELECT p.name,
          ARRAY (SELECT VALUE s.key FROM s IN p.sizes WHERE STRINGTONUMBER(s.key) <= 6) AS smallSizes,
          ARRAY (SELECT VALUE s.key FROM s IN p.sizes WHERE STRINGTONUMBER(s.key) >= 9) AS largeSizes
          FROM products p WHERE p.name = "Menti Sandals"`,
      sandals,
      [{ name: 'Menti Sandals', smallSizes: ['5', '6'], largeSizes: ['9'] }],
    ],
    [
      sql`SELECT p.name, z.s.key AS sizes FROM products p JOIN z IN (SELECT VALUE ARRAY (
          SELECT s FROM s IN p.sizes WHERE STRINGTONUMBER(s.key) <= 8))`,
      sandals,
      ['5', '6', '7', '8'].map((sizes) => ({ name: 'Menti Sandals', sizes })),
    ],
  ])('may filter by a number read from a text: %s', (query, documents, expected) => {
    expect(rowsOf(query, documents)).toStrictEqual(expected)
  })
})

describe('FIRST and LAST', () => {
  it.each<Example>([
    ['SELECT VALUE FIRST(SELECT VALUE x FROM x IN c.l) FROM c', [{ l: [1, 2] }, { l: [] }, {}], [1]],
    ['SELECT VALUE LAST(SELECT VALUE x FROM x IN c.l) FROM c', [{ l: [1, 2] }, { l: [] }, {}], [2]],
    ['SELECT VALUE FIRST(SELECT VALUE x FROM x IN c.l WHERE x > 1) FROM c', [{ l: [1, 2, 3] }], [2]],
    ['SELECT VALUE LAST(SELECT VALUE x FROM x IN c.l WHERE x < 3) FROM c', [{ l: [1, 2, 3] }], [2]],
    ['SELECT VALUE FIRST(SELECT VALUE x.a FROM x IN c.l) FROM c', [{ l: [{}, { a: 1 }, { a: 2 }] }], [1]],
    ['SELECT VALUE LAST(SELECT VALUE x.a FROM x IN c.l) FROM c', [{ l: [{ a: 1 }, { a: 2 }, {}] }], [2]],
    ['SELECT VALUE FIRST(SELECT x.a FROM x IN c.l) FROM c', [{ l: [{}, { a: 1 }] }], [{}]],
    ['SELECT FIRST(SELECT VALUE x FROM x IN c.l) AS f FROM c', [{ l: [null] }, {}], [{ f: null }, {}]],
    [
      'SELECT VALUE FIRST(SELECT VALUE x FROM x IN c.l) + LAST(SELECT VALUE x FROM x IN c.l) FROM c',
      [{ l: [1, 2] }],
      [3],
    ],
    ['SELECT VALUE c.id FROM c WHERE FIRST(SELECT VALUE x FROM x IN c.list) = 1', lists, ['two']],
    [
      'SELECT VALUE LAST(SELECT VALUE [x, y] FROM x IN c.l JOIN y IN c.m) FROM c',
      [{ l: [1, 2], m: [3, 4] }],
      [[2, 4]],
    ],
    ['SELECT VALUE FIRST(SELECT x.a FROM x IN c.l).a FROM c', [{ l: [{ a: 7 }] }], [7]],
  ])('are the first and the last row of the subquery: %s', (query, documents, expected) => {
    expect(rowsOf(query, documents)).toStrictEqual(expected)
  })
})

describe('ALL', () => {
  const documents = [
    { id: 'high', l: [2, 3] },
    { id: 'some', l: [1, 2] },
    { id: 'none', l: [] },
    { id: 'text', l: ['x', 2] },
    { id: 'missing' },
  ]

  it.each([
    ['x > 1', 'high,none,text,missing'],
    ['x < 3 AND x > 0', 'some,none,text,missing'],
    ['NOT (x > 1)', 'none,missing'],
    ['IS_NUMBER(x)', 'high,some,none,missing'],
    ['false', 'none,missing'],
    ['true', 'high,some,none,text,missing'],
    ['x.y = 1', 'high,some,none,text,missing'],
    ['EXISTS(SELECT VALUE y FROM y IN c.l WHERE y > x)', 'none,missing'],
  ])('of %s is true unless the filter is false for a row', (filter, ids) => {
    const select = 'SELECT VALUE c.id FROM c WHERE'
    const all = `${select} ALL(SELECT VALUE x FROM x IN c.l WHERE ${filter})`
    const none = `${select} NOT EXISTS(SELECT VALUE x FROM x IN c.l WHERE NOT (${filter}))`
    expect([rowsOf(all, documents).join(), rowsOf(none, documents).join()]).toEqual([ids, ids])
  })

  it('without a filter is true', () => {
    expect(rowsOf('SELECT VALUE ALL(SELECT VALUE x FROM x IN c.l) FROM c', [{ l: [1] }, {}])).toEqual([
      true,
      true,
    ])
  })
})

describe('a nested subquery', () => {
  it.each<Example>([
    ['SELECT VALUE (SELECT VALUE (SELECT VALUE (SELECT VALUE c.v))) FROM c', [{ v: 1 }, {}], [1]],
    [
      sql`SELECT VALUE ARRAY(SELECT VALUE ARRAY(SELECT VALUE p.n + o.total FROM p IN l.parts)
          FROM l IN o.lines) FROM o`,
      orders,
      [[[31, 32], [], [33]], [[]], [], [[]], []],
    ],
    [
      sql`SELECT VALUE (SELECT VALUE SUM((SELECT VALUE SUM(p.n * l.quantity) FROM p IN l.parts))
          FROM l IN o.lines) FROM o`,
      orders,
      [18, 0, 0, 27, 0],
    ],
    [
      sql`SELECT VALUE o.id FROM o WHERE EXISTS(SELECT VALUE l FROM l IN o.lines WHERE
          EXISTS(SELECT VALUE p FROM p IN l.parts WHERE p.n > l.quantity AND o.customer != "ann"))`,
      orders,
      ['o4'],
    ],
    [
      sql`SELECT VALUE EXISTS(SELECT VALUE a FROM a IN c.m WHERE EXISTS(SELECT VALUE b FROM b IN a
          WHERE EXISTS(SELECT VALUE x FROM x IN b WHERE x = c.find))) FROM c`,
      [
        { find: 3, m: [[[1], [2, 3]]] },
        { find: 4, m: [[[1], [2, 3]]] },
      ],
      [true, false],
    ],
    [
      sql`SELECT VALUE n FROM c JOIN (SELECT VALUE s FROM c JOIN (SELECT VALUE SUM(x) FROM x IN c.l) s) n`,
      [{ l: [1, 2] }],
      [3],
    ],
    [
      sql`SELECT VALUE ARRAY(SELECT VALUE { sku: l.sku, parts: (SELECT VALUE COUNT(1) FROM p IN l.parts),
          of: o.id } FROM l IN o.lines WHERE l.quantity >= (SELECT VALUE MAX(m.quantity) FROM m IN o.lines))
          FROM o WHERE o.id = "o1"`,
      orders,
      [[{ sku: 'a', parts: 1, of: 'o1' }]],
    ],
    [
      'SELECT VALUE ARRAY(SELECT VALUE FIRST(SELECT VALUE y FROM y IN x) FROM x IN c.l) FROM c',
      [{ l: [[1, 2], [], [3]] }],
      [[1, 3]],
    ],
    [
      'SELECT VALUE x FROM (SELECT VALUE y FROM (SELECT VALUE z.v FROM (SELECT c.v FROM c) z) y) x',
      [{ v: 1 }, {}],
      [1],
    ],
  ])('sees the aliases of every level around it: %s', (query, documents, expected) => {
    expect(rowsOf(query, documents)).toStrictEqual(expected)
  })

  it.each<Example>([
    ['SELECT VALUE ARRAY(SELECT VALUE c FROM c IN c.l) FROM c', [{ l: [1, 2] }], [[1, 2]]],
    [
      'SELECT VALUE [c.v, (SELECT VALUE MAX(c) FROM c IN c.l), c.v] FROM c',
      [{ v: 9, l: [1, 2] }],
      [[9, 2, 9]],
    ],
    [
      'SELECT VALUE [x, ARRAY(SELECT VALUE x FROM x IN c.m)] FROM c JOIN x IN c.l',
      [{ l: [1], m: [5] }],
      [[1, [5]]],
    ],
    [
      'SELECT VALUE ARRAY(SELECT VALUE ARRAY(SELECT VALUE x FROM x IN x) FROM x IN x.l) FROM x',
      [{ l: [[1], [2]] }],
      [[[1], [2]]],
    ],
    ['SELECT VALUE t FROM c JOIN (SELECT VALUE t FROM t IN c.l WHERE t > 1) AS t', [{ l: [1, 2] }], [2]],
    ['SELECT VALUE (SELECT VALUE c FROM (SELECT VALUE 1) c) FROM c WHERE c.v = 2', [{ v: 2 }], [1]],
    [
      'SELECT VALUE c.v FROM c WHERE EXISTS(SELECT VALUE c FROM c IN c.l WHERE c = 1)',
      [{ v: 3, l: [1] }],
      [3],
    ],
  ])('may declare an alias again, for itself only: %s', (query, documents, expected) => {
    expect(rowsOf(query, documents)).toStrictEqual(expected)
  })

  it.each([
    'SELECT VALUE x FROM c WHERE EXISTS(SELECT VALUE x FROM x IN c.a)',
    'SELECT VALUE y FROM c JOIN (SELECT VALUE y FROM y IN c.a)',
    'SELECT VALUE ARRAY(SELECT VALUE z FROM x IN c.a) FROM c',
  ])('keeps its aliases to itself: %s', (query) => {
    expect(refusalOf(query)).toBe('400 SC2001')
  })
})
