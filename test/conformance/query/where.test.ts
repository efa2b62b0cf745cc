import { describe, expect, it } from 'vitest'
import { lists, mixed, orders } from './data-sets.js'
import { refusalOf, rowsOf, sql, type Documents, type Example } from './rows-of.js'

const hats = [
  { name: 'Minet Hat', price: 50, detailCategory: 'apparel-accessories-beanies' },
  { name: 'Klinto Hat', price: 65, detailCategory: 'apparel-accessories-beanies' },
  { name: 'Benki Hat', price: 25, detailCategory: 'apparel-accessories-beanies' },
  { name: 'Jontra Hat', price: 40, detailCategory: 'apparel-accessories-beanies' },
]
const staff = [
  { name: 'Jordan Mitchell', team: 'Hospitality' },
  { name: 'Casey Jensen', team: 'Human resources' },
  { name: 'Ashley Schroeder', team: 'Hospitality' },
  { name: 'No team' },
]
const stock = [
  { id: 'a', category: 'Accessories' },
  { id: 'b', category: 'Clothing' },
  { id: 'c', category: 'Tools' },
  { id: 'd', category: null },
  { id: 'e' },
]
const idsOf = (where: string, documents: Documents): string =>
  rowsOf(`SELECT VALUE c.id FROM c WHERE ${where}`, documents).join()

describe('WHERE', () => {
  it.each<Example>([
    [
      sql`SELECT VALUE { employeeName: e.name, currentTeam: e.team } FROM employees e
          WHERE e.team = "Hospitality"`,
      staff,
      [
        { employeeName: 'Jordan Mitchell', currentTeam: 'Hospitality' },
        { employeeName: 'Ashley Schroeder', currentTeam: 'Hospitality' },
      ],
    ],
    ['SELECT * FROM products p WHERE 0 = "true"', stock, []],
    [
      'SELECT VALUE p.price FROM products p WHERE p.price BETWEEN 17.25 AND 25.50',
      [{ price: 20 }, { price: 7.5 }],
      [20],
    ],
    ['SELECT * FROM c WHERE c.id = "c"', stock, [{ id: 'c', category: 'Tools' }]],
    ['SELECT VALUE c.id FROM c WHERE c["category"] = "Tools"', stock, ['c']],
    ['SELECT VALUE o.id FROM o WHERE o.lines[0].sku = "a"', orders, ['o1']],
    ['SELECT VALUE l.sku FROM l IN o.lines WHERE l.parts[0].n >= 1', orders, ['a', 'a', 'b']],
  ])('keeps the rows for which the condition is true: %s', (query, documents, expected) => {
    expect(rowsOf(query, documents)).toStrictEqual(expected)
  })

  it.each([
    ['true', 'string,two,null,false,missing,ten,true,minus'],
    ['false', ''],
    ['null', ''],
    ['undefined', ''],
    ['1', ''],
    ['"true"', ''],
    ['{}', ''],
    ['c.v', 'true'],
    ['c.v = true', 'true'],
    ['NOT c.v', 'false'],
    ['c.v = c.v', 'string,two,null,false,ten,true,minus'],
    ['c.v != c.v', ''],
    ['c.v = null', 'null'],
    ['c.v = undefined', ''],
    ['c.v > 1', 'two,ten'],
    ['c.v > "a"', 'string'],
    ['c.v >= false', 'false,true'],
    ['c.v <= null', 'null'],
    ['c.v > 1 OR c.v < 1', 'two,ten,minus'],
    ['c.v > 1 OR c.none', 'two,ten'],
    ['c.v > 1 AND c.none', ''],
    ['NOT (c.v > 1)', 'minus'],
    ['NOT (c.none = 1)', ''],
    ['IS_DEFINED(c.v)', 'string,two,null,false,ten,true,minus'],
    ['NOT IS_DEFINED(c.v)', 'missing'],
    ['c.v + 1 = 3', 'two'],
    ['(c.v ?? "gone") = "gone"', 'missing'],
  ])('with the condition %s keeps the documents: %s', (where, ids) => {
    expect(idsOf(where, mixed)).toBe(ids)
  })

  it.each([
    ['c.list = []', 'none'],
    ['c.list = [1, 2]', 'two'],
    ['c.list = [[3], null, "z"]', 'nested'],
    ['c.list = {length: 1, "0": "x"}', 'object'],
    ['c.list[0] = 1', 'two'],
    ['c.list["0"] = "x"', 'object'],
    ['c.list.length = 1', 'object'],
    ['IS_ARRAY(c.list) AND ARRAY_LENGTH(c.list) = 0', 'none'],
  ])('compares arrays and objects: %s keeps %s', (where, ids) => {
    expect(idsOf(where, lists)).toBe(ids)
  })

  it.each([
    ['SELECT * FROM c WHERE', '400 SC1001'],
    ['SELECT * FROM c WHERE c.a = ', '400 SC1001'],
    ['SELECT * FROM c WHERE c.a WHERE c.b', '400 SC1001'],
    ['SELECT * FROM c WHERE COUNT(1) > 0', '400 BadRequest'],
    ['SELECT * FROM c WHERE d.a = 1', '400 SC2001'],
    ['SELECT c.a AS x FROM c WHERE x = 1', '400 SC2001'],
    ['SELECT * FROM c WHERE c.a = "open', '400 SC1012'],
  ])('refuses %s', (query, refusal) => {
    expect(refusalOf(query)).toBe(refusal)
  })
})

describe('IN', () => {
  it('keeps the documents with one of the values', () => {
    expect(rowsOf('SELECT * FROM products p WHERE p.category IN ("Accessories", "Clothing")', stock)).toEqual(
      stock.slice(0, 2),
    )
  })

  it.each([
    ['c.category IN ("Tools")', 'c'],
    ['c.category IN ("Tools", null)', 'c,d'],
    ['c.category IN ("tools")', ''],
    ['c.category IN (undefined)', ''],
    ['c.category IN ("Tools", c.none)', 'c'],
    ['c.category NOT IN ("Accessories", "Clothing", "Tools") AND IS_NULL(c.category)', 'd'],
    ['c.category NOT IN ("Accessories", "Clothing") AND IS_STRING(c.category)', 'c'],
    ['NOT (c.category IN ("Accessories", "Clothing")) AND IS_STRING(c.category)', 'c'],
    ['"Tools" IN (c.category, c.id)', 'c'],
    ['"b" IN ("x", c.id)', 'b'],
    ['c.id IN (LOWER("A"), "x" || "")', 'a'],
    ['c.none IN ("a")', ''],
    ['1 + 1 IN (2)', 'a,b,c,d,e'],
    ['c.id IN ("a", "c") AND c.category = "Tools"', 'c'],
    ['c.id IN ("a") OR c.id IN ("e")', 'a,e'],
  ])('%s keeps %s', (where, ids) => {
    expect(idsOf(where, stock)).toBe(ids)
  })

  it.each<[string, boolean]>([
    ['1 IN (1, 2)', true],
    ['3 IN (1, 2)', false],
    ['1 IN ("1")', false],
    ['[1, 2] IN ([2, 1], [1, 2])', true],
    ['{a: 1, b: 2} IN ({b: 2, a: 1})', true],
    ['null IN (null)', true],
    ['true IN (1, "true")', false],
    ['3 NOT IN (1, 2)', true],
    ['1 NOT IN (1, 2)', false],
    ['-0 IN (0)', true],
  ])('%s is %s', (expression, expected) => {
    expect(rowsOf(`SELECT VALUE (${expression})`)).toEqual([expected])
  })
})

describe('BETWEEN', () => {
  it.each<Example>([
    [
      sql`SELECT VALUE p.name FROM p WHERE (p.price BETWEEN 0 AND 40) AND
          p.detailCategory = "apparel-accessories-beanies"`,
      hats,
      ['Benki Hat', 'Jontra Hat'],
    ],
    [
      'SELECT p.name, (p.price BETWEEN 10 AND 20) AS lowPrice FROM products p',
      hats,
      hats.map(({ name }) => ({ name, lowPrice: false })),
    ],
    ['SELECT VALUE p.price FROM p WHERE p.price BETWEEN 25 AND 40', hats, [25, 40]],
    ['SELECT VALUE p.price FROM p WHERE p.price NOT BETWEEN 25 AND 50', hats, [65]],
    ['SELECT VALUE p.price FROM p WHERE p.price BETWEEN 40 AND 25', hats, []],
    ['SELECT VALUE p.price FROM p WHERE p.name BETWEEN "J" AND "Klz"', hats, [65, 40]],
    ['SELECT VALUE p.price FROM p WHERE 45 BETWEEN p.price AND 60', hats, [25, 40]],
    ['SELECT VALUE p.price FROM p WHERE p.price BETWEEN 20 + 5 AND 2 * 20 AND p.name != "x"', hats, [25, 40]],
    ['SELECT VALUE c.v FROM c WHERE c.v BETWEEN 0 AND 10', mixed, [2, 10]],
    ['SELECT VALUE c.v FROM c WHERE c.v BETWEEN "a" AND "z"', mixed, ['b']],
    ['SELECT VALUE c.v FROM c WHERE c.v BETWEEN false AND true', mixed, [false, true]],
    ['SELECT VALUE c.v FROM c WHERE c.v BETWEEN 0 AND "z"', mixed, []],
    ['SELECT VALUE c.v FROM c WHERE c.v BETWEEN 0 AND c.none', mixed, []],
    [
      'SELECT (c.v BETWEEN 0 AND 5) AS b FROM c',
      [{ v: 1 }, { v: 9 }, { v: 'x' }, {}],
      [{ b: true }, { b: false }, {}, {}],
    ],
  ])('includes both bounds: %s', (query, documents, expected) => {
    expect(rowsOf(query, documents)).toStrictEqual(expected)
  })
})

describe('LIKE', () => {
  it.each<[string, string, boolean]>([
    ['screwdriver set', '%driver%', true],
    ['Screwdriver', '%Driver%', false],
    ['fruit salad', 'fruit%', true],
    ['a fruit', 'fruit%', false],
    ['Mountain Road', '%Road', true],
    ['Road bike', '%Road', false],
    ['xSOyPSz', '%SO%PS%', true],
    ['xSOPSz', '%SO%PS%', true],
    ['xSO-PSz', '%SO_PS%', true],
    ['xSOPSz', '%SO_PS%', false],
    ['SOuPS', '%SO[t-z]PS%', true],
    ['SOaPS', '%SO[t-z]PS%', false],
    ['SOdPS', '%SO[^abc]PS%', true],
    ['SOaPS', '%SO[^abc]PS%', false],
    ['SOgPS', '%SO[^a-f]PS%', true],
    ['SObPS', '%SO[abcdef]PS%', true],
    ['20-30%', '20-30[%]', true],
    ['20-301', '20-30[%]', false],
    ['_n', '[_]n', true],
    ['an', '[_]n', false],
    ['[', '[ [ ]', true],
    [']', ']', true],
    ['', '', true],
    ['', '%', true],
    ['', '_', false],
    ['a', '_', true],
    ['ab', '_', false],
    ['ab', '__', true],
    ['a.c', 'a.c', true],
    ['abc', 'a.c', false],
    ['a\nb', 'a%b', true],
    ['a\nb', 'a_b', true],
    ['(x)*+?^$|\\', '(x)*+?^$|\\', true],
    ['abab', '%ab', true],
    ['abc', 'abc%', true],
    ['\u00e9t\u00e9', '_t_', true],
    ['\u540d\u524d', '\u540d%', true],
  ])('%j is like %j: %s', (text, pattern, expected) => {
    const parameters = { text, pattern }
    expect(rowsOf('SELECT VALUE @text LIKE @pattern', [{}], parameters)).toEqual([expected])
    expect(rowsOf('SELECT VALUE @text NOT LIKE @pattern', [{}], parameters)).toEqual([!expected])
    expect(rowsOf(`SELECT VALUE @text LIKE ${JSON.stringify(pattern)}`, [{}], parameters)).toEqual([expected])
  })

  it.each<Example>([
    [
      'SELECT VALUE p.d FROM p WHERE p.d LIKE "%20^%%" ESCAPE "^"',
      [{ d: 'save 20% now' }, { d: 'save 200 now' }],
      ['save 20% now'],
    ],
    ['SELECT VALUE p.d FROM p WHERE p.d LIKE "a!_b" ESCAPE "!"', [{ d: 'a_b' }, { d: 'axb' }], ['a_b']],
    ['SELECT VALUE p.d FROM p WHERE p.d LIKE "a!!b" ESCAPE "!"', [{ d: 'a!b' }, { d: 'a!!b' }], ['a!b']],
    [
      'SELECT VALUE p.d FROM p WHERE p.d NOT LIKE "%winter%"',
      [{ d: 'winter hat' }, { d: 'hat' }, {}, { d: 5 }],
      ['hat'],
    ],
    ['SELECT VALUE p.d LIKE "%" FROM p', [{ d: 'x' }, { d: 5 }, { d: null }, {}], [true]],
  ])('also with ESCAPE and over values that are no texts: %s', (query, documents, expected) => {
    expect(rowsOf(query, documents)).toStrictEqual(expected)
  })

  it('counts a character beyond the basic plane as two, as LENGTH does', () => {
    expect(rowsOf('SELECT VALUE ["\u{1f600}" LIKE "_", "\u{1f600}" LIKE "__"]')).toEqual([[false, true]])
  })
})
