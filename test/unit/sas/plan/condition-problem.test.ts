import { describe, expect, it } from 'vitest'
import { condition, conditionTemplate, type Condition } from '../../../../src/sas/plan/condition.js'
import { conditionProblem, stepsAskedForFailure } from '../../../../src/sas/plan/condition-problem.js'
import { StepHandle } from '../../../../src/sas/model/values/step-handle.js'

const pay = new StepHandle<string>('pay')
const ship = new StepHandle<string>('ship')

describe('a condition about outcomes', () => {
  it.each<[string, Condition, readonly string[]]>([
    ['failed', condition.failed(pay), ['pay']],
    ['timed out', condition.timedOut(pay), ['pay']],
    ['refused', condition.refused(pay), ['pay']],
    ['one of two failures', condition.in(pay.outcome, ['failed', 'refused']), ['pay']],
    ['not failed', condition.not(condition.failed(pay)), ['pay']],
    ['failed, or another', condition.any(condition.done(ship), condition.failed(pay)), ['pay']],
    ['both failed', condition.all(condition.failed(pay), condition.refused(ship)), ['pay', 'ship']],
    ['done', condition.done(pay), []],
    ['skipped', condition.skipped(pay), []],
    ['done so far', condition.doneSoFar(pay), []],
    ['over without success', condition.in(pay.outcome, ['failed', 'skipped']), []],
    ['a value of a step that looks like a failure', condition.equal(pay.output, 'failed'), []],
    ['nothing of a step', condition.present(pay.output), []],
  ])('asks whether steps were given up: %s', (_what, asked, steps) => {
    expect(stepsAskedForFailure(conditionTemplate(asked))).toEqual(steps)
  })

  it('that is none asks for nothing', () => {
    expect(stepsAskedForFailure(null)).toEqual([])
  })
})

describe('a stored condition', () => {
  it('about an item of a list has three values', () => {
    expect(conditionProblem({ operator: 'hasItem', of: [[1], 0, 1] })).toBeNull()
    expect(conditionProblem({ operator: 'hasItem', of: [[1], 0] })).toBe(
      'hasItem needs 3 values; this one has 2',
    )
  })

  it('is no step', () => {
    expect(conditionProblem(pay)).toBe('step "pay" is a step, not a condition: write condition.done(step)')
  })
})
