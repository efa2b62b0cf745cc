import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileQuery, QueryError } from '../../../../src/emulator/query/index.js'
import { sizeOf } from '../../../../src/emulator/query/language/query-limits.js'
import { indexOf } from '../../../../src/emulator/query/functions/texts/text-search.js'

const long = 'a'.repeat(1_900_000)

function ask(
  text: string,
  document: Readonly<Record<string, unknown>>,
  parameters: Readonly<Record<string, unknown>> = {},
): readonly unknown[] {
  const given = Object.entries(parameters).map(([name, value]) => ({ name: `@${name}`, value }))
  return compileQuery(text, given).execute([document])
}

/** Converts a pattern of `%`, `_` and characters to a regular expression. */
function expressionOf(pattern: string): RegExp {
  const source = Array.from(pattern, (one) =>
    one === '%' ? '[^]*' : one === '_' ? '[^]' : one.replace(/[[\]^]/u, '\\$&'),
  )
  return new RegExp(`^${source.join('')}$`, 'u')
}

describe('the limits of queries', () => {
  it.each([
    ['brackets that open no set', '['.repeat(40_000), [false]],
    ['brackets before a set', `${'['.repeat(40_000)}]`, [false]],
    ['a piece that begins everywhere and ends nowhere', `%${'a'.repeat(90_000)}b`, [false]],
    ['the same within the text', `%${'a'.repeat(90_000)}b%`, [false]],
    ['a piece whose middle is wrong', `%${'a'.repeat(50_000)}b${'a'.repeat(50_000)}%`, [false]],
    ['many runs', `${'%a'.repeat(60_000)}%`, [true]],
    ['a set of many members', `%[${'bc'.repeat(60_000)}]%`, [false]],
  ])('keep LIKE linear in text and pattern: %s', (_name, pattern, expected) => {
    expect(ask('SELECT VALUE c.text LIKE @pattern FROM c', { text: long }, { pattern })).toEqual(expected)
  })

  it('keep LIKE linear with an escape that could also begin a set', () => {
    const pattern = `${'['.repeat(2_000_000)}]`
    const query = 'SELECT VALUE c.text LIKE @pattern ESCAPE "[" FROM c'
    expect(ask(query, { text: `${'['.repeat(1_000_000)}]` }, { pattern })).toEqual([true])
  })

  it('reject LIKE with wildcards between two runs when it compares too much', () => {
    const pattern = `%${'a'.repeat(50_000)}_b%`
    expect(() => ask('SELECT VALUE c.text LIKE @pattern FROM c', { text: long }, { pattern })).toThrow(
      'comparisons',
    )
  })

  it('leave the answers of LIKE unchanged, compared with a regular expression', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '[', '^', '-'), maxLength: 12 })
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '%', '%', '_', '[', '^', '-'), maxLength: 8 })
    fc.assert(
      fc.property(text, pattern, (given, wanted) => {
        const [answer] = ask('SELECT VALUE c.text LIKE @wanted FROM c', { text: given }, { wanted })
        expect(answer).toBe(expressionOf(wanted).test(given))
      }),
      { numRuns: 500 },
    )
  })

  it('leave the answers of text searches unchanged, and long searches fast', () => {
    const part = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 3 })
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), fc.nat(40), fc.nat(150), (parts, repeat, from) => {
        const text = parts.join('ab'.repeat(repeat))
        const wanted = `${'ab'.repeat(repeat)}${parts[1] ?? ''}${'ab'.repeat(repeat)}`
        expect(indexOf(text, wanted, from)).toBe(text.indexOf(wanted, from))
      }),
      { numRuns: 300 },
    )
    const wanted = `${'a'.repeat(50_000)}b${'a'.repeat(50_000)}`
    const query =
      'SELECT VALUE [CONTAINS(c.t, @w), INDEX_OF(c.t, @w), REPLACE(c.t, @w, "") = c.t] FROM c WHERE c.t != @w'
    expect(ask(query, { t: long }, { w: wanted })).toEqual([[false, -1, true]])
  })

  it.each([
    [
      'REPLACE in REPLACE',
      `SELECT VALUE ${'REPLACE('.repeat(12)}"aaaaaaaaaa"${', "a", "aaaaaaaaaa")'.repeat(12)} FROM c`,
    ],
    ['CONCAT of a text with itself', 'SELECT VALUE CONCAT(c.text, c.text, c.text) FROM c'],
    ['||', 'SELECT VALUE (c.text || c.text) || c.text FROM c'],
    [
      'ToString of many copies',
      `SELECT VALUE LENGTH(ToString([${Array(50_000).fill('c').join(',')}])) FROM c`,
    ],
    ['a row of many copies', `SELECT VALUE [${Array(50_000).fill('c').join(',')}] FROM c`],
    ['an object of many copies', 'SELECT c.text AS a, c.text AS b, c.text AS d FROM c'],
    ['aggregates', 'SELECT VALUE [MAX(c.text), MAX(c.text), MAX(c.text)] FROM c'],
  ])('reject a value that grows beyond 4 MB with 400: %s', (_name, text) => {
    let error: unknown
    try {
      ask(text, { text: long })
    } catch (thrown) {
      error = thrown
    }
    expect(error).toBeInstanceOf(QueryError)
    expect(error).toMatchObject({ status: 400 })
    expect((error as QueryError).reason).toContain('the limit of 4194304 characters')
  })

  it('measure a large value once, because a join may put it into many rows', () => {
    let reads = 0
    const first = {
      get name(): string {
        reads += 1
        return 'a'
      },
    }
    const items = [first, ...Array.from({ length: 5_000 }, () => 0)]
    expect([sizeOf({ items }), sizeOf([items])]).toEqual([20_024, 20_016])
    expect(reads).toBe(1)
  })

  it.each([
    ['quotes that are never closed', `SELECT ${'"\\'.repeat(120_000)}`, 'SC1012'],
    ['comments that are never closed', `SELECT ${'/*'.repeat(120_000)}`, 'SC1001'],
  ])('keep parsing linear: %s', (_name, text, code) => {
    expect(() => compileQuery(text, [])).toThrow(expect.objectContaining({ code }) as Error)
  })
})
