import { describe, expect, it } from 'vitest'
import { newInput, presentInputsOf } from '../../../src/page/browser/inputs/present-input.js'
import type { Step } from '../../../src/page/browser/state/shapes.js'
import { hiddenText } from '../../../src/sas/model/values/hidden.js'
import { ticketFor } from '../../../src/sas/model/values/ticket.js'
import { reference } from '../../../src/sas/model/values/reference.js'
import { toTemplate } from '../../../src/sas/model/values/to-template.js'

const aStep = (parts: Partial<Step>): Step =>
  ({ stepId: 'pay', kind: 'operation', direction: 'do', input: null, inputTemplate: null, ...parts }) as Step
const ofStep = (parts: Partial<Step>) => presentInputsOf({ input: null, steps: [aStep(parts)] })('pay')
const ofJob = (input: unknown) => presentInputsOf({ input, steps: [] })(null)

describe('the present input in a dialog', () => {
  it('is the JSON of the input, also for a step that has not begun', () => {
    expect(ofJob({ amount: 7 })).toEqual({ text: '{\n  "amount": 7\n}', note: '' })
    expect(ofJob(null)).toEqual({ text: 'null', note: '' })
    expect(ofStep({ input: [1], inputTemplate: [2] }).text).toBe('[\n  1\n]')
    expect(ofStep({ inputTemplate: [2] }).text).toBe('[\n  2\n]')
    expect(presentInputsOf({ input: 1, steps: [] })('')).toEqual({ text: '', note: '' })
  })

  it.each<[string, () => { text: string; note: string }, string]>([
    ['secret values', () => ofJob({ card: hiddenText }), 'secret values'],
    ['secret values in a text', () => ofJob([`card ${hiddenText}`]), 'secret values'],
    [
      'a part in the payload store',
      () => ofJob({ lines: ticketFor({ id: 'p', hash: 'h', bytes: 9, at: [] }) }),
      'payload store',
    ],
    ['a long text', () => ofJob('x'.repeat(30_000)), 'too long for this field: 30002 characters'],
    [
      'references',
      () => ofStep({ inputTemplate: toTemplate({ paid: reference(['input']) }, 'x') }),
      'made from other values',
    ],
    [
      'names like those of references',
      () => ofStep({ inputTemplate: toTemplate({ $from: 1 }, 'x') }),
      'made from other values',
    ],
    [
      'only the input of the undo',
      () => ofStep({ direction: 'undo', input: { paid: 1 } }),
      'input of the undo',
    ],
    ['no input', () => ofStep({ kind: 'waitFor' }), 'takes no input'],
  ])('is not offered if it has %s, and the field says so', (_title, found, why) => {
    expect(found()).toEqual({ text: '', note: expect.stringContaining(why) as string })
  })

  it('stays if nothing was entered, or the same value', () => {
    const present = ofJob({ amount: 7, to: ['ann'] })
    for (const same of [undefined, '', '  ', present.text, '{"to":["ann"],"amount":7}']) {
      expect(newInput(same, present), same).toBe('')
    }
    for (const other of [
      '{"amount":7}',
      '{"amount":7,"to":["ann"],"by":1}',
      '{"amount":7,"to":{"0":"ann"}}',
      '{"amount":',
    ]) {
      expect(newInput(` ${other}`, present), other).toBe(other)
    }
    expect(newInput('{}', { text: '', note: 'x' })).toBe('{}')
    expect(newInput('{}', ofJob([]))).toBe('{}')
  })
})
