import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../../../src/sas/model/documents.js'
import { reference } from '../../../../src/sas/model/values/reference.js'
import { condition, conditionTemplate, holds, type Condition } from '../../../../src/sas/plan/condition.js'
import { conditionProblem } from '../../../../src/sas/plan/condition-problem.js'
import { defineWorkflow } from '../../../../src/sas/workflow/workflow.js'
import { shop } from '../../../support/a-job.js'

interface Input {
  readonly total: number
  readonly country: string
  readonly allowed: readonly string[]
  readonly items: readonly { readonly sku: string }[]
}

const job = reference<Input>(['input'])
const input: Input = { total: 30, country: 'PT', allowed: ['PT', 'ES'], items: [{ sku: 'a' }, { sku: 'b' }] }

function answer(asked: Condition, given: Json = { ...input }): boolean {
  // A condition is stored as JSON before it is evaluated.
  const stored = JSON.parse(JSON.stringify(conditionTemplate(asked))) as Json
  expect(conditionProblem(stored)).toBeNull()
  return holds(stored, { input: given, outputs: new Map() })
}

describe('a condition', () => {
  it.each<[string, boolean, Condition]>([
    ['less', true, condition.less(job.total, 31)],
    ['not less', false, condition.less(job.total, 30)],
    ['at least', true, condition.atLeast(job.total, 30)],
    ['not at least', false, condition.atLeast(30, 31)],
    ['at most', true, condition.atMost(job.total, 30)],
    ['not at most', false, condition.atMost(job.total, 29)],
    ['in a list', true, condition.in(job.country, ['ES', 'PT'])],
    ['not in a list', false, condition.in(job.country, ['ES', 'DE'])],
    ['in a list of the job', true, condition.in(job.country, job.allowed)],
    ['in a list with a reference', true, condition.in(job.country, ['DE', job.allowed[0]])],
    ['in a list of objects', true, condition.in(job.items[1], [{ sku: 'b' }])],
    ['in an empty list', false, condition.in(job.country, [])],
    ['a match of a part', true, condition.matches(job.country, 'T')],
    ['no match of the whole', false, condition.matches(job.country, '^T$')],
    ['a match of the whole', true, condition.matches(job.country, '^[A-Z]{2}$')],
    ['a match without case', true, condition.matches(job.country, '(?i)^pt$')],
    ['a start', true, condition.startsWith(job.country, 'P')],
    ['a start that is a reference', true, condition.startsWith(job.country, job.country)],
    ['no start', false, condition.startsWith(job.country, 'T')],
    ['the length of a list', true, condition.equal(job.items.length, 2)],
    ['a longer list', false, condition.greater(job.items.length, 2)],
    ['a member of a list', true, condition.equal(job.items[0].sku, 'a')],
    ['a member that is not there', false, condition.present(job.items[2])],
  ])('compares by %s: %s', (_what, expected, asked) => {
    expect(answer(asked)).toBe(expected)
  })

  it.each<[string, Condition]>([
    ['less', condition.less(job.total, 31)],
    ['atLeast', condition.atLeast(job.total, -1)],
    ['atMost', condition.atMost(job.total, 31)],
    ['in', condition.in(job.country, job.allowed)],
    ['matches', condition.matches(job.country, '')],
    ['startsWith', condition.startsWith(job.country, '')],
  ])('does not hold for values of another kind: %s', (_name, asked) => {
    for (const odd of [null, 'x', true, {}, [30]]) {
      expect(answer(asked, { total: odd, country: [odd], allowed: odd })).toBe(false)
    }
    expect(answer(asked, {})).toBe(false)
  })

  it('orders numbers in one way, whichever function is asked', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (a, b) => {
        const [less, most, least, greater] = [
          condition.less(a, b),
          condition.atMost(a, b),
          condition.atLeast(a, b),
          condition.greater(a, b),
        ].map((asked) => answer(asked))
        expect([less, most, least, greater]).toEqual([a < b, a <= b, a >= b, a > b])
      }),
    )
  })
})

describe('a condition that could never hold', () => {
  it.each<[string, unknown, string]>([
    ['a number', condition.less(job.total, '31' as never), 'less compares numbers, and "31" is not a number'],
    [
      'a list',
      condition.in(job.country, 'PT' as never),
      'in needs a list, as in condition.in(value, [1, 2])',
    ],
    [
      'a text',
      condition.startsWith(job.country, 3 as never),
      'startsWith compares texts, and 3 is not a text',
    ],
    [
      'a pattern as text',
      condition.matches(job.country, /^P/u as never),
      "matches needs its pattern as text, as in condition.matches(value, '^A'), and it is /^P/u",
    ],
    ['a pattern', condition.matches(job.country, '('), 'is not a regular expression of RE2: error parsing'],
    [
      'a pattern without lookahead',
      condition.matches(job.country, '(?=P)'),
      'the pattern "(?=P)" is not a regular expression of RE2',
    ],
    [
      'a short pattern',
      condition.matches(job.country, 'a'.repeat(201)),
      'the pattern has 201 characters; at most 200 are allowed',
    ],
    [
      'a small pattern',
      condition.matches(job.country, '(a{10}){100}'),
      'repeats too much: use smaller numbers in its braces',
    ],
  ])('is refused where it is defined, because it needs %s', (_what, when, problem) => {
    const define = () =>
      defineWorkflow('gifts', (builder) => {
        builder.step('wrap', shop.sell, { item: 'x' }, { when: when as never })
      })
    expect(define).toThrow('step "wrap": when: ')
    expect(define).toThrow(problem)
  })
})

describe('a pattern', () => {
  it('matches no text of more than 10,000 characters', () => {
    const asked = condition.matches(job.country, 'b')
    expect(answer(asked, { country: `${'a'.repeat(9_999)}b` })).toBe(true)
    expect(answer(asked, { country: `${'a'.repeat(10_000)}b` })).toBe(false)
  })

  it('takes the steps of a linear engine, even where others take a year', () => {
    const country = 'a'.repeat(10_000)
    for (const pattern of ['^(a+)+$b', '(a|aa)+$b', '(a*)*b', '^(([a-z])+.)+[A-Z]([a-z])+$']) {
      expect(answer(condition.matches(job.country, pattern), { country })).toBe(false)
    }
  })

  it('keeps its meaning when many others were asked meanwhile', () => {
    const asked = condition.matches(job.country, '^PT$')
    for (let n = 0; n < 300; n += 1) expect(answer(condition.matches(job.country, `^x${n}$`))).toBe(false)
    expect(answer(asked)).toBe(true)
  })
})
