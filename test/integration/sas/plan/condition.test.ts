import { describe, expect, it } from 'vitest'
import { conditionTemplate, holds, condition } from '../../../../src/sas/plan/condition.js'
import { conditionProblem } from '../../../../src/sas/plan/condition-problem.js'
import type { Json } from '../../../../src/sas/model/documents.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { replacing } from '../../../../src/sas/store/state-store.js'
import { defineWorkflow, type Workflow } from '../../../../src/sas/workflow/workflow.js'
import { WorkflowInvalid } from '../../../../src/sas/model/errors.js'
import { reference } from '../../../../src/sas/model/values/reference.js'
import { shop } from '../../../support/a-job.js'
import { StateWorld } from '../../../support/state-world.js'

const makers =
  'condition.equal(…), .greater(…), .present(…), .not(…), .all(…), .any(…) or another function of condition'
const isGift = reference<boolean>(['input', 'isGift'])

const wrong: readonly (readonly [string, unknown, string])[] = [
  [
    'a bare reference',
    isGift,
    'job.input.isGift is a reference, not a condition: write condition.equal(job.input.isGift, true), or condition.present(job.input.isGift)',
  ],
  ['true', true, `true is not a condition: use ${makers}`],
  ['a text', 'isGift', `"isGift" is not a condition: use ${makers}`],
  [
    'an unknown operator',
    { operator: 'equals', of: [isGift, true] },
    `the operator "equals" is unknown: use ${makers}`,
  ],
  [
    'a name that every object has',
    { operator: 'toString', of: [] },
    `the operator "toString" is unknown: use ${makers}`,
  ],
  [
    'a comparison with nothing',
    { operator: 'equal', of: [isGift, undefined] },
    'equal needs 2 values; this one has 1',
  ],
  [
    'a text that is to be greater',
    { operator: 'greater', of: [isGift, '5'] },
    'greater compares numbers, and "5" is not a number',
  ],
  [
    'a join of what is none',
    condition.not(condition.all(condition.present(isGift), true as never)),
    `true is not a condition: use ${makers}`,
  ],
  [
    'a comparison with null',
    condition.greater(reference(['input', 'total']), null as never),
    'greater compares numbers, and null is not a number',
  ],
  [
    'a number compared with one number',
    { operator: 'greater', of: [1] },
    'greater needs 2 values; this one has 1',
  ],
  ['a contrary of two', { operator: 'not', of: [1, 2] }, 'not needs 1 condition; this one has 2'],
  [
    'the output of a step',
    reference(['steps', 'pay', 'output', 'ok']),
    'pay.output.ok is a reference, not a condition: write condition.equal(pay.output.ok, true), or condition.present(pay.output.ok)',
  ],
  ['null', null, `null is not a condition: use ${makers}`],
  ['a function', () => true, `a function is not a condition: use ${makers}`],
  [
    'an operator without values',
    { operator: 'equal' },
    `{"operator":"equal"} is not a condition: use ${makers}`,
  ],
  ['values without an operator', { of: [1, 2] }, `{"of":[1,2]} is not a condition: use ${makers}`],
  [
    'any of what is none',
    condition.any(condition.present(isGift), true as never),
    `true is not a condition: use ${makers}`,
  ],
]

function gifts(when: unknown): Workflow<{ readonly isGift: boolean }> {
  return defineWorkflow(
    'gifts',
    (job) => void job.step('wrap', shop.sell, { item: 'x' }, { when: when as never }),
  )
}

describe('a condition', () => {
  it('that compares values ignores the order of their properties and the sign of zero', () => {
    const isHome = condition.equal(reference<unknown>(['input', 'address']), {
      city: 'Graz',
      floors: [{ from: 0, to: 1 }],
    })
    const holdsFor = (address: Json) => {
      return holds(conditionTemplate(isHome), { input: { address }, outputs: new Map() })
    }
    expect(holdsFor({ floors: [{ to: 1, from: -0 }], city: 'Graz' })).toBe(true)
    expect(holdsFor({ floors: [{ to: 0, from: 1 }], city: 'Graz' })).toBe(false)
    expect(holdsFor({ floors: [{ from: 0, to: 1 }], city: 'Graz', zip: null })).toBe(false)
  })

  it.each([
    ['equal', condition.equal(isGift, true)],
    ['greater', condition.greater(reference(['input', 'total']), 5)],
    ['a join', condition.all(condition.not(condition.present(isGift)))],
    ['a join of none', condition.all()],
  ])('may be built by `condition`: %s', (_what, condition) => {
    expect(conditionProblem(condition)).toBeNull()
    expect(gifts(condition).plan.steps[0]?.when).not.toBeNull()
  })

  it.each(wrong)('cannot be %s: the definition rejects it', (_what, when, problem) => {
    const define = (): unknown => gifts(when)
    expect(define).toThrow(WorkflowInvalid)
    expect(define).toThrow(`step "wrap": when: ${problem}`)
  })

  it('cannot compare with a value that is not JSON', () => {
    expect(() => gifts(condition.equal(isGift, Number.NaN as never))).toThrow(
      'its condition: when.of[1] is NaN',
    )
  })

  it('is checked again at submission, as a plan may come from elsewhere', async () => {
    const world = new StateWorld()
    const good = gifts(condition.equal(isGift, true))
    const [step] = good.plan.steps
    if (step === undefined) throw new Error('there is no step')
    const submit = (when: unknown) =>
      new JobClient(world).submit(
        { ...good, plan: { ...good.plan, steps: [{ ...step, when: when as never }] } },
        { isGift: true },
        { jobId: 'j' },
      )
    await expect(submit({ operator: 'xor', of: [] })).rejects.toMatchObject({
      name: 'SubmissionInvalid',
      message: `job "j": step "wrap": when: the operator "xor" is unknown: use ${makers}`,
    })
    await expect(submit({ $from: ['input', 'isGift'] })).rejects.toThrow(
      'write condition.equal(job.input.isGift, true)',
    )
    expect(world.faults.writes).toEqual([])
  })

  it.each([
    ['an operator that is unknown', { operator: 'xor', of: [] }, 'the operator "xor" is unknown'],
    ['true', true, 'true is not a condition'],
  ])('stored with %s fails its step, with a flag that gives the reason', async (_what, when, problem) => {
    const world = new StateWorld()
    await new JobClient(world).submit(gifts(undefined), { isGift: true }, { jobId: 'job-1' })
    const step = await world.step('wrap')
    await world.put('job-1', [replacing(step, { ...step, when })])
    const scheduler = world.scheduler()
    await scheduler.onChanges(await world.changes())
    await scheduler.onChanges(await world.changes())
    const job = await world.job()
    expect(job).toMatchObject({ processState: 'Error', attention: { kind: 'error', stepId: 'wrap' } })
    expect(job.attention?.message).toContain(
      `step wrap: the condition of the step cannot be evaluated (${problem}`,
    )
  })
})

describe('a stored condition', () => {
  const list = [1, 2]
  const stored = (operator: string, ...of: readonly unknown[]) =>
    holds({ operator, of } as never, { input: null, outputs: new Map() })

  it('that compares numbers does not hold for other values', () => {
    expect([stored('greater', 9, 5), stored('greater', 5, 9)]).toEqual([true, false])
    expect([stored('greater', '9', 5), stored('greater', 9, '5'), stored('greater', 9)]).toEqual([
      false,
      false,
      false,
    ])
  })

  it('that joins others holds when all of them hold (`all`) or one of them (`any`)', () => {
    const [yes, no] = [condition.present(list as never), condition.present(null as never)]
    expect([stored('all', yes, yes), stored('all', yes, no), stored('all')]).toEqual([true, false, true])
    expect([stored('any', no, yes), stored('any', no, no), stored('any')]).toEqual([true, false, false])
  })

  it('that asks for an item holds if the list has it and is within its limit', () => {
    expect([stored('hasItem', list, 1, 2), stored('hasItem', list, 2, 3)]).toEqual([true, false])
    expect(stored('hasItem', list, 0, 1)).toBe(false)
    expect([stored('hasItem', 'ab', 0, 9), stored('hasItem', null, 0, 9)]).toEqual([false, false])
  })

  it('with an unknown operator throws', () => {
    expect(() => stored('xor')).toThrow('the operator "xor", which is unknown')
  })
})
