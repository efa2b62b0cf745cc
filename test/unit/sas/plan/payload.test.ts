import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../../../src/sas/model/documents.js'
import { payloadHash } from '../../../../src/sas/plan/payload.js'

describe('the payload hash', () => {
  it('is the same for every order of properties, at any depth', () => {
    expect(payloadHash('w', { b: [{ d: 1, c: 2 }], a: null })).toBe(
      payloadHash('w', { a: null, b: [{ c: 2, d: 1 }] }),
    )
  })

  it.each<[string, Json, Json]>([
    ['order of a list', [1, 2], [2, 1]],
    ['number and text', 1, '1'],
    ['null and a property left out', { a: null }, {}],
    ['a list and an object', ['x'], { 0: 'x' }],
    ['where text ends', ['a', 'b'], ['a,b']],
    ['a quote in a key', { 'a":1,"b': 1 }, { a: 1, b: 1 }],
  ])('distinguishes values by this difference: %s', (_what, one, other) => {
    expect(payloadHash('w', one)).not.toBe(payloadHash('w', other))
  })

  it('distinguishes workflows', () => {
    expect(payloadHash('one', 1)).not.toBe(payloadHash('other', 1))
  })

  it('is equal exactly when the JSON is', () => {
    const plain = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 2 }), fc.jsonValue({ maxDepth: 2 }), (one, other) => {
        const [a, b] = [plain(one), plain(other)]
        expect(payloadHash('w', a) === payloadHash('w', b)).toBe(isEqual(a, b))
        expect(payloadHash('w', a)).toBe(payloadHash('w', reversed(a)))
      }),
    )
  })
})

function isEqual(a: Json, b: Json): boolean {
  try {
    expect(a).toStrictEqual(b)
    return true
  } catch {
    return false
  }
}

/** Returns the same JSON with the properties of every object in reverse order. */
function reversed(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(reversed)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, item]): [string, Json] => [key, reversed(item)])
  return Object.fromEntries(entries.reverse())
}
