import { describe, expect, it } from 'vitest'
import { compileQuery } from '../../../../src/emulator/query/index.js'
import { parse } from '../../../../src/emulator/query/language/parse.js'
import { QueryParser } from '../../../../src/emulator/query/language/query-parser.js'

/** Returns a query whose scalar subqueries nest in each other, each with a chain of additions. */
function nested(subqueries: number, additions: number): string {
  let expression = '1'
  for (let level = 0; level < subqueries; level += 1) {
    expression = `(SELECT VALUE ${expression}${'+1'.repeat(additions)})`
  }
  return `SELECT VALUE ${expression}`
}

function joined(count: number): string {
  return Array.from({ length: count }, (_, index) => ` JOIN t${index} IN c.tags`).join('')
}

it('has a grammar without ambiguities', () => {
  expect(() => new QueryParser(true)).not.toThrow()
})

describe('the depth of a query', () => {
  it.each([
    [49, 7],
    [20, 20],
    [1, 490],
  ])('may be large: %i subqueries with %i additions each', (subqueries, additions) => {
    const rows = compileQuery(nested(subqueries, additions), []).execute([])
    expect(rows).toEqual([1 + subqueries * additions])
  })

  it.each([
    [45, 300],
    [49, 9],
    [1, 500],
  ])('counts subqueries too: %i with %i additions each are refused', (subqueries, additions) => {
    expect(() => parse(nested(subqueries, additions))).toThrow('Nesting deeper than 500 levels')
  })
})

describe('the number of JOINs', () => {
  it('may be 10', () => {
    const rows = compileQuery(`SELECT VALUE c.id FROM c${joined(10)}`, []).execute([{ id: 'a', tags: [1] }])
    expect(rows).toEqual(['a'])
  })

  it.each([
    ['in one FROM', `SELECT VALUE c.id FROM c${joined(11)}`],
    [
      'in a subquery too',
      `SELECT VALUE (SELECT VALUE COUNT(1) FROM d IN c.d${joined(9)}) FROM c${joined(2)}`,
    ],
    ['by the thousand', `SELECT VALUE c.id FROM c${joined(6_000)}`],
  ])('is limited as in the service: %s', (_name, text) => {
    expect(() => parse(text)).toThrow(
      expect.objectContaining({
        code: 'SC3002',
        reason: 'The SQL query exceeded the maximum number of joins. The allowed limit is 10.',
      }) as Error,
    )
  })
})

describe('a parsed tree', () => {
  const long = (index: number): string => `SELECT VALUE "${index}${'a'.repeat(200_000)}"`

  it('is kept for the same text', () => {
    expect(parse('SELECT VALUE "kept"')).toBe(parse('SELECT VALUE "kept"'))
  })

  it('is dropped when the trees of later texts need its room', () => {
    const first = parse(long(0))
    const fourth = [1, 2, 3].map((index) => parse(long(index)))[2]
    expect(parse(long(0))).toBe(first)
    ;[4, 5].forEach((index) => parse(long(index)))
    expect(parse(long(3))).toBe(fourth)
    expect(parse(long(0))).not.toBe(first)
  })
})
