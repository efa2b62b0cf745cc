import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileQuery } from '../../../../src/emulator/query/index.js'
import { areEqual, canonicalText, compareValues } from '../../../../src/emulator/query/values/values.js'

/** Few values of each type, so that equal values are frequent. */
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom(null, true, false, 0, 1, -1, 1.5, '', 'a', 'b', 'B'),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('x', 'y', '__proto__'), tie('value'), { maxKeys: 2 }),
  ),
})).value
const valueOrNone = fc.oneof({ arbitrary: json, weight: 9 }, { arbitrary: fc.constant(undefined), weight: 1 })

type Type = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object'
const types: readonly Type[] = ['null', 'boolean', 'number', 'string', 'array', 'object']

function typeOf(value: unknown): Type {
  const type = types.find((candidate) => candidate === typeof value) ?? 'object'
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : type
}

/** Compares values as JSON texts with sorted names, independently of the code under test. */
function sortedText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedText).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).map(([name, inner]) => `${name}:${sortedText(inner)}`)
  return `{${entries.sort().join()}}`
}

/** Returns the three-valued answer of an operator, according to the rules of the dialect. */
function oracle(operator: string, left: unknown, right: unknown): boolean | undefined {
  if (left === undefined || right === undefined) return undefined
  if (operator === '=') return sortedText(left) === sortedText(right)
  if (operator === '!=') return sortedText(left) !== sortedText(right)
  const type = typeOf(left)
  if (type !== typeOf(right) || type === 'array' || type === 'object') return undefined
  const rank = [left, right].map((value) => (typeof value === 'string' ? value : Number(value)))
  const [one = 0, other = 0] = rank
  return { '<': one < other, '<=': one <= other, '>': one > other, '>=': one >= other }[operator]
}

function documentOf(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

function evaluate(expression: string, values: Record<string, unknown>): unknown {
  return compileQuery(`SELECT VALUE ${expression} FROM c`, []).execute([documentOf(values)])[0]
}

describe('a comparison', () => {
  it.each(['=', '!=', '<', '<=', '>', '>='])('a %s b follows the rules', (operator) => {
    fc.assert(
      fc.property(valueOrNone, valueOrNone, (a, b) => {
        expect(evaluate(`c.a ${operator} c.b`, { a, b })).toBe(oracle(operator, a, b))
      }),
    )
  })

  it('has the same answer for a parameter and a property', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        const query = compileQuery('SELECT VALUE c.a = @b FROM c', [{ name: '@b', value: b }])
        expect(query.execute([{ a }])).toEqual([oracle('=', a, b)])
      }),
    )
  })

  it('defines the answers of IN, BETWEEN, NOT IN and NOT BETWEEN', () => {
    fc.assert(
      fc.property(json, json, json, (a, b, d) => {
        const values = { a, b, d }
        expect(evaluate('c.a IN (c.b, c.d)', values)).toBe(evaluate('c.a = c.b OR c.a = c.d', values))
        expect(evaluate('c.a NOT IN (c.b, c.d)', values)).toBe(evaluate('NOT (c.a IN (c.b, c.d))', values))
        expect(evaluate('c.a BETWEEN c.b AND c.d', values)).toBe(
          evaluate('c.a >= c.b AND c.a <= c.d', values),
        )
        expect(evaluate('c.a NOT BETWEEN c.b AND c.d', values)).toBe(
          evaluate('NOT (c.a BETWEEN c.b AND c.d)', values),
        )
      }),
    )
  })
})

describe('three-valued logic', () => {
  const cases = [true, false, undefined]
  const and = (a: unknown, b: unknown): unknown =>
    a === false || b === false ? false : a === true && b === true ? true : undefined

  it('defines AND, OR and NOT', () => {
    for (const a of cases) {
      expect(evaluate('NOT c.a', { a })).toBe(a === undefined ? undefined : !a)
      for (const b of cases) {
        expect(evaluate('c.a AND c.b', { a, b })).toBe(and(a, b))
        const isAnyUndefined = a === undefined || b === undefined
        expect(evaluate('c.a OR c.b', { a, b })).toBe(
          a === true || b === true ? true : isAnyUndefined ? undefined : false,
        )
      }
    }
  })

  it('passes a document if and only if the condition is true', () => {
    fc.assert(
      fc.property(valueOrNone, (a) => {
        expect(compileQuery('SELECT VALUE 1 FROM c WHERE c.a', []).execute([documentOf({ a })])).toEqual(
          a === true ? [1] : [],
        )
      }),
    )
  })
})

describe('the order of values', () => {
  it('is total: reflexive, antisymmetric, transitive', () => {
    fc.assert(
      fc.property(valueOrNone, valueOrNone, valueOrNone, (a, b, d) => {
        expect(compareValues(a, a)).toBe(0)
        expect(Math.sign(compareValues(a, b)) + Math.sign(compareValues(b, a))).toBe(0)
        if (compareValues(a, b) <= 0 && compareValues(b, d) <= 0)
          expect(compareValues(a, d)).toBeLessThanOrEqual(0)
      }),
    )
  })

  it('agrees with < where < has an answer', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        const isLess = oracle('<', a, b)
        if (isLess !== undefined) expect(compareValues(a, b) < 0).toBe(isLess)
      }),
    )
  })

  it('is stable in ORDER BY, which keeps every row; DESC reverses the order of types', () => {
    fc.assert(
      fc.property(fc.array(valueOrNone, { maxLength: 8 }), (values) => {
        const documents = values.map((v, at) => documentOf({ v, at }))
        const ascending = compileQuery('SELECT VALUE c.at FROM c ORDER BY c.v', []).execute(documents)
        const expected = values
          .map((v, at) => ({ v, at }))
          .sort((one, other) => compareValues(one.v, other.v))
        expect(ascending).toEqual(expected.map(({ at }) => at))
        const descending = compileQuery('SELECT VALUE c.at FROM c ORDER BY c.v DESC', []).execute(documents)
        expect(descending).toEqual(
          expected
            .toSorted((one, other) => compareValues(other.v, one.v) || one.at - other.at)
            .map(({ at }) => at),
        )
      }),
    )
  })
})

describe('the equality of values', () => {
  it('agrees with canonical texts', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(areEqual(a, b)).toBe(sortedText(a) === sortedText(b))
        expect(canonicalText(a) === canonicalText(b)).toBe(areEqual(a, b))
      }),
    )
  })

  it('holds between a document’s value and itself', () => {
    fc.assert(
      fc.property(json, (v) => {
        const query = compileQuery('SELECT VALUE c.v FROM c WHERE c.v = @v', [
          { name: '@v', value: structuredClone(v) },
        ])
        expect(query.execute([{ v }])).toHaveLength(1)
      }),
    )
  })
})
