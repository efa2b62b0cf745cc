import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonical, rowsOf } from './rows-of.js'

const examples: readonly unknown[] = [
  null,
  true,
  false,
  0,
  2 ** 53,
  -(2 ** 53),
  2 ** 53 - 1,
  Number.MAX_VALUE,
  5e-324,
  '',
  'null',
  '\u0000',
  '"\\/\b\f\n\r\t',
  'e\u0301',
  '\u{1f600}\u{10ffff}',
  '\ud800',
  '\u2028',
  '__proto__',
  [],
  [[]],
  [null],
  {},
  { '': {} },
  { a: { b: [1, { c: null }] } },
]

/** Queries over one document with the parameter's value in `v`, and the row that each of them has. */
const queries: readonly (readonly [string, (v: unknown) => unknown])[] = [
  ['SELECT VALUE c.v FROM c', (v) => v],
  ['SELECT VALUE @p FROM c', (v) => v],
  ['SELECT c.v FROM c', (v) => ({ v })],
  ['SELECT * FROM c WHERE c.v = @p', (v) => ({ v })],
  ['SELECT * FROM c WHERE c.v IN (@p)', (v) => ({ v })],
  ['SELECT * FROM c WHERE NOT (c.v != @p)', (v) => ({ v })],
  ['SELECT * FROM c ORDER BY c.v', (v) => ({ v })],
  ['SELECT TOP 1 VALUE [c.v, { v: c.v }] FROM c', (v) => [v, { v }]],
  ['SELECT VALUE v FROM c.v v', (v) => v],
  ['SELECT VALUE v FROM c JOIN c.v AS v', (v) => v],
  ['SELECT VALUE v FROM c JOIN (SELECT VALUE c.v) v WHERE v = @p', (v) => v],
  ['SELECT VALUE v FROM c JOIN v IN (SELECT VALUE [c.v])', (v) => v],
  ['SELECT DISTINCT VALUE v FROM c JOIN v IN (SELECT VALUE [c.v, @p])', (v) => v],
  ['SELECT v, COUNT(1) AS n FROM c JOIN v IN (SELECT VALUE [c.v, @p]) GROUP BY v', (v) => ({ v, n: 2 })],
  ['SELECT VALUE MAKESET(v) FROM v IN (SELECT VALUE [c.v, @p] FROM c)', (v) => [v]],
  ['SELECT VALUE MAKELIST(c.v) FROM c', (v) => [v]],
  ['SELECT VALUE COUNT(c.v) FROM c', () => 1],
  ['SELECT VALUE COUNTIF(c.v = @p) FROM c', () => 1],
  ['SELECT VALUE (SELECT VALUE c.v) FROM c', (v) => v],
  ['SELECT VALUE FIRST(SELECT VALUE c.v) FROM c', (v) => v],
  ['SELECT VALUE ARRAY(SELECT VALUE c.v) FROM c', (v) => [v]],
  ['SELECT VALUE EXISTS(SELECT VALUE c.v WHERE c.v = @p) FROM c', () => true],
  ['SELECT VALUE c.v ?? 1 FROM c', (v) => v],
]

describe('a value of any type', () => {
  it.each(queries)('passes unchanged through %s', (query, expected) => {
    for (const v of examples) {
      const rows = rowsOf(query, [{ v }], { p: structuredClone(v) })
      expect(rows.map(canonical), JSON.stringify(v)).toEqual([canonical(expected(v))])
    }
    fc.assert(
      fc.property(fc.jsonValue(), (v) => {
        expect(rowsOf(query, [{ v }], { p: v }).map(canonical)).toEqual([canonical(expected(v))])
      }),
      { numRuns: 40, seed: 20_261_122 },
    )
  })

  it('is never changed by a query', () => {
    const document = { v: { a: [1, { b: 2 }] }, l: [{ k: 1 }] }
    const before = structuredClone(document)
    rowsOf('SELECT VALUE { a: c.v, b: ARRAY(SELECT VALUE x FROM x IN c.l) } FROM c', [document])
    rowsOf('SELECT * FROM c ORDER BY c.v', [document, document])
    rowsOf('SELECT MAKELIST(c.l) AS all FROM c GROUP BY c.v', [document, document])
    expect(document).toEqual(before)
  })

  it('is undefined if the property is missing, and then has no row and no property', () => {
    for (const [query] of queries.filter(([text]) => !/@p|COUNT|MAKE|ARRAY|\?\?/.test(text))) {
      const rows = rowsOf(query, [{}])
      expect(
        rows.map(canonical).filter((row) => !['{}', '[{}]'].includes(row)),
        query,
      ).toEqual([])
    }
  })
})
