import { describe, expect, it } from 'vitest'
import { editOf } from '../../../../../src/sas/decisions/operator/input-edit.js'
import type { Json } from '../../../../../src/sas/model/values/json.js'
import { aStep } from '../../../../support/a-job.js'

/** Returns the edit of a step that was dispatched with an input and gets another one. */
function edited(input: Json, after: Json) {
  const step = { ...aStep(), kind: 'operation' as const, dispatch: 1, input }
  return editOf(new Map([['pay', step]]), new Map([['pay', after]])).edit
}

describe('an edit', () => {
  it('names each smallest part that differs, with both values', () => {
    const before = { card: { no: 1, type: 'a' }, lines: [1, 2], gone: null, same: [{}] }
    const after = { card: { no: 2, type: 'a' }, lines: [1, 2, { n: 3 }], more: 'x', same: [{}] }
    expect(edited(before, after)).toEqual({
      others: 0,
      changes: [
        { stepId: 'pay', path: 'input.card.no', before: '1', after: '2' },
        { stepId: 'pay', path: 'input.lines[2]', before: null, after: '{"n":3}' },
        { stepId: 'pay', path: 'input.gone', before: 'null', after: null },
        { stepId: 'pay', path: 'input.more', before: null, after: '"x"' },
      ],
    })
  })

  it('names the whole input if the types differ', () => {
    const [change] = edited([1], { 0: 1 })?.changes ?? []
    expect(change).toEqual({ stepId: 'pay', path: 'input', before: '[1]', after: '{"0":1}' })
  })

  it('is empty if nothing differs, and missing if there is no new input', () => {
    expect(edited({ a: 1, b: 2 }, { b: 2, a: 1 })).toEqual({ changes: [], others: 0 })
    expect(editOf(new Map(), new Map())).toEqual({})
  })

  it('compares a step that was not dispatched with its template, whose references it shows', () => {
    const step = { ...aStep(), dispatch: 0, inputTemplate: { item: { $from: ['input', 'item'] } } }
    const steps = new Map([['pay', step]])
    expect(editOf(steps, new Map([['pay', { item: { $from: ['x'] } }]])).edit?.changes).toEqual([
      {
        stepId: 'pay',
        path: 'input.item.$from',
        before: '["input","item"]',
        after: null,
      },
      { stepId: 'pay', path: 'input.item.$literal', before: null, after: '{"$from":["x"]}' },
    ])
  })

  it('treats the name of a prototype as any other name', () => {
    const before = JSON.parse('{"a":1}') as Json
    const after = JSON.parse('{"a":1,"__proto__":2,"constructor":3}') as Json
    expect(edited(before, after)?.changes.map(({ path, before: value }) => [path, value])).toEqual([
      ['input.__proto__', null],
      ['input.constructor', null],
    ])
  })

  it('is small, however large the inputs are (I16)', () => {
    const items = Array.from({ length: 5_000 }, (_, index) => [`${index}${'k'.repeat(500)}`, 'é'.repeat(500)])
    const edit = edited({}, Object.fromEntries(items) as Json)
    expect(edit?.changes).toHaveLength(10)
    expect(edit?.others).toBe(4_990)
    expect(JSON.stringify(edit).length).toBeLessThan(5_000)
    expect(edit?.changes[0]?.after).toHaveLength(101)
  })

  it('cuts no character in two', () => {
    const [change] = edited('', `${'x'.repeat(98)}😀😀`)?.changes ?? []
    expect(change?.after).toBe(`"${'x'.repeat(98)}…`)
  })
})
