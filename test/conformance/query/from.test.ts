import { describe, expect, it } from 'vitest'
import { lists, orders, products } from './data-sets.js'
import { refusalOf, rowsOf, type Example } from './rows-of.js'

const jackets = [{ name: "Joller Kid's Jacket" }, { name: "Codlier Kid's Jacket" }]
const sizes = [{ sizes: [{ key: '65' }, { key: '75' }] }, { sizes: { key: 'one' } }, { name: 'no sizes' }]
const places = [
  { id: 1, at: { x: 1, y: { z: [7, 8] } }, 'odd name': { k: 1 } },
  { id: 2, at: { x: null } },
  { id: 3, at: 'text' },
  { id: 4 },
]

describe('FROM names the documents', () => {
  it.each<Example>([
    ['SELECT VALUE p.name FROM products p', jackets, jackets.map(({ name }) => name)],
    ['SELECT VALUE p.name FROM products AS p', jackets, jackets.map(({ name }) => name)],
    ['SELECT VALUE products.name FROM products', jackets, jackets.map(({ name }) => name)],
    ['SELECT VALUE ROOT.name FROM ROOT', jackets, jackets.map(({ name }) => name)],
    ['SELECT VALUE r.name FROM ROOT r', jackets, jackets.map(({ name }) => name)],
    ['SELECT VALUE r.name FROM root AS r', jackets, jackets.map(({ name }) => name)],
    ['SELECT * FROM anything', jackets, jackets],
    ['SELECT * FROM anything AS thing', jackets, jackets],
    ['SELECT p FROM products p', [{ a: 1 }], [{ p: { a: 1 } }]],
    ['SELECT VALUE p FROM products p', [{ a: 1 }], [{ a: 1 }]],
    ['SELECT VALUE p FROM products p', [], []],
    ['SELECT * FROM products p', [], []],
    ['select value p.name from products as p', [{ name: 'x' }], ['x']],
    ['SELECT VALUE p.name\nFROM\n\tproducts p', [{ name: 'x' }], ['x']],
  ])('by container, ROOT or alias: %s', (query, documents, expected) => {
    expect(rowsOf(query, documents)).toStrictEqual(expected)
  })

  it('with an alias that differs from another alias only in case', () => {
    expect(rowsOf('SELECT VALUE [a.id, A] FROM a JOIN A IN a.list', [{ id: 1, list: [2] }])).toEqual([[1, 2]])
  })

  it.each([
    ['SELECT VALUE products.name FROM products p', '400 SC2001'],
    ['SELECT VALUE P.name FROM products p', '400 SC2001'],
    ['SELECT VALUE q.name FROM products p', '400 SC2001'],
    ['SELECT VALUE ROOT.name FROM products p', '400 SC2001'],
    ['SELECT VALUE 1 FROM p JOIN p IN p.a', '400 SC2011'],
    ['SELECT VALUE 1 FROM p JOIN x IN p.a JOIN x IN p.b', '400 SC2011'],
    ['SELECT VALUE 1 FROM p JOIN (SELECT VALUE 1) AS p', '400 SC2011'],
    ['SELECT VALUE 1 FROM p JOIN x IN y.a', '400 SC2001'],
    ['SELECT VALUE 1 FROM p JOIN x IN y.a JOIN y IN p.a', '400 SC2001'],
    ['SELECT * FROM', '400 SC1001'],
    ['SELECT * FROM c JOIN', '400 SC1001'],
    ['SELECT * FROM c, d', '400 SC1001'],
  ])('and refuses an alias that is unknown or declared twice: %s', (query, refusal) => {
    expect(refusalOf(query)).toBe(refusal)
  })
})

describe('FROM with a path', () => {
  it.each<Example>([
    ['SELECT VALUE s FROM products.sizes s', sizes, [[{ key: '65' }, { key: '75' }], { key: 'one' }]],
    ['SELECT VALUE s FROM products.sizes AS s', sizes, [[{ key: '65' }, { key: '75' }], { key: 'one' }]],
    ['SELECT VALUE sizes FROM products.sizes', sizes, [[{ key: '65' }, { key: '75' }], { key: 'one' }]],
    ['SELECT * FROM products.sizes', sizes, [[{ key: '65' }, { key: '75' }], { key: 'one' }]],
    ['SELECT * FROM c.at', places, [{ x: 1, y: { z: [7, 8] } }, { x: null }, 'text']],
    ['SELECT VALUE x FROM c.at.x', places, [1, null]],
    ['SELECT VALUE v FROM c.at.y.z[1] v', places, [8]],
    ['SELECT VALUE v FROM c["at"]["y"] v', places, [{ z: [7, 8] }]],
    ['SELECT VALUE v.k FROM c["odd name"] v', places, [1]],
    ['SELECT VALUE v FROM c.at.y.z[2] v', places, []],
    ['SELECT VALUE v FROM c.nothing v', places, []],
    ['SELECT VALUE v FROM c.nothing.deeper v', places, []],
    ['SELECT v FROM ROOT.at.x v', places, [{ v: 1 }, { v: null }]],
    ['SELECT VALUE c.grade FROM Families.children[0] c', [{ children: [{ grade: 5 }] }], [5]],
    [
      'SELECT (c.grade BETWEEN 0 AND 10) FROM Families.children[0] c',
      [{ children: [{ grade: 5 }] }, { children: [{ grade: 'grade4' }] }],
      [{ $1: true }, {}],
    ],
    ['SELECT VALUE s.x FROM c.at s WHERE s.x = 1', places, [1]],
    ['SELECT VALUE COUNT(1) FROM c.at', places, [3]],
    ['SELECT TOP 2 VALUE s FROM c.at.x s', places, [1, null]],
    ['SELECT VALUE s FROM c.at.x s OFFSET 1 LIMIT 1', places, [null]],
    ['SELECT DISTINCT VALUE l FROM c.list l WHERE IS_NUMBER(l)', lists, [7]],
  ])('has a row for each document that has the property: %s', (query, documents, expected) => {
    expect(rowsOf(query, documents)).toStrictEqual(expected)
  })
})

describe('FROM with IN', () => {
  it.each<Example>([
    ['SELECT VALUE x FROM x IN c.list', lists, [1, 2, [3], null, 'z']],
    ['SELECT * FROM x IN c.list', lists, [1, 2, [3], null, 'z']],
    ['SELECT x FROM x IN c.list', [{ list: [1, null] }], [{ x: 1 }, { x: null }]],
    ['SELECT VALUE x FROM x IN ROOT.list', lists, [1, 2, [3], null, 'z']],
    ['SELECT VALUE x FROM x IN c["list"]', lists, [1, 2, [3], null, 'z']],
    ['SELECT VALUE x FROM x IN c.list[0]', lists, [3]],
    ['SELECT VALUE x FROM x IN c', lists, []],
    ['SELECT VALUE x FROM x IN c.nothing', lists, []],
    ['SELECT VALUE x FROM x IN c.list WHERE x > 1', lists, [2]],
    ['SELECT VALUE COUNT(1) FROM x IN c.list', lists, [5]],
    ['SELECT VALUE COUNT(x) FROM x IN c.list', lists, [5]],
    ['SELECT VALUE s.key FROM s IN products.sizes', products, ['5', '6', '7', '65']],
    ['SELECT VALUE p.n FROM l IN c.lines JOIN p IN l.parts', orders, [1, 2, 3, 9]],
    ['SELECT TOP 1 VALUE x FROM x IN c.list', lists, [1]],
    ['SELECT VALUE x FROM x IN c.list OFFSET 1 LIMIT 2', lists, [2, [3]]],
  ])('has a row for each element of each array: %s', (query, documents, expected) => {
    expect(rowsOf(query, documents)).toStrictEqual(expected)
  })

  it.each(['SELECT VALUE c FROM x IN c.list', 'SELECT VALUE c.id FROM x IN c.list'])(
    'does not declare the documents themselves: %s',
    (query) => {
      expect(refusalOf(query)).toBe('400 SC2001')
    },
  )
})

describe('FROM with a subquery', () => {
  it.each<Example>([
    ['SELECT VALUE x FROM (SELECT VALUE c.v FROM c) AS x', [{ v: 1 }, {}, { v: 2 }], [1, 2]],
    ['SELECT VALUE x FROM (SELECT VALUE c.v FROM c) x', [{ v: 1 }, {}, { v: 2 }], [1, 2]],
    ['SELECT * FROM (SELECT c.v FROM c) x', [{ v: 1 }, {}], [{ v: 1 }, {}]],
    [
      'SELECT VALUE x.v FROM (SELECT c.v FROM c WHERE c.v > 1) x WHERE x.v < 3',
      [{ v: 1 }, { v: 2 }, { v: 3 }],
      [2],
    ],
    ['SELECT VALUE COUNT(1) FROM (SELECT DISTINCT VALUE c.v FROM c)', [{ v: 1 }, { v: 1 }, { v: 2 }], [2]],
    ['SELECT VALUE COUNT(1) FROM (SELECT DISTINCT VALUE c.v FROM c) AS d', [{ v: 1 }, { v: 1 }], [1]],
    ['SELECT VALUE x FROM x IN (SELECT VALUE c.list FROM c)', lists, [1, 2, [3], null, 'z']],
    ['SELECT VALUE x FROM x IN (SELECT VALUE [1, "a"])', [{}], [1, 'a']],
    ['SELECT VALUE x FROM (SELECT VALUE 5) AS x', [{}], [5]],
    ['SELECT VALUE x FROM (SELECT VALUE 5) AS x', [{}, {}], [5]],
    ['SELECT VALUE n FROM c JOIN (SELECT VALUE COUNT(1) FROM t IN c.tags) n', [{ tags: [1, 2] }, {}], [2, 0]],
    ['SELECT VALUE y FROM (SELECT VALUE x FROM (SELECT VALUE c.v FROM c) x) y', [{ v: 1 }, {}], [1]],
    ['SELECT VALUE x.n FROM (SELECT COUNT(1) AS n FROM c) x', [{}, {}], [2]],
  ])('has a row for each row of the subquery: %s', (query, documents, expected) => {
    expect(rowsOf(query, documents)).toStrictEqual(expected)
  })
})
