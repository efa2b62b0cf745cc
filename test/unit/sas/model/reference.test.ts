import { describe, expect, it } from 'vitest'
import { NotPlainDataError, reference, toTemplate } from '../../../../src/sas/model/reference.js'

const input = reference<{ user: { name: string; tags: string[] }; total: number }>(['input'])

describe('a reference', () => {
  it('knows the path of properties and of elements', () => {
    expect(toTemplate(input, 'input')).toEqual({ $from: ['input'] })
    expect(toTemplate(input.user.name, 'input')).toEqual({ $from: ['input', 'user', 'name'] })
    expect(toTemplate(input.user.tags[0], 'input')).toEqual({ $from: ['input', 'user', 'tags', '0'] })
  })

  it('may be anywhere in a value', () => {
    expect(toTemplate({ to: [input.user.name, 'x'], sum: { total: input.total } }, 'input')).toEqual({
      to: [{ $from: ['input', 'user', 'name'] }, 'x'],
      sum: { total: { $from: ['input', 'total'] } },
    })
  })

  it('does not become text, because it has no value yet', () => {
    const asText: (value: unknown) => string = String
    expect(() => asText(input.total)).toThrow(TypeError)
  })
})

describe('a template', () => {
  it.each([null, true, 1.5, 'text', [1, [2]], { a: { b: null } }])('keeps %j as it is', (value) => {
    expect(toTemplate(value, 'input')).toEqual(value)
  })

  it('leaves out properties that are undefined, as JSON does', () => {
    expect(toTemplate({ a: 1, b: undefined }, 'input')).toEqual({ a: 1 })
  })

  it('treats an object without a prototype as a plain one', () => {
    expect(toTemplate(Object.assign(Object.create(null) as object, { a: 1 }), 'input')).toEqual({ a: 1 })
  })

  it.each([
    [{ $from: ['input'] }, { $literal: { $from: ['input'] } }],
    [{ $literal: 1 }, { $literal: { $literal: 1 } }],
    [{ $from: 1, other: [{ $from: 2 }] }, { $literal: { $from: 1, other: [{ $literal: { $from: 2 } }] } }],
  ])('does not mistake the user’s own %j for a reference', (value, template) => {
    expect(toTemplate(value, 'input')).toEqual(template)
  })

  it.each([
    ['a function', { a: { b: () => 1 } }, 'input.a.b is a function'],
    ['a symbol', [Symbol('x')], 'input[0] is a symbol'],
    ['a bigint', { a: 1n }, 'input.a is a bigint'],
    ['a date', { at: new Date(0) }, 'input.at is an instance of Date'],
    ['a map', new Map(), 'input is an instance of Map'],
    ['NaN', { sum: [Number.NaN] }, 'input.sum[0] is NaN'],
    ['infinity', Infinity, 'input is Infinity'],
    ['undefined in a list', [undefined], 'input[0] is a undefined'],
  ])('refuses %s and says where it is', (_what, value, message) => {
    expect(() => toTemplate(value, 'input')).toThrow(NotPlainDataError)
    expect(() => toTemplate(value, 'input')).toThrow(message)
  })
})

describe('a reference used as if its value were known', () => {
  const input = reference<{ readonly id: string }>(['input'])
  const output = reference<{ readonly id: string }>(['steps', 'pay', 'output'])

  it.each<[string, () => unknown, string]>([
    ['spread', () => ({ ...input, more: 1 }), 'job.input cannot be spread'],
    ['made JSON', () => JSON.stringify(input), 'job.input cannot be spread'],
    ['listed', () => Object.keys(output.id), 'the output of step "pay".id cannot be spread'],
    ['added to', () => Number(input.id) + 1, 'job.input.id cannot be converted to text or a number'],
    [
      'compared',
      () => Number(output.id) > 3,
      'the output of step "pay".id cannot be converted to text or a number',
    ],
  ])('throws when it is %s, and says what to do instead', (_how, use, message) => {
    expect(use).toThrow(TypeError)
    expect(use).toThrow(message)
    expect(use).toThrow('pass it on whole or name its fields one by one, and work with its value in an agent')
  })
})
