import { describe, expect, it } from 'vitest'
import { text } from '../../../../src/sas/index.js'
import { readLimits } from '../../../../src/sas/gates/limit-options.js'
import { reference } from '../../../../src/sas/model/values/reference.js'
import { defineWorkflow } from '../../../../src/sas/workflow/workflow.js'
import { shop } from '../../../support/a-job.js'

const tenant = reference<string>(['input', 'tenant'])
const problemsOf = (limits: unknown, isOfJobs = false) => readLimits(limits, { isOfJobs }).problems
const textRule = 'it must be a text of 1 to 200 characters, or a reference'

describe('a list of limits', () => {
  it.each([
    [null, 'null'],
    [5, '5'],
    [true, 'true'],
    ['', '""'],
    [['bank'], '["bank"]'],
    [{ name: 'bank' }, 'an object'],
    ['b'.repeat(201), JSON.stringify('b'.repeat(201))],
  ])('refuses a literal key that is no usable text: %j', (key, found) => {
    expect(problemsOf([{ key, atOnce: 1 }])).toEqual([`limits: key is ${found}; ${textRule}`])
    expect(problemsOf([{ key: 'bank', atOnce: 1, fairBy: key }])).toEqual(
      key === null ? [] : [`limits: fairBy is ${found}; ${textRule}`],
    )
  })

  it.each([' bank', 'bank '])('refuses a key with a space at its beginning or end: %j', (key) => {
    const rule = `key is ${JSON.stringify(key)}; it must not begin or end with a space`
    expect(problemsOf([{ key, atOnce: 1 }])).toEqual([`limits: ${rule}`])
  })

  it('refuses a key of the limits of jobs for steps only', () => {
    const limits = [{ key: 'jobs:bank', atOnce: 1 }]
    const rule = 'key is "jobs:bank"; it must not begin with jobs:, as the keys of job.limits do'
    expect(problemsOf(limits)).toEqual([`limits: ${rule}`])
    expect(problemsOf(limits, true)).toEqual([])
  })

  it('refuses the same literal key twice, unless the operation has it too', () => {
    const twice = 'limits: key "bank" is used twice; give its atOnce and perSecond in one limit'
    const bank = { key: 'bank', atOnce: 1 }
    expect(problemsOf([bank, { key: 'bank', perSecond: 1 }])).toEqual([twice])
    expect(readLimits([bank], { ofOperation: [bank] }).problems).toEqual([])
    expect(readLimits([bank], { ofOperation: [bank, bank] }).problems).toEqual([twice])
  })

  it.each(['atOnce', 'perSecond', 'burst'])('refuses a reference as %s', (name) => {
    const limit = { key: 'bank', atOnce: 1, perSecond: 1, [name]: reference(['input', 'most']) }
    const rule = `${name} is a reference; a limit needs a number, the same for all jobs`
    expect(problemsOf([limit])).toEqual([`limits: ${rule}`])
  })

  it('accepts texts, references and texts with references', () => {
    const keys = ['bank', 'b'.repeat(200), tenant, text`bank of ${tenant}`]
    expect(problemsOf(keys.map((key) => ({ key, atOnce: 1, fairBy: key })))).toEqual([])
  })
})

it('job.limits is called once in a definition', () => {
  const define = () =>
    defineWorkflow('twice', (job) => {
      job.limits([{ key: 'lab', atOnce: 1 }])
      job.limits([{ key: 'bank', atOnce: 1 }])
      job.step('sell', shop.sell, { item: 'x' }, { undo: 'none' })
    })
  expect(define).toThrow('job.limits is called twice; give it one list with all limits')
})
