import { describe, expect, it } from 'vitest'
import { givenJson } from '../../../../../src/sas/model/values/plain-json.js'
import { reference } from '../../../../../src/sas/model/values/reference.js'

function reasonFor(value: unknown): string | null {
  const given = givenJson(value, 'output')
  return given.kind === 'refused' ? given.reason : null
}

/** Returns this many nested objects. */
function nested(levels: number): unknown {
  return levels === 0 ? 1 : { a: nested(levels - 1) }
}

class Order {
  constructor(readonly id: string) {}
}

describe('a value to store', () => {
  it.each<[string, unknown, unknown]>([
    ['plain JSON', { a: [1, 'x', null, true] }, { a: [1, 'x', null, true] }],
    ['undefined', undefined, null],
    ['a property that is undefined', { a: undefined, b: 1 }, { b: 1 }],
    ['a Date', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
    ['what has a toJSON', { a: { toJSON: () => ({ b: 1 }) } }, { a: { b: 1 } }],
    ['an instance of a class of the user', new Order('A'), { id: 'A' }],
    ['an object without a prototype', Object.assign(Object.create(null) as object, { a: 1 }), { a: 1 }],
    ['100 levels', nested(100), nested(100)],
  ])('may be %s', (_what, value, stored) => {
    expect(givenJson(value, 'output')).toMatchObject({ kind: 'json', json: stored })
  })

  it.each<[string, unknown, string]>([
    ['NaN', { total: Number.NaN }, 'output.total is NaN, which JSON cannot represent'],
    ['Infinity', [{ rate: Infinity }], 'output[0].rate is Infinity, which JSON cannot represent'],
    ['undefined in a list', { a: [1, undefined] }, 'output.a[1] is undefined, which JSON cannot represent'],
    ['a hole in a list', new Array<number>(1), 'output[0] is undefined, which JSON cannot represent'],
    ['a function', { 'on done': () => 1 }, 'output["on done"] is a function, which JSON cannot represent'],
    ['a symbol', Symbol('x'), 'output is a symbol, which JSON cannot represent'],
    ['a bigint', { a: 1n }, 'output.a is a bigint, which JSON cannot represent'],
    ['a Map', { a: new Map([['b', 1]]) }, 'output.a is an instance of Map, whose content JSON would lose'],
    ['a Set', new Set([1]), 'output is an instance of Set, whose content JSON would lose'],
    ['an Error', new Error('no'), 'output is an instance of Error, whose content JSON would lose'],
    ['bytes', new Uint8Array(2), 'output is an instance of Uint8Array, whose content JSON would lose'],
    ['an invalid Date', { at: new Date('x') }, 'output.at is an invalid Date'],
    [
      'a reference',
      { a: reference(['input']) },
      'output.a is a reference, which only a workflow definition may contain',
    ],
    [
      'NaN from a toJSON',
      { toJSON: () => ({ a: Number.NaN }) },
      'output.a is NaN, which JSON cannot represent',
    ],
  ])('must not be %s', (_what, value, reason) => {
    expect(reasonFor(value)).toBe(reason)
  })

  it('must not be nested too deeply for the store', () => {
    expect(reasonFor(nested(101))).toBe(
      'output.a.a.a.a.a.a.a.a… is nested more than 100 levels deep, or contains itself: pass the address of the data, not the data',
    )
    const circle: { self?: unknown } = {}
    circle.self = circle
    expect(reasonFor(circle)).toContain('contains itself')
    const itself = { a: 1, toJSON: (): unknown => itself }
    expect(givenJson(itself, 'output').kind).toBe('refused')
  })

  it('is refused when one of its properties throws', () => {
    const thrower = {
      get a(): number {
        throw new Error('not now')
      },
    }
    expect(reasonFor(thrower)).toBe('output is not JSON: not now')
  })
})
