import { describe, expect, it } from 'vitest'
import { defineAgent } from '../../../../src/sas/agents/agent.js'
import { condition } from '../../../../src/sas/plan/condition.js'
import { fitPlan } from '../../../../src/sas/plan/fan-out.js'
import type { ForEachOptions } from '../../../../src/sas/workflow/for-each.js'
import { defineWorkflow, type WorkflowBuilder } from '../../../../src/sas/workflow/workflow.js'
import { shop } from '../../../support/a-job.js'

const warehouse = defineAgent('warehouse', { find: (_input: null): readonly string[] => [] })

interface Order {
  readonly items: readonly string[]
  readonly country: string
}

function fitted(
  input: unknown,
  options: (job: WorkflowBuilder<Order>) => ForEachOptions<string, unknown> = () => ({}),
) {
  const { plan } = defineWorkflow<Order>('selling', (job) => {
    job.forEach('sell', job.input.items, (item) => shop.sell({ item }), { atMost: 3, ...options(job) })
  })
  const fit = fitPlan(plan, input as never)
  return { ...fit, ids: fit.plan.steps.map(({ id }) => id), all: plan.steps.map(({ id }) => id) }
}

describe('a plan fitted to the list of its job', () => {
  it('has steps for the given items only, and the gathering step waits for those', () => {
    const { plan, ids, all, problems } = fitted({ items: ['a', 'b'], country: 'PT' })
    expect(problems).toEqual([])
    expect(all).toHaveLength(4)
    expect(ids).toHaveLength(3)
    const gathering = plan.steps.find(({ kind }) => kind === 'gather')
    expect(gathering?.dependsOn).toEqual(ids.filter((id) => id !== gathering?.id))
    expect(gathering?.input).toMatchObject({ atMost: 3, items: [{}, {}] })
  })

  it('has all item steps when the list is full, and none when it is empty', () => {
    const full = fitted({ items: ['a', 'b', 'c'] })
    expect([full.ids, full.problems]).toEqual([full.all, []])
    expect(fitted({ items: [] }).ids).toHaveLength(1)
  })

  it.each([
    [{ items: ['a', 'b', 'c', 'd'] }, /4 items; at most 3/],
    [{}, /not a list/],
  ])('is impossible for %j', (input, problem) => {
    expect(fitted(input).problems).toEqual([expect.stringMatching(problem)])
  })

  it('is impossible when a condition cannot be evaluated', () => {
    const { plan } = fitted({ items: ['a'] })
    const [step, ...others] = plan.steps
    if (step === undefined) throw new Error('there is no step')
    const odd = { ...plan, steps: [{ ...step, when: { operator: 'xor', of: [] } }, ...others] }
    expect(fitPlan(odd, { items: ['a'] }).problems).toEqual([
      expect.stringContaining('step "sell-0": when: the operator "xor" is unknown'),
    ])
  })

  it('has no item steps when the input has no list and a condition may skip the fan-out', () => {
    const { problems, ids } = fitted({ items: 'none', country: 'PT' }, (job) => ({
      when: condition.equal(job.input.country, 'DE'),
    }))
    expect(problems).toEqual([])
    expect(ids).toHaveLength(1)
  })

  it('has no item steps when the list is too long and a condition may skip the fan-out', () => {
    const { problems, ids } = fitted({ items: ['a', 'b', 'c', 'd'], country: 'PT' }, (job) => ({
      when: condition.equal(job.input.country, 'DE'),
    }))
    expect([problems, ids.length]).toEqual([[], 1])
  })

  it('keeps every step when a step returns the list', () => {
    const { plan } = defineWorkflow('making', (job) => {
      const found = job.step('find', warehouse.find, null)
      job.forEach('sell', found.output, (item) => shop.sell({ item }), { atMost: 3 })
    })
    expect(fitPlan(plan, {})).toEqual({ plan, problems: [] })
  })

  it('leaves alone a step whose own input looks like a fan-out', () => {
    const { plan } = defineWorkflow<Order>('looking', (job) => {
      const first = job.step('first', shop.sell, { item: 'x' })
      const input = { list: job.input.items, items: [first.output], atMost: 1, item: 'y' }
      job.step('second', shop.sell, input)
    })
    expect(fitPlan(plan, { items: [] })).toEqual({ plan, problems: [] })
  })
})

describe('a fan-out over an empty list of the job (I5)', () => {
  it('waits for what its items would have waited for', () => {
    const { plan } = defineWorkflow<Order>('approving', (job) => {
      const gate = job.waitFor('gate')
      const checked = job.step('check', shop.sell, { item: 'all' })
      const sold = job.forEach('sell', job.input.items, () => shop.sell({ item: checked.output.item }), {
        atMost: 3,
        after: [gate],
      })
      job.step('mail', shop.sell, { item: 'x' }, { after: [sold] })
    })
    const fit = fitPlan(plan, { items: [], country: 'PT' })
    const waitsFor = (id: string) => fit.plan.steps.find((step) => step.id === id)?.dependsOn.toSorted()
    expect(waitsFor('sell')).toEqual(['check', 'gate'])
    expect(waitsFor('mail')).toEqual(['sell'])
  })

  it('does not wait for what only the items of another fan-out would have waited for', () => {
    const { plan } = defineWorkflow<Order>('approving', (job) => {
      const gate = job.waitFor('gate')
      const sell = () => shop.sell({ item: 'x' })
      job.forEach('first', job.input.items, sell, { atMost: 2, after: [gate] })
      job.forEach('second', job.input.items, sell, { atMost: 2 })
    })
    const { steps } = fitPlan(plan, { items: [], country: 'PT' }).plan
    expect(steps.map(({ id, dependsOn }) => [id, dependsOn])).toEqual([
      ['gate', []],
      ['first', ['gate']],
      ['second', []],
    ])
  })

  it('waits in the same way as part of a nested workflow', () => {
    const inner = defineWorkflow<Order>('inner', (job) => {
      job.forEach('sell', job.input.items, (item) => shop.sell({ item }), { atMost: 3 })
    })
    const { plan } = defineWorkflow<Order>('outer', (job) => {
      const gate = job.waitFor('gate')
      job.run('part', inner, job.input, { after: [gate] })
    })
    const fit = fitPlan(plan, { items: [], country: 'PT' })
    expect(fit.plan.steps.map(({ id, dependsOn }) => [id, dependsOn])).toEqual([
      ['gate', []],
      ['part-sell', ['gate']],
      ['part', ['part-sell']],
    ])
  })
})
