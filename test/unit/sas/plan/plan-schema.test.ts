import { describe, expect, it } from 'vitest'
import { basicSchema, continuingSchema, schemaVersion } from '../../../../src/sas/model/documents.js'
import { text } from '../../../../src/sas/model/values/text-template.js'
import { condition } from '../../../../src/sas/plan/condition.js'
import { schemaOf } from '../../../../src/sas/plan/plan-schema.js'
import { submit } from '../../../../src/sas/submission/submit.js'
import { defineWorkflow, type WorkflowBuilder } from '../../../../src/sas/workflow/workflow.js'
import { aSubmission, documentsOf, shop } from '../../../support/a-job.js'

interface Order {
  readonly total: number
  readonly name: string
  readonly items: readonly string[]
}

const planOf = (build: (job: WorkflowBuilder<Order>) => void) => defineWorkflow<Order>('w', build).plan
const item = { item: 'x' }

describe('the schema of a job', () => {
  it.each<[string, (job: WorkflowBuilder<Order>) => void]>([
    ['only steps', (job) => void job.step('a', shop.sell, item, { undo: () => shop.takeBack(item) })],
    [
      'the first conditions',
      (job) => {
        const name = job.input.name
        const either = condition.any(condition.equal(name, 'x'), condition.not(condition.present(name)))
        const when = condition.all(either, condition.greater(job.input.total, 3))
        job.step('a', shop.sell, item, { when })
      },
    ],
    ['a fan-out', (job) => void job.forEach('a', job.input.items, (sku) => shop.sell({ item: sku }))],
    [
      'an extended wait',
      (job) => void job.step('a', shop.sell, item, { onExhausted: { extendedWait: '1h' } }),
    ],
  ])('with %s is the one that code of version 1 reads', (_what, build) => {
    const plan = planOf(build)
    const { job, steps } = documentsOf(submit(aSubmission(plan)))
    expect([schemaOf(plan), job.schema]).toEqual([basicSchema, basicSchema])
    for (const step of steps.values()) expect(step).not.toHaveProperty('jobGoesOn')
  })

  it.each<[string, (job: WorkflowBuilder<Order>) => void]>([
    [
      'a step that may be left behind',
      (job) => void job.step('a', shop.sell, item, { onExhausted: 'continue' }),
    ],
    [
      'a new condition in a join',
      (job) => {
        const when = condition.any(condition.not(condition.less(job.input.total, 3)))
        job.step('a', shop.sell, item, { when })
      },
    ],
    [
      'a new condition beside a known one',
      (job) => {
        const when = condition.all(condition.present(job.input.name), condition.less(job.input.total, 3))
        job.step('a', shop.sell, item, { when })
      },
    ],
    [
      'a question for an outcome',
      (job) => {
        const a = job.step('a', shop.sell, item)
        job.step('b', shop.sell, item, { when: condition.done(a) })
      },
    ],
    [
      'an answer so far',
      (job) => {
        const a = job.step('a', shop.sell, item)
        job.step('b', shop.sell, item, { when: condition.doneSoFar(a) })
      },
    ],
    [
      'an outcome in an input',
      (job) => {
        const a = job.step('a', shop.sell, item)
        job.step('b', shop.sell, { item: a.outcome })
      },
    ],
    ['a text', (job) => void job.step('a', shop.sell, { item: text`Hello ${job.input.name}` })],
    [
      'a text in an undo',
      (job) => {
        job.step('a', shop.sell, item, { undo: () => shop.takeBack({ item: text`of ${job.input.name}` }) })
      },
    ],
  ])('with %s is a newer one, and the steps keep theirs', (_what, build) => {
    const { job, steps } = documentsOf(submit(aSubmission(planOf(build))))
    expect(job.schema).toBe(continuingSchema)
    expect(continuingSchema).toBeLessThanOrEqual(schemaVersion)
    for (const step of steps.values()) expect(step.schema).toBe(basicSchema)
  })
})
