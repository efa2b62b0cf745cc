import { describe, expect, it } from 'vitest'
import { mixed, orders } from './data-sets.js'
import { inAnyOrder, refusalOf, rowsOf, type Documents, type Example } from './rows-of.js'

const categories = [{ category: 'Accessories' }, {}, { category: 'Tools' }, { category: 'Accessories' }]
const values = (...list: readonly unknown[]): Documents => list.map((v) => ({ v }))

/** DISTINCT promises no order of its rows. */
const examples = (title: string, table: readonly Example[]): void => {
  it.each(table)(`${title}: %s`, (query, documents, expected) => {
    expect(inAnyOrder(rowsOf(query, documents))).toEqual(inAnyOrder(expected))
  })
}

describe('DISTINCT', () => {
  examples('returns each row once', [
    ['SELECT DISTINCT VALUE p.category FROM products p', categories, ['Accessories', 'Tools']],
    [
      'SELECT DISTINCT p.category FROM products p',
      categories,
      [{}, { category: 'Accessories' }, { category: 'Tools' }],
    ],
    ['SELECT DISTINCT VALUE f.lastName FROM Families f', [{ lastName: 'Andersen' }, {}], ['Andersen']],
    [
      'SELECT DISTINCT f.lastName FROM Families f',
      [{ lastName: 'Andersen' }, {}],
      [{ lastName: 'Andersen' }, {}],
    ],
    ['SELECT DISTINCT * FROM c', [{ a: 1 }, { a: 1 }, { a: 2 }], [{ a: 1 }, { a: 2 }]],
    ['SELECT DISTINCT c FROM c', [{ a: 1 }, { a: 1 }], [{ c: { a: 1 } }]],
    ['SELECT DISTINCT VALUE c FROM c', [{ a: 1 }, { a: 1 }], [{ a: 1 }]],
    [
      'SELECT DISTINCT c.a, c.b FROM c',
      [
        { a: 1, b: 1 },
        { a: 1, b: 2 },
        { b: 1, a: 1 },
      ],
      [
        { a: 1, b: 1 },
        { a: 1, b: 2 },
      ],
    ],
    ['SELECT DISTINCT VALUE 1 FROM c', categories, [1]],
    ['SELECT DISTINCT VALUE undefined FROM c', categories, []],
    ['SELECT DISTINCT undefined FROM c', categories, [{}]],
    ['SELECT DISTINCT VALUE c.v FROM c', [], []],
    ['SELECT DISTINCT VALUE 1', [{}], [1]],
    ['SELECT DISTINCT VALUE c.v % 2 FROM c', values(1, 2, 3, 4), [1, 0]],
    ['select distinct value c.v from c', values(1, 1), [1]],
  ])

  examples('tells values of different types apart', [
    ['SELECT DISTINCT VALUE c.v FROM c', mixed, ['b', 2, null, false, 10, true, -1]],
    ['SELECT DISTINCT c.v FROM c', [...values(null, null), {}], [{ v: null }, {}]],
    [
      'SELECT DISTINCT VALUE c.v FROM c',
      values(1, '1', true, 'true', [1], [1], 1),
      [1, '1', true, 'true', [1]],
    ],
    ['SELECT DISTINCT VALUE c.v FROM c', values(0, '', false, null, [], {}), [0, '', false, null, [], {}]],
    ['SELECT DISTINCT VALUE c.v FROM c', values('null', null, '[]', []), ['null', null, '[]', []]],
    ['SELECT DISTINCT VALUE c.v FROM c', values('a', 'A', 'a '), ['a', 'A', 'a ']],
    ['SELECT DISTINCT VALUE c.v FROM c', values('\u00e9', 'e\u0301', '\u00e9'), ['\u00e9', 'e\u0301']],
    [
      'SELECT DISTINCT VALUE c.v FROM c',
      values('\u{1f600}', '\u{1f601}', '\u{1f600}'),
      ['\u{1f600}', '\u{1f601}'],
    ],
    ['SELECT DISTINCT VALUE c.v FROM c', values(2 ** 53, 2 ** 53 - 1, 2 ** 53), [2 ** 53, 2 ** 53 - 1]],
    [
      'SELECT DISTINCT VALUE c.v FROM c',
      values(0.1, 0.30000000000000004, 0.3),
      [0.1, 0.30000000000000004, 0.3],
    ],
  ])

  examples('compares arrays with their order and objects without', [
    [
      'SELECT DISTINCT VALUE c.v FROM c',
      values([1, 2], [2, 1], [1, 2]),
      [
        [1, 2],
        [2, 1],
      ],
    ],
    ['SELECT DISTINCT VALUE c.v FROM c', values({ a: 1, b: 2 }, { b: 2, a: 1 }), [{ a: 1, b: 2 }]],
    ['SELECT DISTINCT VALUE c.v FROM c', values([{ a: 1, b: 2 }], [{ b: 2, a: 1 }]), [[{ a: 1, b: 2 }]]],
    [
      'SELECT DISTINCT VALUE c.v FROM c',
      values({ x: { a: 1, b: 2 } }, { x: { b: 2, a: 1 } }),
      [{ x: { a: 1, b: 2 } }],
    ],
    ['SELECT DISTINCT VALUE c.v FROM c', values({ a: 1 }, { a: null }, {}), [{ a: 1 }, { a: null }, {}]],
    ['SELECT DISTINCT VALUE c.v FROM c', values({ ab: 1 }, { a: 'b' }), [{ ab: 1 }, { a: 'b' }]],
    [
      'SELECT DISTINCT VALUE c.v FROM c',
      values([[1], 2], [1, [2]]),
      [
        [[1], 2],
        [1, [2]],
      ],
    ],
  ])

  it('returns one zero, whatever its sign', () => {
    expect(rowsOf('SELECT DISTINCT VALUE c.v FROM c', values(0, -0, 0))).toHaveLength(1)
    expect(rowsOf('SELECT DISTINCT VALUE c.v FROM c', values([0], [-0]))).toHaveLength(1)
  })
})

describe('DISTINCT together with other clauses', () => {
  examples('acts on the projected rows', [
    ['SELECT DISTINCT VALUE c.v FROM c WHERE c.v > 1', values(1, 2, 2, 3), [2, 3]],
    ['SELECT DISTINCT VALUE l.sku FROM o JOIN l IN o.lines', orders, ['a', 'b', 'c']],
    [
      'SELECT DISTINCT o.customer, l.sku FROM o JOIN l IN o.lines WHERE o.id = "o1"',
      orders,
      [
        { customer: 'ann', sku: 'a' },
        { customer: 'ann', sku: 'b' },
      ],
    ],
    ['SELECT DISTINCT VALUE x FROM x IN c.v', values([1, 2], [2, 3]), [1, 2, 3]],
    ['SELECT DISTINCT VALUE (SELECT VALUE COUNT(1) FROM l IN o.lines) FROM o', orders, [3, 1, 0]],
    ['SELECT DISTINCT VALUE EXISTS(SELECT VALUE l FROM l IN o.lines) FROM o', orders, [true, false]],
    ['SELECT DISTINCT VALUE COUNT(1) FROM c', values(1, 1), [2]],
    ['SELECT VALUE ARRAY(SELECT DISTINCT VALUE x FROM x IN c.v) FROM c', values([1, 1, '1']), [[1, '1']]],
    ['SELECT VALUE COUNT(1) FROM (SELECT DISTINCT c.v FROM c)', values(1, 1, 2), [2]],
    ['SELECT VALUE SUM(d) FROM (SELECT DISTINCT VALUE c.v FROM c) d', values(1, 2), [3]],
    ['SELECT DISTINCT VALUE x FROM (SELECT VALUE c.v FROM c) x', values(1, 1, 2), [1, 2]],
  ])

  it.each([
    ['SELECT DISTINCT TOP 2 VALUE c.v FROM c', 2],
    ['SELECT DISTINCT TOP 9 VALUE c.v FROM c', 3],
    ['SELECT DISTINCT VALUE c.v FROM c OFFSET 0 LIMIT 2', 2],
    ['SELECT DISTINCT VALUE c.v FROM c OFFSET 2 LIMIT 2', 1],
    ['SELECT DISTINCT VALUE c.v FROM c OFFSET 3 LIMIT 2', 0],
  ])('comes before the limits: %s has %i rows', (query, count) => {
    const rows = rowsOf(query, values(1, 1, 2, 2, 3, 3))
    expect(rows).toHaveLength(count)
    expect(new Set(rows).size).toBe(count)
  })

  it('puts equal arrays and objects next to each other with ORDER BY', () => {
    const documents = values([2], [1], { b: 1, a: 2 }, [2], [1, 0], { a: 1 }, [10], { a: 2, b: 1 }, [1])
    expect(rowsOf('SELECT VALUE c.v FROM c ORDER BY c.v', documents)).toEqual([
      [1],
      [1],
      [1, 0],
      [2],
      [2],
      [10],
      { a: 1 },
      { a: 2, b: 1 },
      { b: 1, a: 2 },
    ])
  })

  it('keeps the order of ORDER BY', () => {
    const documents = values(2, 1, 3, 1, 2)
    expect(rowsOf('SELECT DISTINCT VALUE c.v FROM c ORDER BY c.v DESC', documents)).toEqual([3, 2, 1])
    expect(rowsOf('SELECT DISTINCT TOP 2 VALUE c.v FROM c ORDER BY c.v', documents)).toEqual([1, 2])
  })

  it.each([
    'SELECT VALUE DISTINCT c.v FROM c',
    'SELECT TOP 1 DISTINCT VALUE c.v FROM c',
    'SELECT DISTINCT FROM c',
  ])('stands directly after SELECT: %s', (query) => {
    expect(refusalOf(query)).toBe('400 SC1001')
  })
})
