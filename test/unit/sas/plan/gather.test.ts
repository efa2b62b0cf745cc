import { describe, expect, it } from 'vitest'
import type { Json } from '../../../../src/sas/model/documents.js'
import { gather, lengthOf, listProblem, neededBy } from '../../../../src/sas/plan/gather.js'

const from = (stepId: string): Json => ({ $from: ['steps', stepId, 'output'] })

describe('the result of a gathering step', () => {
  it('is the value of its input', () => {
    expect(gather({ value: { total: 3 } })).toEqual({ kind: 'output', output: { total: 3 } })
  })

  it('has as many outputs as the list has items', () => {
    const fanOut = { items: ['a', 'b', null], list: [1, 2], atMost: 3 }
    expect(gather(fanOut)).toEqual({ kind: 'output', output: ['a', 'b'] })
    expect(gather({ ...fanOut, list: [] })).toEqual({ kind: 'output', output: [] })
  })

  it('is impossible if its list is too long or not a list', () => {
    const fanOut = { items: ['a', 'b'], atMost: 2 }
    expect(gather({ ...fanOut, list: [1, 2] }).kind).toBe('output')
    expect(gather({ ...fanOut, list: [1, 2, 3] })).toMatchObject({
      kind: 'impossible',
      message: expect.stringMatching(/3 items; at most 2/) as unknown,
    })
    expect(listProblem(null, 2)).toMatch(/not a list but null/)
    expect(listProblem('abc', 2)).toMatch(/not a list but string/)
    expect([lengthOf([1, 2]), lengthOf('ab'), lengthOf(undefined)]).toEqual([2, 0, 0])
  })
})

describe('the steps that a step needs', () => {
  it('are all that it refers to, or for a fan-out those that its list refers to', () => {
    const fanOut = { items: [from('one'), from('two')], list: from('list'), atMost: 2 }
    expect(neededBy({ kind: 'gather', inputTemplate: fanOut })).toEqual(new Set(['list']))
    expect(neededBy({ kind: 'gather', inputTemplate: { value: [from('one')] } })).toEqual(new Set(['one']))
    expect(neededBy({ kind: 'operation', inputTemplate: fanOut })).toEqual(new Set(['one', 'two', 'list']))
  })
})
