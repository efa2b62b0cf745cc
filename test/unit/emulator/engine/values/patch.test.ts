import { describe, expect, it } from 'vitest'
import { applyPatch, parsePatchSteps } from '../../../../../src/emulator/engine/values/patch.js'
import { refusalOf } from '../an-engine.js'

function patched(document: Record<string, unknown>, ...operations: unknown[]): unknown {
  return applyPatch(structuredClone(document), parsePatchSteps(operations, ['/pk']))
}

describe('a patch', () => {
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
    ['set at the end', { a: [1] }, { op: 'set', path: '/a/-', value: 2 }, { a: [1, 2] }],
    ['set to null', { a: 1 }, { op: 'set', path: '/a', value: null }, { a: null }],
    ['replace in a list', { a: [1, 2] }, { op: 'replace', path: '/a/1', value: 9 }, { a: [1, 9] }],
    ['incr in a list', { a: [1, 2] }, { op: 'incr', path: '/a/1', value: 5 }, { a: [1, 7] }],
    [
      'something inside a list',
      { a: [{ b: 1 }] },
      { op: 'set', path: '/a/0/b', value: 2 },
      { a: [{ b: 2 }] },
    ],
    ['move over another', { a: 1, b: 2 }, { op: 'move', from: '/a', path: '/b' }, { b: 1 }],
    ['move in a list', { a: [1, 2, 3] }, { op: 'move', from: '/a/0', path: '/a/2' }, { a: [2, 3, 1] }],
    ['move out of a list', { a: [1, 2] }, { op: 'move', from: '/a/1', path: '/b' }, { a: [1], b: 2 }],
    ['a name that begins like the key', { pk2: 1 }, { op: 'set', path: '/pk2', value: 2 }, { pk2: 2 }],
    ['escaped names', { 'a/b': 1, '~': 1 }, { op: 'remove', path: '/a~1b' }, { '~': 1 }],
  ])('changes a document: %s', (_name, document, operation, expected) => {
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
    ['a place in a list that is no number', { op: 'set', path: '/list/1e0', value: 1 }],
    ['an empty place in a list', { op: 'set', path: '/list/', value: 1 }],
    ['a place with a leading zero', { op: 'replace', path: '/list/00', value: 1 }],
    ['a missing element to replace', { op: 'replace', path: '/list/1', value: 1 }],
    ['a missing element to increment', { op: 'incr', path: '/list/1', value: 1 }],
    ['null to increment', { op: 'incr', path: '/nothing', value: 1 }],
    ['a sum that no number can hold', { op: 'incr', path: '/large', value: 1e308 }],
    ['a move of nothing', { op: 'move', from: '/none', path: '/a' }],
    ['a move into itself', { op: 'move', from: '/list/0', path: '/list/0/x' }],
    ['a move onto the id', { op: 'move', from: '/text', path: '/id' }],
    ['what only the service writes', { op: 'set', path: '/_attachments', value: 'x' }],
    ['a text to increment', { op: 'incr', path: '/text', value: 1 }],
  ])('is rejected because of %s', (_name, operation) => {
    const document = { id: 'x', pk: 'a', list: [1], text: 't', nothing: null, large: 1e308 }
    expect(refusalOf(() => patched(document, operation)).status).toBe(400)
  })

  it('has one to ten operations', () => {
    const operations = Array.from({ length: 11 }, () => ({ op: 'set', path: '/a', value: 1 }))
    expect(refusalOf(() => parsePatchSteps(operations, [])).message).toContain('cannot exceed 10')
    expect(refusalOf(() => parsePatchSteps([], [])).status).toBe(400)
  })
})
