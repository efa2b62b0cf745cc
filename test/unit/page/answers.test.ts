import { describe, expect, it } from 'vitest'
import { answerOf, fieldsOf } from '../../../src/page/browser/state/answer-forms.js'
import { commandOf } from '../../../src/page/browser/state/commands.js'

const claim = {
  type: 'object',
  properties: {
    approved: { type: 'boolean', title: 'Pay the claim' },
    amount: { type: 'number', minimum: 0, maximum: 500, description: 'In euros' },
    count: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, default: 2 },
    reason: { enum: ['damage', 3] },
    remark: { type: 'string' },
    contact: { type: 'string', format: 'email', pattern: '^.+@.+$', minLength: 1 },
    items: { type: 'array', items: { type: 'string' } },
  },
  required: ['approved', 'remark', 'contact'],
}

describe('the fields of a form', () => {
  it('are one control for each property, with what a person must know', () => {
    expect(fieldsOf(claim).map(({ kind, label, hint, isNeeded }) => [kind, label, hint, isNeeded])).toEqual([
      ['boolean', 'Pay the claim', '', true],
      ['number', 'amount', 'In euros; at least 0; at most 500', false],
      ['number', 'count', '', false],
      ['enum', 'reason', '', false],
      ['text', 'remark', '', true],
      ['text', 'contact', 'characters, at least 1; as email', true],
      ['json', 'items', '', false],
    ])
    expect(fieldsOf(claim).map(({ first }) => first)).toEqual(['', '', '2', '', '', '', ''])
  })

  it.each([
    [{ type: 'boolean' }, 'boolean'],
    [{ type: 'string' }, 'text'],
    [{ type: 'integer' }, 'number'],
    [{ enum: ['a', 'b'] }, 'enum'],
    [{ const: 1 }, 'enum'],
    [{ type: ['string', 'null'] }, 'json'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'json'],
    [{ type: 'object', properties: {} }, 'json'],
    [{ type: 'object', properties: { a: { type: 'string' } }, required: ['b'] }, 'json'],
    [{ type: 'object', properties: { a: { type: 'string' } }, anyOf: [{}] }, 'json'],
    [true, 'json'],
    [null, 'json'],
  ])('of %j are one, of the kind %s', (form, kind) => {
    expect(fieldsOf(form)).toMatchObject([{ kind, name: null, isNeeded: true }])
  })
})

describe('the answer', () => {
  const answered = (...texts: string[]) => answerOf(fieldsOf(claim), texts)

  it('has the values of the fields, without the optional ones that are empty', () => {
    expect(answered('true', '1.5', '', '3', '', 'a@b', '["x"]')).toEqual({
      answer: { approved: true, amount: 1.5, reason: 3, remark: '', contact: 'a@b', items: ['x'] },
      problem: '',
    })
    expect(answered('false', '', '2', '', 'no', 'a@b', '').answer).toEqual({
      approved: false,
      count: 2,
      remark: 'no',
      contact: 'a@b',
    })
  })

  it.each([
    [['', '', '', '', '', 'a@b', ''], 'Give Pay the claim.'],
    [['true', 'much', '', '', '', 'a@b', ''], 'amount is not a number.'],
    [['true', '', '1.5', '', '', 'a@b', ''], 'count is not a whole number.'],
    [['true', '', '', '', '', '', ''], 'Give contact.'],
    [['true', '', '', '', '', 'a@b', '[x'], 'items is not JSON.'],
  ])('of %j is not complete: %s', (texts, problem) => {
    expect(answered(...texts).problem).toBe(problem)
  })

  it('is the value itself if the form has no properties, and a property named __proto__ is kept', () => {
    expect(answerOf(fieldsOf({ type: 'boolean' }), ['false'])).toEqual({ answer: false, problem: '' })
    expect(answerOf(fieldsOf({ type: 'string' }), ['']).problem).toBe('Give the answer.')
    const odd = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}',
    ) as unknown
    expect(JSON.stringify(answerOf(fieldsOf(odd), ['x']).answer)).toBe('{"__proto__":"x"}')
  })
})

describe('the command of an answer', () => {
  const of = (answer: unknown, note = '') =>
    commandOf({ kind: 'answer', jobId: 'J-1', step: 'review', answer, note })

  it('says yes or no, or gives the JSON, quoted for a shell', () => {
    expect(of(true)).toBe('stepward answer --yes J-1 review')
    expect(of(false, "it's late")).toBe(`stepward answer --no --note='it'\\''s late' J-1 review`)
    expect(of({ amount: -1 })).toBe(`stepward answer --answer='{"amount":-1}' J-1 review`)
    expect(of(undefined)).toBe('stepward answer --answer JSON J-1 review')
  })

  it('keeps ids that look like options apart', () => {
    expect(commandOf({ kind: 'answer', jobId: '-j', step: 's', answer: true })).toBe(
      'stepward answer --yes -- -j s',
    )
  })
})
