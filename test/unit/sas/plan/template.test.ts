import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../../../src/sas/model/documents.js'
import {
  bindTemplate,
  resolveTemplate,
  stepsReferredTo,
  substitute,
} from '../../../../src/sas/plan/template.js'
import { reference } from '../../../../src/sas/model/values/reference.js'
import { toTemplate } from '../../../../src/sas/model/values/to-template.js'

const input: Json = { user: { name: 'Ada', tags: ['x', 'y'] }, none: null }
const outputs = new Map<string, Json>([['pay', { id: 7 }]])

function resolved(template: Json): Json {
  return resolveTemplate(template, { input, outputs })
}

describe('a resolved template', () => {
  it.each([
    ['the whole input', { $from: ['input'] }, input],
    ['a property', { $from: ['input', 'user', 'name'] }, 'Ada'],
    ['an element', { $from: ['input', 'user', 'tags', '1'] }, 'y'],
    ['the length of a list', { $from: ['input', 'user', 'tags', 'length'] }, 2],
    ['a null', { $from: ['input', 'none'] }, null],
    ['a whole output', { $from: ['steps', 'pay', 'output'] }, { id: 7 }],
    ['a property of an output', { $from: ['steps', 'pay', 'output', 'id'] }, 7],
    ['parts of a list', ['a', { $from: ['steps', 'pay', 'output', 'id'] }], ['a', 7]],
    ['parts of an object', { to: { name: { $from: ['input', 'user', 'name'] } } }, { to: { name: 'Ada' } }],
    ['plain values', [1, 'two', true, null], [1, 'two', true, null]],
  ])('contains %s', (_what, template, value) => {
    expect(resolved(template)).toEqual(value)
  })

  it.each([
    ['an unknown property', ['input', 'user', 'age']],
    ['an element that is not there', ['input', 'user', 'tags', '9']],
    ['a property of a list', ['input', 'user', 'tags', 'size']],
    ['a property of null', ['input', 'none', 'x']],
    ['a property of text', ['input', 'user', 'name', 'length']],
    ['a property that every object inherits', ['input', 'constructor']],
    ['the output of an unknown step', ['steps', 'ship', 'output', 'id']],
  ])('leaves out %s', (_what, path) => {
    expect(resolved({ a: { $from: path }, b: 1 })).toStrictEqual({ b: 1 })
    expect(resolved([{ $from: path }])).toEqual([null])
    expect(resolved({ $from: path })).toBeNull()
  })

  it('keeps the user’s own $from and $literal as they are', () => {
    const own = { $from: ['input'], $literal: { $from: 'x' } }
    expect(resolved(toTemplate({ own, name: reference(['input', 'user', 'name']) }, 'input'))).toEqual({
      own,
      name: 'Ada',
    })
    expect(resolved({ $literal: ['not an object'] })).toEqual({ $literal: ['not an object'] })
    expect(resolved({ $literal: null })).toEqual({ $literal: null })
    expect(resolved({ $from: 'not a path' })).toEqual({ $from: 'not a path' })
  })

  it('is the value itself if it has no references, whatever the names of its keys', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        // What is stored has no -0: JSON knows only 0.
        const plain = JSON.parse(JSON.stringify(value)) as Json
        expect(resolved(toTemplate(plain, 'input'))).toEqual(plain)
      }),
    )
  })

  it('keeps a property called __proto__ as a property', () => {
    const plain = JSON.parse('{"__proto__": {"admin": true}}') as Json
    expect(JSON.stringify(resolved(toTemplate(plain, 'input')))).toBe('{"__proto__":{"admin":true}}')
  })
})

describe('the steps that a template refers to', () => {
  it('are found at any depth, each once', () => {
    const template: Json = [
      { $from: ['steps', 'pay', 'output'] },
      { deep: { list: [{ $from: ['steps', 'pack', 'output', 'id'] }] } },
      { again: { $from: ['steps', 'pay', 'output', 'id'] } },
      { $from: ['input', 'steps'] },
      'pay',
    ]
    expect(stepsReferredTo(template)).toEqual(new Set(['pay', 'pack']))
  })

  it('are not taken from the user’s own data', () => {
    expect(stepsReferredTo(toTemplate({ $from: ['steps', 'pay', 'output'] }, 'input'))).toEqual(new Set())
  })
})

describe('a template bound to one step', () => {
  const bound = (template: Json): Json => bindTemplate(template, { input, outputs }, 'ship')

  it('keeps references to that step, and has the values of all others', () => {
    const open = { $from: ['steps', 'ship', 'output', 'id'] }
    expect(
      bound({
        open,
        list: [open, { $from: ['input', 'user', 'name'] }],
        id: { $from: ['steps', 'pay', 'output', 'id'] },
      }),
    ).toEqual({ open, list: [open, 'Ada'], id: 7 })
    expect(bound(open)).toEqual(open)
  })

  it('has the value of an input property with the name of that step', () => {
    const template = { $from: ['input', 'ship'] }
    expect(bindTemplate(template, { input: { ship: 'Argo' }, outputs }, 'ship')).toBe('Argo')
  })

  it('leaves out references without a value', () => {
    const none = { $from: ['input', 'age'] }
    expect(bound({ a: none, b: [none] })).toStrictEqual({ b: [null] })
    expect(bound({ $from: ['input', 'age'] })).toBeNull()
  })

  it('never treats a value as a reference', () => {
    const value = { $from: ['steps', 'ship', 'output'] }
    const once = bindTemplate({ got: { $from: ['input'] } }, { input: value, outputs }, 'ship')
    expect(resolved(once)).toEqual({ got: value })
    expect(resolved(bound(toTemplate({ own: value }, 'input')))).toEqual({ own: value })
  })
})

describe('a template whose input is replaced by another template', () => {
  const given: Json = {
    order: { id: { $from: ['steps', 'pay', 'output'] }, tags: ['x', { $from: ['input', 'tag'] }] },
    text: 'abc',
  }
  const substituted = (template: Json): Json => substitute(template, given, (stepId) => `sub/${stepId}`)

  it.each<[string, readonly string[], Json]>([
    ['all of it', [], given],
    ['a part of it', ['order', 'tags'], ['x', { $from: ['input', 'tag'] }]],
    ['an element', ['order', 'tags', '1'], { $from: ['input', 'tag'] }],
    ['the length of a list', ['order', 'tags', 'length'], 2],
    ['a reference', ['order', 'id'], { $from: ['steps', 'pay', 'output'] }],
    ['what lies beyond a reference', ['order', 'id', 'no'], { $from: ['steps', 'pay', 'output', 'no'] }],
    ['nothing, where there is nothing', ['order', 'none'], null],
    ['nothing, beyond what is not there', ['order', 'none', 'deeper'], null],
    ['nothing, beyond a text', ['text', 'length'], null],
  ])('refers to %s', (_what, path, expected) => {
    expect(substituted({ $from: ['input', ...path] })).toEqual(expected)
  })

  it('refers to its own steps by their new names', () => {
    expect(
      substituted({
        sold: { $from: ['steps', 'sell', 'output', 'item'] },
        none: { $from: ['input', 'none'] },
      }),
    ).toEqual({ sold: { $from: ['steps', 'sub/sell', 'output', 'item'] } })
  })
})
