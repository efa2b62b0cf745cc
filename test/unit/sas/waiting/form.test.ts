import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { fillIn, readForm, yesOrNo } from '../../../../src/sas/waiting/form.js'
import type { Json } from '../../../../src/sas/model/values/json.js'

const problemOf = (form: unknown): string => {
  const read = readForm(form)
  return read.kind === 'problem' ? read.what : 'no problem'
}

function formOf(given?: unknown): Json {
  const read = readForm(given)
  if (read.kind === 'problem') throw new Error(read.what)
  return read.form
}

const review = z.object({
  approved: z.boolean(),
  amount: z.number().min(1).optional(),
  note: z.string().default('-'),
})

describe('a form', () => {
  it('is a question for yes or no by default', () => {
    expect(formOf()).toEqual({ type: 'boolean' })
    expect(fillIn(formOf(), true)).toEqual({ kind: 'data', data: true })
    expect(fillIn(formOf(), 'yes')).toMatchObject({ kind: 'problem' })
  })

  it('is made from a zod schema, and its defaults are filled in', () => {
    const form = formOf(review)
    expect(form).toMatchObject({ type: 'object', required: ['approved'] })
    expect(form).not.toHaveProperty('$schema')
    expect(fillIn(form, { approved: true })).toEqual({ kind: 'data', data: { approved: true, note: '-' } })
  })

  it('names every part of an answer that does not fit', () => {
    expect(fillIn(formOf(review), { amount: 0 })).toEqual({
      kind: 'problem',
      what: expect.stringMatching(/^approved: .*; amount: /u) as string,
    })
  })

  it('keeps parts of an answer that the form does not name, unless the form forbids them', () => {
    const open = { type: 'object', properties: { a: { type: 'string' } } }
    expect(fillIn(formOf(open), { a: 'x', b: 1 })).toEqual({ kind: 'data', data: { a: 'x', b: 1 } })
    expect(fillIn(formOf({ ...open, additionalProperties: false }), { b: 1 })).toMatchObject({
      kind: 'problem',
    })
  })

  it('checks lists, choices and texts', () => {
    const form = formOf({
      type: 'object',
      required: ['parts', 'how'],
      properties: {
        parts: { type: 'array', items: { type: 'string', pattern: '^p' }, minItems: 1, uniqueItems: true },
        how: { enum: ['card', 'cash'] },
      },
    })
    expect(fillIn(form, { parts: ['p1', 'p2'], how: 'card' })).toMatchObject({ kind: 'data' })
    for (const parts of [[], ['q'], ['p', 'p'], [1]])
      expect(fillIn(form, { parts, how: 'card' })).toMatchObject({ kind: 'problem' })
    expect(fillIn(form, { parts: ['p'], how: 'gold' })).toMatchObject({ kind: 'problem' })
  })

  it('is refused if a part of it would accept anything', () => {
    expect(problemOf({ properties: { a: { type: 'string' } } })).toBe('form does not say its "type"')
    expect(problemOf({ type: 'object', properties: { a: { minLength: 2 } } })).toBe(
      'form.a does not say its "type"',
    )
    expect(problemOf({ type: 'array', items: {} })).toBe('form.items does not say its "type"')
    expect(problemOf({ anyOf: [{ type: 'string' }, {}] })).toBe('form.anyOf does not say its "type"')
    expect(problemOf(true)).toBe('no problem')
  })

  it('is refused if it is no schema that can be checked', () => {
    expect(problemOf({ type: 'strng' })).toContain('strng')
    expect(problemOf({ type: 'string', if: { type: 'string' }, then: { type: 'string' } })).toContain(
      'if/then',
    )
    expect(problemOf({ type: 'string', parse: () => 1 })).toContain('parse')
    expect(problemOf('text')).toBe('form does not say its "type"')
  })

  it('is refused if a part of it is code', () => {
    const rule = 'has a refinement or a transformation, and a plan holds no code'
    expect(problemOf(z.object({ a: z.string().refine((text) => text > 'a') }))).toBe(
      `form.properties.a ${rule}`,
    )
    expect(problemOf(z.string().transform((text) => text.length))).toBe(`form ${rule}`)
    expect(problemOf(z.object({ at: z.date() }))).toContain('Date')
  })

  it('with exactly one property that is true or false is answered with yes or no', () => {
    expect(yesOrNo(formOf(review), false)).toEqual({ approved: false })
    expect(yesOrNo(formOf(z.object({ a: z.boolean(), b: z.boolean() })), true)).toBeNull()
    expect(yesOrNo(formOf(z.string()), true)).toBeNull()
  })
})
