import { describe, expect, it } from 'vitest'
import { mixed, orders } from './data-sets.js'
import { refusalOf, rowsOf, sql, type Example } from './rows-of.js'

const employees = [
  { team: 'Human resources', name: { first: 'Amari', last: 'Rivera' } },
  { team: 'Human resources', name: { first: 'Casey', last: 'Jensen' } },
  { team: 'Hospitality', name: { first: 'Tomas', last: 'Abel' } },
  { team: 'Human resources', name: { first: 'Kayla', last: 'Lewis' } },
]
const grid = [
  { id: 'a', x: 2, y: 'q' },
  { id: 'b', x: 1, y: 'p' },
  { id: 'c', x: 2, y: 'p' },
  { id: 'd', x: 1, y: 'q' },
  { id: 'e', x: 1 },
]
const texts = ['b', 'a', 'B', 'A', '', '10', '9', 'aa', '\u00e9', 'z'].map((v) => ({ v }))
const numbers = [2 ** 53, 10, 9, -1, 0.5, 1e300, -1e300, 2 ** 53 - 1].map((v) => ({ v }))

describe('ORDER BY', () => {
  it.each<Example>([
    [
      sql`SELECT VALUE { firstName: e.name.first, lastName: e.name.last } FROM employees e
          WHERE e.team = "Human resources" ORDER BY e.name.last`,
      employees,
      [
        { firstName: 'Casey', lastName: 'Jensen' },
        { firstName: 'Kayla', lastName: 'Lewis' },
        { firstName: 'Amari', lastName: 'Rivera' },
      ],
    ],
    ['SELECT VALUE c.v FROM c ORDER BY c.v', numbers, [-1e300, -1, 0.5, 9, 10, 2 ** 53 - 1, 2 ** 53, 1e300]],
    [
      'SELECT VALUE c.v FROM c ORDER BY c.v ASC',
      texts,
      ['', '10', '9', 'A', 'B', 'a', 'aa', 'b', 'z', '\u00e9'],
    ],
    [
      'SELECT VALUE c.v FROM c ORDER BY c.v DESC',
      texts,
      ['\u00e9', 'z', 'b', 'aa', 'a', 'B', 'A', '9', '10', ''],
    ],
    ['SELECT VALUE c.v FROM c ORDER BY c["v"]', [{ v: 2 }, { v: 1 }], [1, 2]],
    ['SELECT VALUE c["order"] FROM c ORDER BY c["order"]', [{ order: 2 }, { order: 1 }], [1, 2]],
    ['SELECT VALUE c.l FROM c ORDER BY c.l[0]', [{ l: [2] }, { l: [1] }], [[1], [2]]],
    [
      'SELECT VALUE c.id FROM c ORDER BY c.v',
      [
        { id: 2, v: 2 },
        { id: 1, v: 1 },
      ],
      [1, 2],
    ],
    ['SELECT * FROM c ORDER BY c.v', [{ v: 2 }, { v: 1 }], [{ v: 1 }, { v: 2 }]],
    ['SELECT * FROM ROOT r ORDER BY r.v', [{ v: 2 }, { v: 1 }], [{ v: 1 }, { v: 2 }]],
    ['SELECT VALUE c.v FROM c ORDER BY c.v', [], []],
    ['select value c.v from c order by c.v desc', [{ v: 1 }, { v: 2 }], [2, 1]],
  ])('sorts the rows by a path: %s', (query, documents, expected) => {
    expect(rowsOf(query, documents)).toStrictEqual(expected)
  })

  it.each([
    ['ORDER BY c.v', 'missing,null,false,true,minus,two,ten,string'],
    ['ORDER BY c.v ASC', 'missing,null,false,true,minus,two,ten,string'],
    ['ORDER BY c.v DESC', 'string,ten,two,minus,true,false,null,missing'],
    ['ORDER BY c.v, c.id', 'missing,null,false,true,minus,two,ten,string'],
    ['ORDER BY c.nothing, c.id', 'false,minus,missing,null,string,ten,true,two'],
    ['ORDER BY c.nothing, c.id DESC', 'two,true,ten,string,null,missing,minus,false'],
    ['ORDER BY c.v.deeper, c.v DESC', 'string,ten,two,minus,true,false,null,missing'],
  ])('puts the types in one order, and a missing property first: %s', (clause, ids) => {
    expect(rowsOf(`SELECT VALUE c.id FROM c ${clause}`, mixed).join()).toBe(ids)
  })

  it.each([
    ['ORDER BY c.x, c.y', 'e,b,d,c,a'],
    ['ORDER BY c.x, c.y DESC', 'd,b,e,a,c'],
    ['ORDER BY c.x DESC, c.y', 'c,a,e,b,d'],
    ['ORDER BY c.x DESC, c.y DESC', 'a,c,d,b,e'],
    ['ORDER BY c.y, c.x', 'e,b,c,d,a'],
    ['ORDER BY c.x ASC, c.id DESC', 'e,d,b,c,a'],
    ['ORDER BY c.x, c.nothing, c.id', 'b,d,e,a,c'],
  ])('sorts equal rows by the next path: %s', (clause, ids) => {
    expect(rowsOf(`SELECT VALUE c.id FROM c ${clause}`, grid).join()).toBe(ids)
  })

  it('puts arrays and objects after all other values', () => {
    const sorted = rowsOf('SELECT VALUE c.v FROM c ORDER BY c.v', [
      { v: {} },
      { v: [] },
      { v: 'x' },
      { v: 1 },
      { v: { a: 1 } },
      { v: [0] },
    ])
    const kinds = sorted.map((v) => (Array.isArray(v) ? 'array' : typeof v))
    expect(kinds).toEqual(['number', 'string', 'array', 'array', 'object', 'object'])
  })
})

describe('ORDER BY together with other clauses', () => {
  it.each<Example>([
    ['SELECT VALUE c.id FROM c WHERE c.x = 1 ORDER BY c.id DESC', grid, ['e', 'd', 'b']],
    ['SELECT TOP 2 VALUE c.id FROM c ORDER BY c.id DESC', grid, ['e', 'd']],
    ['SELECT VALUE c.id FROM c ORDER BY c.id DESC OFFSET 1 LIMIT 2', grid, ['d', 'c']],
    ['SELECT DISTINCT VALUE c.x FROM c ORDER BY c.x', grid, [1, 2]],
    ['SELECT DISTINCT VALUE c.x FROM c ORDER BY c.x DESC', grid, [2, 1]],
    ['SELECT DISTINCT TOP 1 VALUE c.x FROM c ORDER BY c.x DESC', grid, [2]],
    ['SELECT VALUE c.y FROM c ORDER BY c.y', grid, ['p', 'p', 'q', 'q']],
    ['SELECT VALUE (SELECT VALUE c.x * 2) FROM c WHERE c.y = "q" ORDER BY c.x', grid, [2, 4]],
    [
      'SELECT VALUE [o.id, l.sku] FROM o JOIN l IN o.lines ORDER BY o.id DESC',
      orders.slice(1),
      [
        ['o4', 'b'],
        ['o2', 'c'],
      ],
    ],
    ['SELECT VALUE l.sku FROM o JOIN l IN o.lines ORDER BY o.total', orders, ['b', 'c', 'a', 'b', 'a']],
    [
      'SELECT VALUE o.id FROM o JOIN (SELECT VALUE o.total) t ORDER BY o.total',
      orders,
      ['o2', 'o3', 'o5', 'o1'],
    ],
    [
      'SELECT VALUE o.id FROM o WHERE EXISTS(SELECT VALUE l FROM l IN o.lines) ORDER BY o.id DESC',
      orders,
      ['o4', 'o2', 'o1'],
    ],
  ])('answers %s', (query, documents, expected) => {
    expect(rowsOf(query, documents)).toStrictEqual(expected)
  })

  it.each([
    ['SELECT * FROM c ORDER BY c', '400 BadRequest'],
    ['SELECT * FROM c ORDER BY LOWER(c.id)', '400 BadRequest'],
    ['SELECT * FROM c ORDER BY c.x + 1', '400 BadRequest'],
    ['SELECT * FROM c ORDER BY 1', '400 BadRequest'],
    ['SELECT c.x AS z FROM c ORDER BY z', '400 SC2001'],
    ['SELECT VALUE l FROM c JOIN l IN c.l ORDER BY l.x', '400 BadRequest'],
    ['SELECT VALUE l FROM c JOIN l IN c.l ORDER BY c.x, l.x', '400 BadRequest'],
    ['SELECT VALUE l FROM l IN c.l ORDER BY l.x', '400 BadRequest'],
    ['SELECT c.x FROM c GROUP BY c.x ORDER BY c.x', '400 BadRequest'],
    ['SELECT * FROM c ORDER BY', '400 SC1001'],
    ['SELECT * FROM c ORDER c.x', '400 SC1001'],
    ['SELECT * FROM c ORDER BY c.x UP', '400 SC1001'],
    ['SELECT * FROM c ORDER BY c.x WHERE c.x = 1', '400 SC1001'],
    ['SELECT * FROM c ORDER BY d.x', '400 SC2001'],
  ])('refuses %s', (query, refusal) => {
    expect(refusalOf(query)).toBe(refusal)
  })
})
