import { describe, expect, expectTypeOf, it } from 'vitest'
import { condition } from '../../../../../src/sas/plan/condition.js'
import { conditionProblem } from '../../../../../src/sas/plan/condition-problem.js'
import { text } from '../../../../../src/sas/model/values/text-template.js'
import { reference, type Reference } from '../../../../../src/sas/model/values/reference.js'
import { NotPlainDataError, toTemplate } from '../../../../../src/sas/model/values/to-template.js'

const input = reference<{ user: { name: string; tags: string[] }; total: number }>(['input'])

describe('a reference', () => {
  it('knows the path of properties and of elements', () => {
    expect(toTemplate(input, 'input')).toEqual({ $from: ['input'] })
    expect(toTemplate(input.user.name, 'input')).toEqual({ $from: ['input', 'user', 'name'] })
    expect(toTemplate(input.user.tags[0], 'input')).toEqual({ $from: ['input', 'user', 'tags', '0'] })
  })

  it('to a field with the name of a method is a reference like others', () => {
    const times = reference<{ at: string; values: { map: number } }>(['input'])
    expect(toTemplate([times.at, times.values.map], 'input')).toEqual([
      { $from: ['input', 'at'] },
      { $from: ['input', 'values', 'map'] },
    ])
    expect(toTemplate(text`at ${times.at}`, 'input')).toEqual({
      $from: ['text', 'at ', { $from: ['input', 'at'] }],
    })
    expect(conditionProblem(condition.greater(times.values.map, 3))).toBeNull()
    expect(conditionProblem(times.at)).toContain('job.input.at is a reference, not a condition')
  })

  it('to the first items of a list is there for the compiler', () => {
    const { items } = reference<{ items: { name: string }[] }>(['input'])
    expectTypeOf(items[0]).toEqualTypeOf<Reference<{ name: string }>>()
    expect(toTemplate(text`${items[9].name}`, 'input')).toEqual({
      $from: ['text', { $from: ['input', 'items', '9', 'name'] }],
    })
  })

  it('may be anywhere in a value', () => {
    expect(toTemplate({ to: [input.user.name, 'x'], sum: { total: input.total } }, 'input')).toEqual({
      to: [{ $from: ['input', 'user', 'name'] }, 'x'],
      sum: { total: { $from: ['input', 'total'] } },
    })
  })

  it('does not become text, because it has no value yet', () => {
    const asText: (value: unknown) => string = String
    expect(() => asText(input.total)).toThrow('write text`…${reference}…`')
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
    ['undefined in a list', [undefined], 'input[0] is undefined'],
  ])('refuses %s and says where it is', (_what, value, message) => {
    expect(() => toTemplate(value, 'input')).toThrow(NotPlainDataError)
    expect(() => toTemplate(value, 'input')).toThrow(message)
  })
})

describe('a reference used as if its value were known', () => {
  const input = reference<{ readonly id: string }>(['input'])
  const output = reference<{ readonly id: string }>(['steps', 'pay', 'output'])

  const list = reference<readonly string[]>(['input', 'items']) as unknown as Iterable<unknown>
  const loose = input as unknown as Record<string, unknown>
  const named = 'pass it on whole or name its fields one by one, and work with its value in an agent'
  const compared = 'compare it in a condition, as in { when: condition.greater(reference, 3) }'
  const looped = 'name its members, as in list[0], or add a step for each of them with job.forEach'

  it.each<[string, () => unknown, string, string]>([
    ['spread', () => ({ ...input, more: 1 }), 'job.input cannot be spread', named],
    [
      'destructured with a rest',
      () => {
        const { id, ...rest } = loose
        return [id, rest]
      },
      'job.input cannot be spread, listed or turned into JSON',
      named,
    ],
    ['made JSON', () => JSON.stringify(input), 'job.input cannot be spread', named],
    ['listed', () => Object.keys(output.id), 'the output of step "pay".id cannot be spread', named],
    [
      'added to',
      () => Number(input.id) + 1,
      'job.input.id cannot be converted to text or a number',
      compared,
    ],
    [
      'compared',
      () => Number(output.id) > 3,
      'the output of step "pay".id cannot be converted to text or a number',
      compared,
    ],
    [
      'put into a template string',
      () => `Hello ${input.id as unknown as string}`,
      'job.input.id cannot be converted to text or a number',
      'write text`…${reference}…`',
    ],
    ['spread into a list', () => [...list], 'job.input.items cannot be iterated', looped],
    [
      'destructured as a list',
      () => {
        const [first] = list
        return first
      },
      'job.input.items cannot be iterated',
      looped,
    ],
    [
      'walked through by a method of lists',
      () => (list as unknown as unknown[]).map(String),
      'job.input.items.map cannot be called here: its value is known only when the job runs',
      "add a step for each item, as in job.forEach('pack', job.input.items, (item) => …)",
    ],
    [
      'changed as a text',
      () => (loose['id'] as string).toUpperCase(),
      'job.input.id.toUpperCase cannot be called',
      'work with its value in an agent',
    ],
    [
      'made JSON, for a field with the name of a method',
      () => JSON.stringify({ at: loose['at'] }),
      'job.input.at cannot be spread, listed or turned into JSON',
      named,
    ],
    ['asked with "in"', () => 'id' in loose, 'job.input cannot be asked with "in"', 'condition.present(…)'],
    ['changed', () => (loose['id'] = 1), 'job.input cannot be changed', 'in an agent'],
    ['changed by a deletion', () => delete loose['id'], 'job.input cannot be changed', 'in an agent'],
    [
      'changed by a definition',
      () => Object.defineProperty(loose, 'id', { value: 1 }),
      'job.input cannot be changed',
      'in an agent',
    ],
  ])('throws when it is %s, and says what to do instead', (_how, use, message, advice) => {
    expect(use).toThrow(TypeError)
    expect(use).toThrow(message)
    expect(use).toThrow(advice)
  })
})
