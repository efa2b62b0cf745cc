import { describe, expect, it } from 'vitest'
import { applyPatch, parsePatchSteps } from '../../../../src/emulator/engine/patch.js'
import { refusalOf } from './an-engine.js'

function patched(document: Record<string, unknown>, ...operations: unknown[]): unknown {
  return applyPatch(structuredClone(document), parsePatchSteps(operations, ['/pk']))
}

describe('patch', () => {
  it.each<[string, Record<string, unknown>, unknown, unknown]>([
    ['add', { a: 1 }, { op: 'add', path: '/b', value: 2 }, { a: 1, b: 2 }],
    ['add inside', { a: {} }, { op: 'add', path: '/a/b', value: null }, { a: { b: null } }],
    ['add to a list', { a: [1, 3] }, { op: 'add', path: '/a/1', value: 2 }, { a: [1, 2, 3] }],
    ['add at the end', { a: [1] }, { op: 'add', path: '/a/-', value: 2 }, { a: [1, 2] }],
    ['set', { a: 1 }, { op: 'set', path: '/a', value: [2] }, { a: [2] }],
    ['set in a list', { a: [1, 2] }, { op: 'set', path: '/a/0', value: 9 }, { a: [9, 2] }],
    ['replace', { a: 1 }, { op: 'replace', path: '/a', value: 2 }, { a: 2 }],
    ['remove', { a: 1, b: 2 }, { op: 'remove', path: '/a' }, { b: 2 }],
    ['remove from a list', { a: [1, 2] }, { op: 'remove', path: '/a/0' }, { a: [2] }],
    ['incr', { a: 1 }, { op: 'incr', path: '/a', value: 0.5 }, { a: 1.5 }],
    ['incr of nothing', {}, { op: 'incr', path: '/a', value: -2 }, { a: -2 }],
    ['move', { a: 1 }, { op: 'move', from: '/a', path: '/b' }, { b: 1 }],
    ['escaped names', { 'a/b': 1, '~': 1 }, { op: 'remove', path: '/a~1b' }, { '~': 1 }],
  ])('%s', (_name, document, operation, expected) => {
    expect(patched(document, operation)).toEqual(expected)
  })

  it('sets a property called __proto__ like any other', () => {
    const result = patched({}, { op: 'set', path: '/__proto__', value: { admin: true } })
    expect(Object.keys(result as object)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype)
  })

  it.each<[string, unknown]>([
    ['an unknown operation', { op: 'copy', path: '/a', value: 1 }],
    ['a path without slash', { op: 'set', path: 'a', value: 1 }],
    ['no value', { op: 'set', path: '/a' }],
    ['a text to add', { op: 'incr', path: '/a', value: '1' }],
    ['the id', { op: 'set', path: '/id', value: 'x' }],
    ['the etag', { op: 'remove', path: '/_etag' }],
    ['the partition key', { op: 'set', path: '/pk', value: 'x' }],
    ['something inside the partition key', { op: 'set', path: '/pk/a', value: 'x' }],
    ['the partition key as the source', { op: 'move', from: '/pk', path: '/b' }],
    ['a missing property to replace', { op: 'replace', path: '/none', value: 1 }],
    ['a missing property to remove', { op: 'remove', path: '/none' }],
    ['a missing outer property', { op: 'set', path: '/none/a', value: 1 }],
    ['a place outside of a list', { op: 'add', path: '/list/5', value: 1 }],
    ['a text to increment', { op: 'incr', path: '/text', value: 1 }],
  ])('refuses %s', (_name, operation) => {
    const document = { id: 'x', pk: 'a', list: [1], text: 't' }
    expect(refusalOf(() => patched(document, operation)).status).toBe(400)
  })

  it('refuses more than ten operations, and none', () => {
    const operations = Array.from({ length: 11 }, () => ({ op: 'set', path: '/a', value: 1 }))
    expect(refusalOf(() => parsePatchSteps(operations, [])).message).toContain('the limit is 10')
    expect(refusalOf(() => parsePatchSteps([], [])).status).toBe(400)
  })
})
