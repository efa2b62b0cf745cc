import { describe, expect, it } from 'vitest'
import { products } from './data-sets.js'
import { refusalOf, rowsOf, sql, type Example } from './rows-of.js'

const blazer = {
  id: '68719519015',
  name: 'Cosmic Works Trail Blazer',
  category: 'outdoor-furniture',
  metadata: { sku: 'TBL-9201', status: 'active' },
  tags: [{ name: 'waterproof' }, { name: 'lightweight' }],
}
const reserved = { order: 1, value: 2, group: 3, select: 4, from: 5, where: 6, by: 7, top: 8, in: 9, and: 10 }

describe('SELECT of the documentation', () => {
  it.each<Example>([
    ['SELECT "Cosmic", "Works"', [{}], [{ $1: 'Cosmic', $2: 'Works' }]],
    [
      'SELECT { identifier: p.name, model: p.sku } FROM products p',
      products.slice(0, 2),
      [
        { $1: { identifier: 'Remdriel Shoes', model: '61506' } },
        { $1: { identifier: 'Tirevy trunks', model: '73402' } },
      ],
    ],
    ['SELECT VALUE "Cosmic Works"', [{}], ['Cosmic Works']],
    [
      'SELECT VALUE { name: p.name, link: p.metadata.link, firstTag: p.tags[0]["value"] } FROM products p',
      products,
      [
        { name: 'Remdriel Shoes', link: 'https://example.com/1', firstTag: 'leather' },
        { name: 'Tirevy trunks', link: 'https://example.com/2', firstTag: 'polyester' },
        { name: 'Benki Hat' },
        { name: 'Plain' },
      ],
    ],
    ['SELECT c.id FROM c WHERE c.metadata.status = "active"', [blazer, {}], [{ id: '68719519015' }]],
    [
      'SELECT c.id FROM c WHERE ARRAY_CONTAINS(c.tags, {"name": "waterproof"}, true)',
      [blazer, {}],
      [{ id: '68719519015' }],
    ],
  ])('returns the documented rows: %s', (query, documents, expected) => {
    expect(rowsOf(query, documents)).toStrictEqual(expected)
  })

  it.each([
    ['SELECT * FROM c AS a', 'SELECT VALUE a FROM c AS a'],
    ['SELECT a.id AS p1, a.name AS p2 FROM a', 'SELECT VALUE { p1: a.id, p2: a.name } FROM a'],
    ['SELECT a.id, a.none AS n FROM a WHERE a.id != "x"', 'SELECT VALUE { id: a.id, n: a.none } FROM a'],
    ['SELECT a FROM a', 'SELECT VALUE { a: a } FROM a'],
    ['SELECT DISTINCT a.category FROM a', 'SELECT DISTINCT VALUE { category: a.category } FROM a'],
  ])('has the same meaning in its short and its long form: %s', (short, long) => {
    expect(rowsOf(short, [blazer])).toEqual(rowsOf(long, [blazer]))
  })
})

describe('SELECT with a list', () => {
  it.each<Example>([
    ['SELECT c.a, c.b.d FROM c', [{ a: 1, b: { d: 2 } }], [{ a: 1, d: 2 }]],
    [
      'SELECT c["a"], c["odd name"], c.l FROM c',
      [{ a: 1, 'odd name': 2, l: [] }],
      [{ a: 1, 'odd name': 2, l: [] }],
    ],
    ['SELECT c.a AS x, c.a y, c.a AS c FROM c', [{ a: 1 }], [{ x: 1, y: 1, c: 1 }]],
    [
      'SELECT c.l[0], c.l[1] AS second, c.a + 1, -c.a FROM c',
      [{ a: 1, l: [5, 6] }],
      [{ $1: 5, second: 6, $2: 2, $3: -1 }],
    ],
    ['SELECT c.l[0].k FROM c', [{ l: [{ k: 1 }] }], [{ k: 1 }]],
    ['SELECT c.a, 1, c.b, 2 FROM c', [{ a: 0, b: 0 }], [{ a: 0, $1: 1, b: 0, $2: 2 }]],
    ['SELECT (c.a) FROM c', [{ a: 1 }], [{ a: 1 }]],
    ['SELECT c FROM c', [{ a: 1 }], [{ c: { a: 1 } }]],
    ['SELECT c AS whole, c.a FROM c', [{ a: 1 }], [{ whole: { a: 1 }, a: 1 }]],
    ['SELECT c.none, c.a.deeper, c.a FROM c', [{ a: 1 }], [{ a: 1 }]],
    ['SELECT c.none FROM c', [{ a: 1 }, {}], [{}, {}]],
    [
      'SELECT c.a FROM c',
      [{ a: null }, { a: false }, { a: 0 }, { a: '' }],
      [{ a: null }, { a: false }, { a: 0 }, { a: '' }],
    ],
    [
      'SELECT [c.a, c.none, 3] AS list, {x: c.none, y: c.a} AS made FROM c',
      [{ a: 1 }],
      [{ list: [1, 3], made: { y: 1 } }],
    ],
    [
      'SELECT true, false, null, undefined, 1.5, [], {}',
      [{}],
      [{ $1: true, $2: false, $3: null, $5: 1.5, $6: [], $7: {} }],
    ],
    ['SELECT ABS(-1), UPPER("x") AS u', [{}], [{ $1: 1, u: 'X' }]],
    ['SELECT COUNT(1), SUM(c.a) AS s, MAX(c.a) FROM c', [{ a: 1 }, { a: 2 }], [{ $1: 2, s: 3, $2: 2 }]],
    ['SELECT c["order"], c["value"], c["group"] FROM c', [reserved], [{ order: 1, value: 2, group: 3 }]],
    [
      'SELECT VALUE [c["select"], c["from"], c["where"], c["by"], c["top"], c["in"], c["and"]] FROM c',
      [reserved],
      [[4, 5, 6, 7, 8, 9, 10]],
    ],
    [
      'SELECT c["a.b"], c[\'it"s\'], c["it\'s"], c[""] FROM c',
      [{ 'a.b': 1, 'it"s': 2, "it's": 3, '': 4 }],
      [{ 'a.b': 1, 'it"s': 2, "it's": 3, '': 4 }],
    ],
    [
      'SELECT c["\\u00e9t\\u00e9"], c["\u540d"] FROM c',
      [{ '\u00e9t\u00e9': 1, '\u540d': 2 }],
      [{ '\u00e9t\u00e9': 1, '\u540d': 2 }],
    ],
    ['SELECT c.A, c.a FROM c', [{ a: 1, A: 2 }], [{ A: 2, a: 1 }]],
  ])('names the properties of each row: %s', (query, documents, expected) => {
    expect(rowsOf(query, documents)).toStrictEqual(expected)
  })
})

describe('SELECT VALUE', () => {
  it.each<Example>([
    ['SELECT VALUE c.a FROM c', [{ a: 1 }, {}, { a: null }, { a: [] }], [1, null, []]],
    ['SELECT VALUE c FROM c', [{ a: 1 }], [{ a: 1 }]],
    ['SELECT VALUE [c.a, c.none] FROM c', [{ a: 1 }, {}], [[1], []]],
    ['SELECT VALUE { a: c.a } FROM c', [{ a: 1 }, {}], [{ a: 1 }, {}]],
    ['SELECT VALUE { "a b": c.a, \'c\': { d: [c.a] } } FROM c', [{ a: 1 }], [{ 'a b': 1, c: { d: [1] } }]],
    ['SELECT VALUE {"order": 1, "value": c["value"]} FROM c', [{ value: 2 }], [{ order: 1, value: 2 }]],
    ['SELECT VALUE {} FROM c', [{}, {}], [{}, {}]],
    ['SELECT VALUE [] FROM c', [{}], [[]]],
    [
      'SELECT VALUE { n: COUNT(1), s: [SUM(c.a)], k: 1 } FROM c',
      [{ a: 1 }, { a: 4 }],
      [{ n: 2, s: [5], k: 1 }],
    ],
    ['SELECT VALUE { a: { b: { c: c.a } } }.a.b FROM c', [{ a: 1 }], [{ c: 1 }]],
    ['SELECT VALUE [10, 20, 30][1]', [{}], [20]],
    ['SELECT VALUE c.a AS x FROM c', [{ a: 1 }], [1]],
    ['SELECT VALUE c.a x FROM c', [{ a: 1 }], [1]],
    ['SELECT VALUE null', [{}], [null]],
    ['SELECT VALUE c.a ? { yes: c.b } : [c.b] FROM c', [{ a: true, b: 1 }, { b: 2 }], [{ yes: 1 }, [2]]],
  ])('returns the value itself, and no row for undefined: %s', (query, documents, expected) => {
    expect(rowsOf(query, documents)).toStrictEqual(expected)
  })
})

describe('SELECT without FROM', () => {
  it.each<Example>([
    ['SELECT 1 AS one', [], [{ one: 1 }]],
    ['SELECT 1 AS one', [{}, {}], [{ one: 1 }]],
    ['SELECT VALUE 1 WHERE true', [], [1]],
    ['SELECT VALUE 1 WHERE 1 = 2', [], []],
    ['SELECT VALUE COUNT(1)', [], [1]],
    ['SELECT VALUE SUM(5)', [{}, {}], [5]],
    ['SELECT VALUE ARRAY(SELECT VALUE x FROM x IN (SELECT VALUE [1, 2]))', [], [[1, 2]]],
  ])('has one row, whatever the container holds: %s', (query, documents, expected) => {
    expect(rowsOf(query, documents)).toStrictEqual(expected)
  })
})

describe('SELECT refuses', () => {
  it.each([
    ['SELECT *', '400 BadRequest'],
    ['SELECT VALUE * FROM products p', '400 SC1001'],
    ['SELECT *, p.id FROM products p', '400 SC1001'],
    ['SELECT p.id, * FROM products p', '400 SC1001'],
    ['SELECT * FROM p JOIN x IN p.l', '400 BadRequest'],
    ['SELECT FROM p', '400 SC1001'],
    ['SELECT VALUE FROM p', '400 SC1001'],
    ['SELECT VALUE 1, 2', '400 SC1001'],
    ['SELECT p.order FROM p', '400 SC1001'],
    ['SELECT p.value FROM p', '400 SC1001'],
    ['SELECT p.a, p.b a FROM p', '400 BadRequest'],
    ['SELECT p.id, COUNT(1) FROM p', '400 BadRequest'],
    ['SELECT p.id', '400 SC2001'],
    ['SELECT p.a b c FROM p', '400 SC1001'],
    ['SELECT 1 SELECT 2', '400 SC1001'],
    ['', '400 SC1001'],
  ])('%s with %s', (query, refusal) => {
    expect(refusalOf(query)).toBe(refusal)
  })

  it('and ignores white space and comments', () => {
    expect(rowsOf(sql`SELECT VALUE /* the */ c.a FROM c /* container */`, [{ a: 1 }])).toEqual([1])
    expect(rowsOf('SELECT\n\tVALUE -- one\r\n c.a -- path\nFROM\n c', [{ a: 1 }])).toEqual([1])
  })
})
