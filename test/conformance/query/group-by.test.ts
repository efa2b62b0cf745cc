import { describe, expect, it } from 'vitest'
import { mixed, orders } from './data-sets.js'
import { inAnyOrder, refusalOf, rowsOf, sql, type Example } from './rows-of.js'

const employees = [
  { team: 'Cloud software engineering', capabilities: { softwareDevelopment: 'python' } },
  { team: 'Cloud software engineering', capabilities: { softwareDevelopment: 'c-sharp' } },
  { team: 'Cloud software engineering', capabilities: {} },
  { team: 'Cloud software engineering', capabilities: { softwareDevelopment: 'javascript' } },
  { team: 'Cloud software engineering' },
  { team: 'Cloud software engineering', capabilities: { softwareDevelopment: 'python' } },
  { team: 'Hospitality', capabilities: { softwareDevelopment: 'cobol' } },
]
const pairs = [
  { a: 1, b: 'x', n: 1 },
  { a: 1, b: 'y', n: 2 },
  { a: 2, b: 'x', n: 3 },
  { a: 1, b: 'x', n: 4 },
  { a: '1', b: 'x', n: 5 },
  { b: 'x', n: 6 },
  { n: 7 },
]

/** GROUP BY promises no order of its rows. */
const examples = (title: string, table: readonly Example[]): void => {
  it.each(table)(`${title}: %s`, (query, documents, expected) => {
    expect(inAnyOrder(rowsOf(query, documents))).toEqual(inAnyOrder(expected))
  })
}

describe('GROUP BY', () => {
  examples('has a row for each value of the key', [
    [
      sql`SELECT e.capabilities.softwareDevelopment AS developmentLang FROM employees e
          WHERE e.team = "Cloud software engineering" GROUP BY e.capabilities.softwareDevelopment`,
      employees,
      [{}, { developmentLang: 'c-sharp' }, { developmentLang: 'javascript' }, { developmentLang: 'python' }],
    ],
    ['SELECT VALUE c.a FROM c GROUP BY c.a', pairs, [1, 2, '1']],
    ['SELECT c.a FROM c GROUP BY c.a', pairs, [{ a: 1 }, { a: 2 }, { a: '1' }, {}]],
    ['SELECT c.a AS key FROM c GROUP BY c.a', pairs, [{ key: 1 }, { key: 2 }, { key: '1' }, {}]],
    ['SELECT c.a FROM c GROUP BY c["a"]', pairs, [{ a: 1 }, { a: 2 }, { a: '1' }, {}]],
    ['SELECT c["odd key"] FROM c GROUP BY c["odd key"]', [{ 'odd key': 1 }, {}], [{ 'odd key': 1 }, {}]],
    ['SELECT c["order"] FROM c GROUP BY c["order"]', [{ order: 1 }, { order: 1 }], [{ order: 1 }]],
    ['SELECT VALUE c.l[0] FROM c GROUP BY c.l[0]', [{ l: [1] }, { l: [1, 2] }, { l: [] }], [1]],
    ['SELECT VALUE { key: c.a } FROM c GROUP BY c.a', pairs, [{ key: 1 }, { key: 2 }, { key: '1' }, {}]],
    ['SELECT VALUE [c.a] FROM c GROUP BY c.a', pairs, [[1], [2], ['1'], []]],
    ['SELECT c.a FROM c GROUP BY c.a', [], []],
    ['SELECT COUNT(1) AS n FROM c GROUP BY c.a', [], []],
    ['SELECT COUNT(1) AS n FROM c WHERE false GROUP BY c.a', pairs, []],
    ['SELECT 1 AS one FROM c GROUP BY c.a', pairs, [{ one: 1 }, { one: 1 }, { one: 1 }, { one: 1 }]],
  ])

  examples('keeps values of different types apart, and undefined from null', [
    [
      'SELECT c.v, COUNT(1) AS n FROM c GROUP BY c.v',
      mixed,
      [
        { v: 'b', n: 1 },
        { v: 2, n: 1 },
        { v: null, n: 1 },
        { v: false, n: 1 },
        { n: 1 },
        { v: 10, n: 1 },
        { v: true, n: 1 },
        { v: -1, n: 1 },
      ],
    ],
    ['SELECT c.v FROM c GROUP BY c.v', [{ v: null }, {}, { v: null }, {}], [{ v: null }, {}]],
    ['SELECT VALUE COUNT(1) FROM c GROUP BY c.v', [{ v: null }, {}, { v: null }], [2, 1]],
    [
      'SELECT VALUE COUNT(1) FROM c GROUP BY c.v',
      [{ v: 1 }, { v: '1' }, { v: true }, { v: [1] }],
      [1, 1, 1, 1],
    ],
    ['SELECT VALUE COUNT(1) FROM c GROUP BY c.v', [{ v: 0 }, { v: -0 }, { v: '' }, { v: false }], [2, 1, 1]],
    ['SELECT VALUE COUNT(1) FROM c GROUP BY c.v', [{ v: [] }, { v: {} }, { v: [] }, { v: '[]' }], [2, 1, 1]],
    ['SELECT VALUE COUNT(1) FROM c GROUP BY c.v', [{ v: [1, 2] }, { v: [2, 1] }, { v: [1, 2] }], [2, 1]],
    [
      'SELECT VALUE COUNT(1) FROM c GROUP BY c.v',
      [{ v: { a: 1, b: [{ c: 1, d: 2 }] } }, { v: { b: [{ d: 2, c: 1 }], a: 1 } }, { v: { a: 1 } }],
      [2, 1],
    ],
    ['SELECT VALUE COUNT(1) FROM c GROUP BY c.v', [{ v: 'a' }, { v: 'A' }, { v: 'a ' }], [1, 1, 1]],
    ['SELECT VALUE COUNT(1) FROM c GROUP BY c.v', [{ v: '\u00e9' }, { v: 'e\u0301' }], [1, 1]],
    [
      'SELECT VALUE COUNT(1) FROM c GROUP BY c.v',
      [{ v: 2 ** 53 }, { v: 2 ** 53 - 1 }, { v: 2 ** 53 }],
      [2, 1],
    ],
  ])

  examples('combines several keys', [
    [
      'SELECT c.a, c.b, COUNT(1) AS n FROM c GROUP BY c.a, c.b',
      pairs,
      [
        { a: 1, b: 'x', n: 2 },
        { a: 1, b: 'y', n: 1 },
        { a: 2, b: 'x', n: 1 },
        { a: '1', b: 'x', n: 1 },
        { b: 'x', n: 1 },
        { n: 1 },
      ],
    ],
    ['SELECT c.b FROM c GROUP BY c.a, c.b', pairs.slice(0, 4), [{ b: 'x' }, { b: 'y' }, { b: 'x' }]],
    ['SELECT VALUE COUNT(1) FROM c GROUP BY c.a, c.b', [{ a: 1 }, { b: 1 }, { a: 1 }, {}], [2, 1, 1]],
    [
      'SELECT VALUE COUNT(1) FROM c GROUP BY c.a, c.b',
      [
        { a: 'x,', b: 'y' },
        { a: 'x', b: ',y' },
      ],
      [1, 1],
    ],
    [
      'SELECT VALUE COUNT(1) FROM c GROUP BY c.a, c.b',
      [
        { a: [1], b: 2 },
        { a: 1, b: [2] },
      ],
      [1, 1],
    ],
    [
      'SELECT VALUE [c.b, c.a] FROM c GROUP BY c.a, c.b',
      pairs.slice(0, 3),
      [
        ['x', 1],
        ['y', 1],
        ['x', 2],
      ],
    ],
    ['SELECT VALUE COUNT(1) FROM c GROUP BY c.a, c.a', pairs.slice(0, 3), [2, 1]],
  ])

  examples('accepts expressions as keys', [
    [
      'SELECT UPPER(c.k) AS k, COUNT(1) AS n FROM c GROUP BY UPPER(c.k)',
      [{ k: 'x' }, { k: 'X' }],
      [{ k: 'X', n: 2 }],
    ],
    [
      'SELECT c.n % 2 AS odd, SUM(c.n) AS s FROM c GROUP BY c.n % 2',
      pairs,
      [
        { odd: 1, s: 16 },
        { odd: 0, s: 12 },
      ],
    ],
    ['SELECT VALUE COUNT(1) FROM c GROUP BY c.n > 3', pairs, [3, 4]],
    ['SELECT VALUE COUNT(1) FROM c GROUP BY IS_DEFINED(c.a), c.b', pairs, [4, 1, 1, 1]],
    ['SELECT VALUE COUNT(1) FROM c GROUP BY [c.a, c.b]', [{ a: 1 }, { b: 1 }, {}], [2, 1]],
    ['SELECT VALUE COUNT(1) FROM c GROUP BY 1', pairs, [7]],
    ['SELECT VALUE COUNT(1) FROM c GROUP BY undefined', pairs, [7]],
    ['SELECT VALUE COUNT(1) FROM c GROUP BY 1', [], []],
    ['SELECT VALUE COUNT(1) FROM c GROUP BY c', [{ a: 1, b: 2 }, { b: 2, a: 1 }, {}], [2, 1]],
    ['SELECT LENGTH(c.b) + 1 AS n FROM c GROUP BY LENGTH(c.b) + 1', pairs, [{ n: 2 }, {}]],
    ['SELECT VALUE (c.n + 1) * 2 FROM c GROUP BY c.n', [{ n: 1 }, { n: 2 }, { n: 1 }], [4, 6]],
  ])

  examples('computes every aggregate for each group', [
    [
      sql`SELECT c.a, COUNT(1) AS n, COUNT(c.b) AS b, SUM(c.n) AS s, AVG(c.n) AS m, MIN(c.n) AS low,
          MAX(c.n) AS high FROM c GROUP BY c.a`,
      pairs,
      [
        { a: 1, n: 3, b: 3, s: 7, m: 7 / 3, low: 1, high: 4 },
        { a: 2, n: 1, b: 1, s: 3, m: 3, low: 3, high: 3 },
        { a: '1', n: 1, b: 1, s: 5, m: 5, low: 5, high: 5 },
        { n: 2, b: 1, s: 13, m: 6.5, low: 6, high: 7 },
      ],
    ],
    ['SELECT VALUE SUM(c.n) FROM c GROUP BY c.b', pairs, [19, 2, 7]],
    ['SELECT VALUE MAX(c.n) - MIN(c.n) FROM c GROUP BY c.b', pairs, [5, 0, 0]],
    [
      'SELECT VALUE { k: c.b, s: SUM(c.n) } FROM c GROUP BY c.b',
      pairs,
      [{ k: 'x', s: 19 }, { k: 'y', s: 2 }, { s: 7 }],
    ],
    [
      'SELECT c.a, SUM(c.a) AS s FROM c GROUP BY c.a',
      pairs,
      [{ a: 1, s: 3 }, { a: 2, s: 2 }, { a: '1' }, { s: 0 }],
    ],
    ['SELECT VALUE COUNTIF(c.n > 3) FROM c GROUP BY c.b', pairs, [3, 0, 1]],
    ['SELECT VALUE MAKELIST(c.n) FROM c GROUP BY c.b', pairs, [[1, 3, 4, 5, 6], [2], [7]]],
    ['SELECT VALUE MAKESET(c.a) FROM c GROUP BY c.b', pairs, [[1, 2, '1'], [1], []]],
    [
      'SELECT COUNT(1), SUM(c.n) FROM c GROUP BY c.b',
      pairs.slice(0, 2),
      [
        { $1: 1, $2: 1 },
        { $1: 1, $2: 2 },
      ],
    ],
    [
      'SELECT c.b, SUM(c.n * c.n) + 1 AS s FROM c GROUP BY c.b',
      pairs.slice(0, 2),
      [
        { b: 'x', s: 2 },
        { b: 'y', s: 5 },
      ],
    ],
  ])
})

describe('GROUP BY together with other clauses', () => {
  examples('JOIN', [
    [
      'SELECT l.sku, SUM(l.quantity) AS q FROM o JOIN l IN o.lines GROUP BY l.sku',
      orders,
      [
        { sku: 'a', q: 6 },
        { sku: 'b', q: 4 },
        { sku: 'c', q: 1 },
      ],
    ],
    [
      'SELECT o.customer, l.sku, COUNT(1) AS n FROM o JOIN l IN o.lines GROUP BY o.customer, l.sku',
      orders,
      [
        { customer: 'ann', sku: 'a', n: 2 },
        { customer: 'ann', sku: 'b', n: 1 },
        { customer: 'bob', sku: 'c', n: 1 },
        { customer: 'cat', sku: 'b', n: 1 },
      ],
    ],
    [
      'SELECT o.id, n FROM o JOIN (SELECT VALUE COUNT(1) FROM l IN o.lines) n GROUP BY o.id, n',
      orders,
      [
        { id: 'o1', n: 3 },
        { id: 'o2', n: 1 },
        { id: 'o3', n: 0 },
        { id: 'o4', n: 1 },
        { id: 'o5', n: 0 },
      ],
    ],
    [
      'SELECT x, COUNT(1) AS n FROM x IN c.l GROUP BY x',
      [{ l: [1, 2] }, { l: [1] }],
      [
        { x: 1, n: 2 },
        { x: 2, n: 1 },
      ],
    ],
    ['SELECT VALUE COUNT(1) FROM o JOIN l IN o.lines WHERE l.quantity > 1 GROUP BY l.sku', orders, [2, 1]],
  ])

  examples('subqueries with an alias of their own that has the same name', [
    [
      'SELECT c.a, (SELECT VALUE c.a FROM (SELECT VALUE {a: 5}) AS c) AS x FROM c GROUP BY c.a',
      [{ a: 1 }],
      [{ a: 1, x: 5 }],
    ],
    [
      'SELECT VALUE (SELECT VALUE SUM(x) + c.a FROM x IN (SELECT VALUE [1, 2])) FROM c GROUP BY c.a',
      [{ a: 10 }],
      [13],
    ],
    [
      'SELECT VALUE (SELECT VALUE SUM(c.a) + b FROM (SELECT VALUE {a: 5}) AS c) FROM c JOIN c.b GROUP BY c.a, b',
      [{ a: 10, b: 1 }],
      [6],
    ],
    [
      'SELECT VALUE FIRST(SELECT VALUE COUNT(1) + (c.x) FROM c IN c.l GROUP BY c.x) FROM c',
      [{ x: 9, l: [{ x: 1 }] }],
      [2],
    ],
  ])

  examples('WHERE, DISTINCT and subqueries', [
    ['SELECT DISTINCT VALUE COUNT(1) FROM c GROUP BY c.a', pairs, [3, 1, 2]],
    ['SELECT DISTINCT c.b FROM c GROUP BY c.a, c.b', pairs, [{ b: 'x' }, { b: 'y' }, {}]],
    ['SELECT VALUE g.n FROM (SELECT c.a, COUNT(1) AS n FROM c GROUP BY c.a) g WHERE g.n > 1', pairs, [3, 2]],
    ['SELECT VALUE MAX(g.n) FROM (SELECT c.a, COUNT(1) AS n FROM c GROUP BY c.a) g', pairs, [3]],
    [
      'SELECT VALUE SUM((SELECT VALUE COUNT(1) FROM l IN o.lines)) FROM o GROUP BY o.customer',
      orders,
      [3, 1, 1],
    ],
    [
      'SELECT o.city, COUNT(1) AS n FROM o WHERE EXISTS(SELECT VALUE l FROM l IN o.lines) GROUP BY o.city',
      orders,
      [
        { city: 'Rome', n: 2 },
        { city: null, n: 1 },
      ],
    ],
    ['SELECT VALUE COUNT(1) FROM (SELECT c.a FROM c GROUP BY c.a)', pairs, [4]],
  ])

  it.each([
    ['SELECT TOP 2 c.a FROM c GROUP BY c.a', 2],
    ['SELECT TOP 9 c.a FROM c GROUP BY c.a', 4],
    ['SELECT TOP 0 c.a FROM c GROUP BY c.a', 0],
    ['SELECT c.a FROM c GROUP BY c.a OFFSET 1 LIMIT 2', 2],
    ['SELECT c.a FROM c GROUP BY c.a OFFSET 3 LIMIT 2', 1],
  ])('limits the groups: %s has %i rows', (query, count) => {
    const all = inAnyOrder(rowsOf('SELECT c.a FROM c GROUP BY c.a', pairs))
    const rows = inAnyOrder(rowsOf(query, pairs))
    expect(rows).toHaveLength(count)
    expect(all).toEqual(expect.arrayContaining([...rows]))
  })

  it.each([
    ['SELECT * FROM c GROUP BY c.a', '400 BadRequest'],
    ['SELECT c.b FROM c GROUP BY c.a', '400 BadRequest'],
    ['SELECT c FROM c GROUP BY c.a', '400 BadRequest'],
    ['SELECT c.a FROM c GROUP BY c.a ORDER BY c.a', '400 BadRequest'],
    ['SELECT c.a FROM c GROUP BY COUNT(1)', '400 BadRequest'],
    ['SELECT c.a, (SELECT VALUE c.a FROM c IN d.l) AS x FROM c JOIN d IN c.l GROUP BY c.a', '400 BadRequest'],
    ['SELECT VALUE (SELECT VALUE COUNT(1) + c.x FROM c IN c.l) FROM c', '400 BadRequest'],
    [
      'SELECT c.a, (SELECT VALUE 1 FROM (SELECT VALUE {a: 5}) AS c WHERE SUM(c.a) = 5) AS x FROM c GROUP BY c.a',
      '400 BadRequest',
    ],
    ['SELECT c.a, (SELECT VALUE 1 WHERE SUM(c.a) = 5) AS x FROM c GROUP BY c.a', '400 BadRequest'],
    ['SELECT c.a, (SELECT VALUE x FROM x IN [SUM(c.a)]) AS y FROM c GROUP BY c.a', '400 SC1001'],
    ['SELECT c.a FROM c GROUP BY', '400 SC1001'],
    ['SELECT c.a FROM c GROUP c.a', '400 SC1001'],
    ['SELECT c.a FROM c GROUP BY d.a', '400 SC2001'],
    ['SELECT c.a FROM c GROUP BY c.a WHERE c.a = 1', '400 SC1001'],
    ['SELECT c.a FROM c GROUP BY c.a HAVING c.a = 1', '400 SC1001'],
  ])('refuses %s', (query, refusal) => {
    expect(refusalOf(query)).toBe(refusal)
  })
})
