import { describe, expect, it } from 'vitest'
import { compileQuery } from '../../../../src/emulator/query/index.js'

const documents = [
  { id: 'a', kind: 'fruit', price: 3, stock: { count: 5, shelf: null }, tags: ['red', 'sweet'], order: 1 },
  { id: 'b', kind: 'fruit', price: 1, stock: { count: 0 }, tags: [], order: 2 },
  { id: 'c', kind: 'tool', price: '9', stock: { count: 5 } },
  { id: 'd', kind: 'tool', price: null, 'odd name': true },
  { id: 'e' },
]

function rows(text: string, parameters: Record<string, unknown> = {}): readonly unknown[] {
  const bound = Object.entries(parameters).map(([name, value]) => ({ name: `@${name}`, value }))
  return compileQuery(text, bound).execute(documents)
}

describe('a selection', () => {
  it.each<[string, readonly unknown[]]>([
    ['SELECT * FROM c WHERE c.id = "e"', [{ id: 'e' }]],
    ['SELECT VALUE c FROM c WHERE c.id = "e"', [{ id: 'e' }]],
    ['SELECT c FROM c WHERE c.id = "e"', [{ c: { id: 'e' } }]],
    ['SELECT r.id FROM root r WHERE r.id = "e"', [{ id: 'e' }]],
    ['SELECT root.id FROM root WHERE root.id = "e"', [{ id: 'e' }]],
    ['SELECT x.id FROM c AS x WHERE x.id = "e"', [{ id: 'e' }]],
    ['select C.id from C where C.id = "e"', [{ id: 'e' }]],
    [
      'SELECT c.stock.count, c["odd name"], c.kind AS sort, c.price cost FROM c WHERE c.id = "a"',
      [{ count: 5, sort: 'fruit', cost: 3 }],
    ],
    [
      'SELECT c.id, c.tags[0], (c.price + 1), UPPER(c.id) FROM c WHERE c.id = "a"',
      [{ id: 'a', $1: 'red', $2: 4, $3: 'A' }],
    ],
    ['SELECT c.nothing FROM c WHERE c.id = "a"', [{}]],
    ['SELECT VALUE c.nothing FROM c', []],
    ['SELECT VALUE c.price FROM c', [3, 1, '9', null]],
    [
      'SELECT VALUE { id: c.id, "at": [c.price, { n: c.stock.count }, c.nothing] } FROM c WHERE c.id = "a"',
      [{ id: 'a', at: [3, { n: 5 }] }],
    ],
    ['SELECT VALUE {} FROM c WHERE c.id = "a"', [{}]],
    ['SELECT VALUE {offset: 1, limit: 2} FROM c WHERE c.id = "a"', [{ offset: 1, limit: 2 }]],
    ['SELECT 1, "x" AS y', [{ $1: 1, y: 'x' }]],
    ['SELECT VALUE 1 WHERE false', []],
    ['SELECT -- the id only\n c.id /* of\n one */ FROM c WHERE c.id = "e" -- end', [{ id: 'e' }]],
  ])('returns the expected rows: %s', (text, expected) => {
    expect(rows(text)).toEqual(expected)
  })

  it('makes a property of any name, and ignores inherited properties', () => {
    const own = JSON.parse('{"__proto__":1}') as Record<string, unknown>
    const [made] = compileQuery('SELECT VALUE {"__proto__": c["__proto__"]} FROM c', []).execute([own])
    expect(JSON.stringify(made)).toBe('{"__proto__":1}')
    expect(
      rows('SELECT VALUE [c.constructor, c["toString"], c.id.length, c.tags.length] FROM c WHERE c.id="a"'),
    ).toEqual([[]])
    expect(rows('SELECT VALUE c[@name] FROM c', { name: 'constructor' })).toEqual([])
  })
})

describe('a filter', () => {
  it.each<[string, string]>([
    ['c.kind = "fruit"', 'ab'],
    ["c.kind = 'fruit' AND c.price > 1", 'a'],
    ['c.kind = "tool" OR c.price = 1', 'bcd'],
    ['c.kind = "tool" OR c.kind = "fruit" AND c.price = 1', 'bcd'],
    ['(c.kind = "tool" OR c.kind = "fruit") AND c.price = 1', 'b'],
    ['NOT (c.price = 3)', 'bcd'],
    ['c.price != 3', 'bcd'],
    ['c.price <> 3', 'bcd'],
    ['c.price != null', 'abc'],
    ['c.price = null', 'd'],
    ['c.price <= null', 'd'],
    ['c.price < 9', 'ab'],
    ['c.price < "99"', 'c'],
    ['c.price >= 1 AND c.price <= 3', 'ab'],
    ['c.price BETWEEN 1 AND 2', 'b'],
    ['c.price BETWEEN 1 AND 3 AND c.id = "a"', 'a'],
    ['c.price NOT BETWEEN 2 AND 3', 'b'],
    ['c.price NOT BETWEEN 2 AND "x"', 'b'],
    ['c.price IN (1, "9")', 'bc'],
    ['c.price NOT IN (1, "9")', 'ad'],
    ['c.price IN (c.nothing, null)', 'd'],
    ['c.id LIKE "_"', 'abcde'],
    ['c.kind LIKE "f%t"', 'ab'],
    ['c.kind NOT LIKE "f%"', 'cd'],
    ['c.stock.shelf = null', 'a'],
    ['c["stock"]["count"] = 5', 'ac'],
    ['c["odd name"]', 'd'],
    ['c.tags[1] = "sweet"', 'a'],
    ['c["order"] = 2', 'b'],
    ['c.price', ''],
    ['c.nothing = c.nothing', ''],
    ['NOT c.nothing', ''],
    ['c.nothing OR true', 'abcde'],
    ['c.price + 1 = 4', 'a'],
    ['c.tags = ["red", "sweet"]', 'a'],
    ['c.stock = {"shelf": null, "count": 5}', 'a'],
    ['c.price > 0 ? c.price = 3 : c.id = "e"', 'ae'],
    ['IS_DEFINED(c.kind) AND NOT IS_NULL(c.price)', 'abc'],
  ])('%s passes the documents %s', (where, ids) => {
    expect(rows(`SELECT VALUE c.id FROM c WHERE ${where}`).join('')).toBe(ids)
  })

  it('accepts parameters, also as property names', () => {
    expect(
      rows('SELECT VALUE c.id FROM c WHERE c.kind = @kind AND c[@name] > @least', {
        kind: 'fruit',
        name: 'price',
        least: 2,
      }),
    ).toEqual(['a'])
    expect(rows('SELECT VALUE c.id FROM c WHERE c.tags = @tags', { tags: ['red', 'sweet'] })).toEqual(['a'])
  })

  it('uses the parameters of its own run only', () => {
    const text = 'SELECT VALUE c.id FROM c WHERE c.id = @id'
    expect(rows(text, { id: 'a' })).toEqual(['a'])
    expect(rows(text, { id: 'b' })).toEqual(['b'])
  })
})

describe('the order and limits of a query', () => {
  it.each<[string, string]>([
    ['ORDER BY c.price', 'edbac'],
    ['ORDER BY c.price ASC', 'edbac'],
    ['ORDER BY c.price DESC', 'cabde'],
    ['ORDER BY c.kind DESC, c.price', 'dcbae'],
    ['ORDER BY c.stock.count, c.id DESC', 'edbca'],
    ['ORDER BY c.id OFFSET 1 LIMIT 2', 'bc'],
    ['OFFSET 3 LIMIT 10', 'de'],
    ['OFFSET 0 LIMIT 0', ''],
    ['OFFSET 9 LIMIT 1', ''],
  ])('%s return the documents %s', (clause, ids) => {
    expect(rows(`SELECT VALUE c.id FROM c ${clause}`).join('')).toBe(ids)
  })

  it('accept TOP and parameters', () => {
    expect(rows('SELECT TOP 2 VALUE c.id FROM c')).toEqual(['a', 'b'])
    expect(rows('SELECT TOP @n VALUE c.id FROM c ORDER BY c.id DESC', { n: 1 })).toEqual(['e'])
    expect(rows('SELECT VALUE c.id FROM c OFFSET @o LIMIT @l', { o: 1, l: 1 })).toEqual(['b'])
    expect(rows('SELECT TOP 0 * FROM c')).toEqual([])
  })

  it('sort types: undefined, null, booleans, numbers, strings, then arrays and objects', () => {
    const mixed = [
      { v: {} },
      { v: [1] },
      { v: 'b' },
      { v: 'a' },
      { v: 2 },
      { v: -1 },
      { v: true },
      { v: false },
      { v: null },
      {},
    ]
    const sorted = compileQuery('SELECT * FROM c ORDER BY c.v', []).execute(mixed)
    expect(sorted).toEqual([
      {},
      { v: null },
      { v: false },
      { v: true },
      { v: -1 },
      { v: 2 },
      { v: 'a' },
      { v: 'b' },
      { v: [1] },
      { v: {} },
    ])
  })

  it('stop reading after the last wanted row', () => {
    let read = 0
    function* ten(): Generator<{ id: number }> {
      while (read < 10) yield { id: (read += 1) }
    }
    expect(compileQuery('SELECT TOP 3 VALUE c.id FROM c', []).execute(ten())).toEqual([1, 2, 3])
    expect(read).toBe(3)
  })
})

describe('an aggregate', () => {
  it.each<[string, readonly unknown[]]>([
    ['SELECT VALUE COUNT(1) FROM c', [5]],
    ['SELECT COUNT(1) FROM c', [{ $1: 5 }]],
    ['SELECT COUNT(c.price) AS n, COUNT(c.nothing) FROM c', [{ n: 4, $1: 0 }]],
    ['SELECT VALUE COUNT(1) FROM c WHERE c.id = "z"', [0]],
    ['SELECT VALUE SUM(c.price) FROM c WHERE c.kind = "fruit"', [4]],
    ['SELECT VALUE SUM(c.nothing) FROM c', [0]],
    ['SELECT VALUE SUM(c.price) FROM c', []],
    ['SELECT SUM(c.price) AS s FROM c', [{}]],
    ['SELECT VALUE AVG(c.price) FROM c WHERE c.kind = "fruit"', [2]],
    ['SELECT VALUE AVG(c.nothing) FROM c', []],
    ['SELECT VALUE MIN(c.price) FROM c', [null]],
    ['SELECT VALUE MAX(c.price) FROM c', ['9']],
    ['SELECT VALUE MAX(c.tags) FROM c', []],
    ['SELECT VALUE MIN(c.nothing) FROM c', []],
    ['SELECT VALUE { n: COUNT(1), most: max(c.stock.count) + 1 } FROM c', [{ n: 5, most: 6 }]],
    ['SELECT VALUE COUNT(1) FROM c OFFSET 0 LIMIT 1', [5]],
    ['SELECT TOP 0 COUNT(1) FROM c', []],
  ])('has the expected value: %s', (text, expected) => {
    expect(rows(text)).toEqual(expected)
  })

  it('starts from zero in each run', () => {
    const query = compileQuery('SELECT VALUE COUNT(1) FROM c', [])
    expect([query.execute(documents), query.execute(documents)]).toEqual([[5], [5]])
  })
})

describe('DISTINCT', () => {
  it.each<[string, readonly unknown[]]>([
    ['SELECT DISTINCT VALUE c.kind FROM c', ['fruit', 'tool']],
    ['SELECT DISTINCT c.stock.count FROM c', [{ count: 5 }, { count: 0 }, {}]],
    ['SELECT DISTINCT TOP 1 VALUE c.stock.count FROM c ORDER BY c.id DESC', [5]],
    ['SELECT DISTINCT VALUE c.kind FROM c OFFSET 1 LIMIT 1', ['tool']],
  ])('removes duplicate rows: %s', (text, expected) => {
    expect(rows(text)).toEqual(expected)
  })

  it('ignores the order of properties', () => {
    const alike = [{ v: { a: 1, b: 2 } }, { v: { b: 2, a: 1 } }, { v: { a: 1 } }]
    expect(compileQuery('SELECT DISTINCT VALUE c.v FROM c', []).execute(alike)).toEqual([
      { a: 1, b: 2 },
      { a: 1 },
    ])
  })
})

describe('a compiled query, for its caller,', () => {
  it.each<[string, Record<string, unknown>]>([
    ['c.id = @id', { id: 'x' }],
    ['@id = c.id', { id: 'x' }],
    ['c.id = @id AND (c.a.b = 1 AND c["d"] = null) AND c.e > 2', { id: 'x', 'a.b': 1, d: null }],
    ['c.n = -1', { n: -1 }],
    ['(c.id) = ("x")', { id: 'x' }],
    ['c.id = 1 AND c.id = 2', { id: 1 }],
    ['c.id = @id OR c.a = 1', {}],
    ['NOT (c.id = @id)', {}],
    ['c.id != @id', {}],
    ['c["a.b"] = 1', {}],
    ['c.a[0] = 1', {}],
    ['c.a = c.b', {}],
    ['c.a = [1]', {}],
    ['c.a = undefined', {}],
    ['c = 1', {}],
  ])('lists the equalities of %s', (where, expected) => {
    const query = compileQuery(`SELECT * FROM c WHERE ${where}`, [{ name: '@id', value: 'x' }])
    expect(Object.fromEntries(query.equalities)).toEqual(expected)
  })

  it.each<[string, string[]]>([
    ['c.a = "x" AND @id = c.b[1].c', ['"x"', '"x"']],
    [`c.a = "\\u00e9\\n\\"" AND c.b > 1`, ['"é\\n\\""']],
    ['c.a = "x" OR c.b = "y"', []],
    ['NOT (c.a = "x")', []],
    ['c.a != "x" AND c.b > "y" AND c.c = 1', []],
    ['UPPER(c.a) = "X" AND (c.a || "b") = "xb" AND "x" = "x"', []],
    ['ARRAY_CONTAINS(c.a, @id) AND array_contains(c.a.b, "y")', ['"x"', '"y"']],
    ['ARRAY_CONTAINS(c.a, 1) AND ARRAY_CONTAINS(c.a, ["x"]) AND ARRAY_CONTAINS(c.a, "x", true)', []],
    ['ARRAY_CONTAINS(c.a, "x") OR ARRAY_CONTAINS(c.a, "y")', []],
    ['NOT ARRAY_CONTAINS(c.a, "x") AND ARRAY_CONTAINS(["x"], c.a) AND ARRAY_CONTAINS(c._self, "x")', []],
    ['c._etag = "x" AND c._rid = "y" AND c._ts = 1 AND c._self = "z" AND c.a._rid = "own"', ['"own"']],
  ])('lists the texts that matching documents contain for %s', (where, expected) => {
    const query = compileQuery(`SELECT * FROM c WHERE ${where}`, [{ name: '@id', value: 'x' }])
    expect(query.requiredTexts).toEqual(expected)
  })

  it.each<[string, boolean]>([
    ['SELECT * FROM c WHERE c.a = 1', true],
    ['SELECT c.a, UPPER(c.b) FROM c', true],
    ['SELECT * FROM c ORDER BY c.a', false],
    ['SELECT TOP 1 * FROM c', false],
    ['SELECT * FROM c OFFSET 0 LIMIT 1', false],
    ['SELECT DISTINCT c.a FROM c', false],
    ['SELECT VALUE 1 + COUNT(1) FROM c', false],
    ['SELECT 1', false],
  ])('classifies %s as streaming: %s', (text, isStreaming) => {
    expect(compileQuery(text, []).isStreaming).toBe(isStreaming)
  })

  it('returns the rows of one document if it is streaming, and throws otherwise', () => {
    const query = compileQuery('SELECT VALUE c.price FROM c WHERE c.kind = "fruit"', [])
    expect(documents.map((document) => query.rowsOf(document))).toEqual([[3], [1], [], [], []])
    expect(() => compileQuery('SELECT TOP 1 * FROM c', []).rowsOf({})).toThrow('streaming')
  })
})
