import { describe, expect, it } from 'vitest'
import { refusalOf, rowsOf, type Documents, type Example } from './rows-of.js'

const poles = [
  { name: 'Stangincy trekking poles', price: 24.5, onCloseout: false, onSale: true, collapsible: true },
  { name: 'Vimero hiking poles', price: 24.5, onCloseout: false, onSale: false },
  { name: 'Kramundsen trekking poles', price: 24.5, onCloseout: true, onSale: true, collapsible: false },
]

/** Returns the value of an expression over one document; `undefined` if the expression has no value. */
function valueOf(expression: string, document: Documents[number] = {}): unknown {
  const [row] = rowsOf(`SELECT VALUE { v: ${expression} } FROM c`, [document])
  return (row as { v?: unknown }).v
}

describe('a constant', () => {
  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['true', true],
    ['false', false],
    ['TRUE', true],
    ['0', 0],
    ['42', 42],
    ['1.5', 1.5],
    ['1e3', 1000],
    ['1.5E-2', 0.015],
    ['2e+2', 200],
    ['9007199254740992', 2 ** 53],
    ['9007199254740993', 2 ** 53],
    ['1.7976931348623157e308', Number.MAX_VALUE],
    ['5e-324', 5e-324],
    ['0.1', 0.1],
    ['"text"', 'text'],
    ["'text'", 'text'],
    ['""', ''],
    ['"it\'s"', "it's"],
    ['\'a "b"\'', 'a "b"'],
    ['"\u00e9 \u540d \u{1f600}"', '\u00e9 \u540d \u{1f600}'],
    [String.raw`"\' \" \\ \/ \b \f \n \r \t"`, '\' " \\ / \b \f \n \r \t'],
    [String.raw`'\' \" \\ \/ \b \f \n \r \t'`, '\' " \\ / \b \f \n \r \t'],
    [String.raw`"\u0041\u00e9\ud83d\ude00"`, 'A\u00e9\u{1f600}'],
    ['[]', []],
    ['[1, "a", null, [true], {}]', [1, 'a', null, [true], {}]],
    ['{}', {}],
    ['{a: 1, "b c": [2], \'d\': {e: null}}', { a: 1, 'b c': [2], d: { e: null } }],
    ['[1, undefined, 2]', [1, 2]],
    ['{a: undefined, b: 1}', { b: 1 }],
  ])('%s has its value', (constant, expected) => {
    expect(valueOf(constant)).toStrictEqual(expected)
  })

  it.each<[string, number]>([
    ['0x1F', 31],
    ['0xff', 255],
    ['0x0', 0],
  ])('%s may be hexadecimal', (constant, expected) => {
    expect(rowsOf(`SELECT VALUE ${constant}`)).toEqual([expected])
    expect(valueOf(constant)).toBe(expected)
  })

  it('too large for a number is refused, or stays within JSON', () => {
    const rows = refusalOf('SELECT VALUE 1e400') === 'answered' ? rowsOf('SELECT VALUE 1e400') : []
    expect(JSON.parse(JSON.stringify(rows))).toEqual(rows)
  })
})

describe('an expression of arithmetic', () => {
  it.each<[string, unknown]>([
    ['((2 + 11 % 7) - 2) / 2', 2],
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['7 - 2 - 1', 4],
    ['12 / 4 / 3', 1],
    ['-7 % 3', -1],
    ['5.5 % 2', 1.5],
    ['-c.n', -3],
    ['+c.n', 3],
    ['- -c.n', 3],
    ['c.n * -1', -3],
    ['0.1 + 0.2', 0.30000000000000004],
    ['9007199254740992 + 1', 2 ** 53],
    ['9007199254740992 + 2', 2 ** 53 + 2],
    ['c.n + c.none', undefined],
    ['c.n + null', undefined],
    ['c.n + true', undefined],
    ['c.n + "1"', undefined],
    ['"1" + "2"', undefined],
    ['c.n * [1]', undefined],
    ['-"1"', undefined],
    ['-c.none', undefined],
    ['0 / 0', undefined],
    ['1 / 0', undefined],
    ['-1 / 0', undefined],
    ['5 % 0', undefined],
    ['1e308 * 10', undefined],
    ['"a" || "b"', 'ab'],
    ['"a" || "" || "c"', 'ac'],
    ['"a" || 1', undefined],
    ['"a" || null', undefined],
    ['"a" || c.none', undefined],
  ])('has the value of %s', (expression, expected) => {
    expect(valueOf(expression, { n: 3 })).toStrictEqual(expected)
  })

  it('equal to minus zero is equal to zero', () => {
    expect(rowsOf('SELECT VALUE c.v FROM c WHERE c.v = 0', [{ v: -0 }, { v: 0 }, { v: '0' }])).toHaveLength(2)
    expect(rowsOf('SELECT VALUE 1 WHERE -0 = 0 AND NOT (-0 < 0)')).toEqual([1])
    expect(JSON.stringify(rowsOf('SELECT VALUE [-0, 0 * -1]'))).toBe('[[0,0]]')
  })
})

describe('a path', () => {
  const document = { a: { b: [{ c: 1 }, [2, 3]] }, s: 'text', n: 5, z: null, 'x y': 1, '0': 'zero' }

  it.each<[string, unknown]>([
    ['c.a.b[0].c', 1],
    ['c["a"]["b"][0]["c"]', 1],
    ['c.a.b[1][1]', 3],
    ['c.a.b[2]', undefined],
    ['c.a.b.length', undefined],
    ['c.a.b["0"]', undefined],
    ['c.a[0]', undefined],
    ['c[0]', undefined],
    ['c["0"]', 'zero'],
    ['c.s[0]', undefined],
    ['c.s.length', undefined],
    ['c.n.x', undefined],
    ['c.z.x', undefined],
    ['c.none.x.y', undefined],
    ['c["x y"]', 1],
    ['c.A', undefined],
    ['c.toString', undefined],
    ['c["__proto__"]', undefined],
    ['c.a.b[1 + 0][0]', 2],
    ['c["a" || ""].b[0].c', 1],
  ])('%s has the value of the property, or is undefined', (path, expected) => {
    expect(valueOf(path, document)).toStrictEqual(expected)
  })
})

describe('an equality', () => {
  it.each<[string, unknown]>([
    ['("Redmond" = "WA")', false],
    ['("WA" = "WA")', true],
    ['null = null', true],
    ['null != null', false],
    ['true = true', true],
    ['true != false', true],
    ['1 = 1.0', true],
    ['1 <> 2', true],
    ['0.1 + 0.2 = 0.3', false],
    ['9007199254740993 = 9007199254740992', true],
    ['"a" = "A"', false],
    ['"\u00e9" = "e\u0301"', false],
    [String.raw`"\u00e9" = "é"`, true],
    ['[] = []', true],
    ['[1, [2]] = [1, [2]]', true],
    ['[1, 2] = [2, 1]', false],
    ['[1] = [1, 2]', false],
    ['{} = {}', true],
    ['{a: 1, b: 2} = {b: 2, a: 1}', true],
    ['{a: {x: 1, y: [2]}} = {a: {y: [2], x: 1}}', true],
    ['{a: 1} = {a: 1, b: 2}', false],
    ['{a: 1} = {b: 1}', false],
    ['{a: null} = {}', false],
    ['[null] = [null]', true],
    ['undefined = undefined', undefined],
    ['undefined != undefined', undefined],
    ['undefined = 1', undefined],
    ['null = undefined', undefined],
    ['c.none = c.none', undefined],
    ['c.none != 1', undefined],
    ['{} = undefined', undefined],
  ])('%s compares values of one type', (expression, expected) => {
    expect(valueOf(expression)).toBe(expected)
  })

  const unlike = ['null', 'true', '1', '"1"', '{}', '[]']
  const pairs = unlike.flatMap((one) => unlike.filter((other) => other !== one).map((other) => [one, other]))

  it.each(pairs)('of two types, %s and %s, does not hold', (one, other) => {
    expect(rowsOf(`SELECT VALUE 1 WHERE ${one} = ${other}`)).toEqual([])
  })

  // The page of the operators says undefined. The query engine in the tests of the .NET SDK says this.
  it.each(pairs)('of two types, %s and %s, is false with = and true with !=', (one, other) => {
    expect([valueOf(`${one} = ${other}`), valueOf(`${one} != ${other}`)]).toEqual([false, true])
  })

  it.each([
    ['{a: 1}', '{a: 2}', true],
    ['[1]', '[2]', true],
    ['{}', '{}', false],
  ])('with != of two objects or arrays, %s and %s, compares their contents', (one, other, expected) => {
    expect(valueOf(`${one} != ${other}`)).toBe(expected)
  })
})

describe('a comparison', () => {
  it.each<[string, unknown]>([
    ['1 < 2', true],
    ['2 <= 2', true],
    ['2 > 2', false],
    ['2 >= 3', false],
    ['-1 < 0', true],
    ['10 > 9', true],
    ['"10" > "9"', false],
    ['"a" < "b"', true],
    ['"B" < "a"', true],
    ['"a" < "aa"', true],
    ['"" < "a"', true],
    ['false < true', true],
    ['true >= true', true],
    ['null <= null', true],
    ['null < null', false],
    ['1 < "2"', undefined],
    ['null < 1', undefined],
    ['false < 1', undefined],
    ['"a" > 1', undefined],
    ['[1] < [2]', undefined],
    ['[1] <= [1]', undefined],
    ['{} >= {}', undefined],
    ['{} < 1', undefined],
    ['undefined < 1', undefined],
    ['1 >= c.none', undefined],
  ])('%s orders values of one type, and is undefined otherwise', (expression, expected) => {
    expect(valueOf(expression)).toBe(expected)
  })
})

describe('a logical operator', () => {
  const truths = ['true', 'false', 'undefined']

  it.each<[string, unknown[]]>([
    ['true', [true, true, true]],
    ['false', [true, false, undefined]],
    ['undefined', [true, undefined, undefined]],
  ])('OR after %s follows its table', (left, row) => {
    expect(truths.map((right) => valueOf(`${left} OR ${right}`))).toEqual(row)
  })

  it.each<[string, unknown[]]>([
    ['true', [true, false, undefined]],
    ['false', [false, false, false]],
    ['undefined', [undefined, false, undefined]],
  ])('AND after %s follows its table', (left, row) => {
    expect(truths.map((right) => valueOf(`${left} AND ${right}`))).toEqual(row)
  })

  it.each<[string, unknown]>([
    ['NOT true', false],
    ['NOT false', true],
    ['NOT undefined', undefined],
    ['NOT 1', undefined],
    ['NOT null', undefined],
    ['NOT "true"', undefined],
    ['NOT NOT true', true],
    ['true OR false AND false', true],
    ['(true OR false) AND false', false],
    ['NOT false AND false', false],
    ['NOT true OR true', true],
    ['NOT (true OR true)', false],
    ['false AND false OR true', true],
    ['1 AND true', undefined],
    ['1 OR true', true],
    ['"x" AND false', false],
    ['1 = 1 AND 2 > 1', true],
  ])('has the value of %s', (expression, expected) => {
    expect(valueOf(expression)).toBe(expected)
  })
})

describe('the ternary and the coalesce operator', () => {
  it.each<Example>([
    [
      'SELECT p.name, p.price AS subtotal, p.onSale ? (p.price * 0.85) : p.price AS total FROM products p',
      poles,
      [
        { name: 'Stangincy trekking poles', subtotal: 24.5, total: 20.825 },
        { name: 'Vimero hiking poles', subtotal: 24.5, total: 24.5 },
        { name: 'Kramundsen trekking poles', subtotal: 24.5, total: 20.825 },
      ],
    ],
    [
      'SELECT VALUE p.onCloseout ? (p.price * 0.55) : p.onSale ? (p.price * 0.85) : p.price FROM products p',
      poles,
      [20.825, 24.5, 13.475000000000001],
    ],
    ['SELECT VALUE p.collapsible ?? false FROM products p', poles, [true, false, false]],
    [
      'SELECT p.name, p.collapsible ?? false AS isCollapsible FROM products p',
      poles.slice(1, 2),
      [{ name: 'Vimero hiking poles', isCollapsible: false }],
    ],
    ['SELECT VALUE c.a ?? c.b ?? 3 FROM c', [{ a: 1, b: 2 }, { b: 2 }, {}, { a: null }], [1, 2, 3, null]],
    ['SELECT VALUE c.a ?? c.b FROM c', [{}], []],
    [
      'SELECT VALUE c.a ? 1 : 2 FROM c',
      [{ a: true }, { a: false }, { a: null }, { a: 1 }, {}],
      [1, 2, 2, 2, 2],
    ],
    [
      'SELECT VALUE c.a > 1 ? "more" : "less" FROM c',
      [{ a: 2 }, { a: 1 }, { a: 'x' }],
      ['more', 'less', 'less'],
    ],
    ['SELECT VALUE true ? c.none : 1 FROM c', [{}], []],
    ['SELECT VALUE true ? 1 : false ? 2 : 3', [], [1]],
  ])('choose a value: %s', (query, documents, expected) => {
    expect(rowsOf(query, documents)).toStrictEqual(expected)
  })
})

describe('an expression of bits', () => {
  it.each([
    ['100 >> 2', 25],
    ['100 << 2', 400],
    ['100 >>> 0', 100],
    ['100 & 1000', 96],
    ['100 | 1000', 1004],
    ['100 ^ 1000', 908],
    ['~100', -101],
  ])('%s has the documented value', (expression, expected) => {
    expect(valueOf(`(${expression})`)).toBe(expected)
  })
})
