import { describe, expect, it } from 'vitest'
import { defineAgent } from '../../../../src/sas/agents/agent.js'
import { condition } from '../../../../src/sas/plan/condition.js'
import { submit } from '../../../../src/sas/submission/submit.js'
import { defineWorkflow, type WorkflowBuilder } from '../../../../src/sas/workflow/workflow.js'
import { WorkflowInvalid } from '../../../../src/sas/model/errors.js'
import { aSubmission, documentsOf } from '../../../support/a-job.js'
import { JobStory } from '../../../support/job-story.js'

interface Payment {
  readonly account: string
  readonly amount: number
  readonly note?: string
}
interface Receipt {
  readonly receiptId: string
}

const bank = defineAgent('bank', {
  hold: (_input: Payment) => ({ holdId: 'h' }),
  release: (_input: { readonly holdId: string }) => null,
  take: (_input: { readonly holdId: string }): Receipt => ({ receiptId: 'r' }),
  file: (_input: Receipt) => null,
})

const paying = defineWorkflow<Payment, Receipt>('paying', (job) => {
  const { account, amount, note } = job.input
  const held = job.step(
    'hold',
    bank.hold,
    { account, amount, note },
    {
      undo: ({ holdId }) => bank.release({ holdId }),
    },
  )
  const taken = job.step('take', bank.take, { holdId: held.output.holdId }, { undo: 'none' })
  return { receiptId: taken.output.receiptId }
})

interface Order {
  readonly customer: string
  readonly isPaid: boolean
}

const order: Order = { customer: 'ann', isPaid: false }

function storyOf(build: (job: WorkflowBuilder<Order>) => void): JobStory {
  const { plan } = defineWorkflow<Order>('ordering', build)
  return JobStory.of(documentsOf(submit(aSubmission(plan, { input: { ...order } }))))
}

function states({ job }: JobStory): Record<string, string> {
  return Object.fromEntries(Object.entries(job.steps).map(([stepId, { state }]) => [stepId, state]))
}

function done(story: JobStory, stepId: string, output: unknown): JobStory {
  return story.settled(stepId, { kind: 'success', output: output as never }).scheduled()
}

const ordering = storyOf((job) => {
  const paid = job.run('pay', paying, { account: job.input.customer, amount: 3 })
  job.step('file', bank.file, paid.output)
})

describe('a workflow that another one runs', () => {
  it('is part of the outer plan, with prefixed ids and its input filled in', () => {
    expect([...ordering.steps.keys()]).toEqual(['pay-hold', 'pay-take', 'pay', 'file'])
    expect(ordering.step('pay-hold')).toMatchObject({
      inputTemplate: { account: { $from: ['input', 'customer'] }, amount: 3 },
      undo: { inputTemplate: { holdId: { $from: ['steps', 'pay-hold', 'output', 'holdId'] } } },
    })
    expect(ordering.step('pay-hold').inputTemplate).not.toHaveProperty('note')
  })

  it('is done when all its steps are done, with the output that its definition returned', () => {
    const held = done(ordering.scheduled(), 'pay-hold', { holdId: 'h1' })
    expect(held.step('pay-take').input).toEqual({ holdId: 'h1' })
    const paid = done(held, 'pay-take', { receiptId: 'r1', more: 1 })
    expect(paid.step('pay')).toMatchObject({ processState: 'Processed', output: { receiptId: 'r1' } })
    expect(paid.scheduled().step('file').input).toEqual({ receiptId: 'r1' })
  })

  it('begins when its input is known and the steps that it comes after are done', () => {
    const story = storyOf((job) => {
      const first = job.step('first', bank.take, { holdId: 'x' })
      const other = job.sleep('other', '1h')
      job.run('pay', paying, { account: first.output.receiptId, amount: 1 }, { after: [other] })
    })
    expect(story.step('pay-hold').dependsOn).toEqual(['first', 'other'])
    expect(story.step('pay-take').dependsOn).toEqual(['pay-hold'])
  })

  it('is skipped as a whole when its condition does not hold', () => {
    const story = storyOf((job) => {
      const input = { account: 'a', amount: 1 }
      job.run('pay', paying, input, { when: condition.equal(job.input.isPaid, true) })
    })
    const { job } = story.scheduled()
    expect(job.processState).toBe('Processed')
    expect(new Set(Object.values(job.steps).map(({ state }) => state))).toEqual(new Set(['Skipped']))
  })

  const filing = defineWorkflow<Receipt>('filing', (job) => {
    const first = job.step('first', bank.file, job.input)
    job.step('left', bank.file, job.input, { after: [first] })
    const when = condition.equal(job.input.receiptId, 'r')
    job.step('right', bank.file, job.input, { after: [first], when })
  })

  it('is done when its last steps are done, even if it returns nothing', () => {
    const story = storyOf((job) => void job.run('x', filing, { receiptId: 'r' }))
    expect(story.step('x').dependsOn).toEqual(['x-left', 'x-right'])
    const filed = done(done(story.scheduled(), 'x-first', null), 'x-left', null)
    expect(states(filed)).toMatchObject({ 'x-right': 'Processing', x: 'NotStarted' })
    expect(done(filed, 'x-right', null).step('x')).toMatchObject({ processState: 'Processed', output: null })
  })

  it('runs a step only when both its own condition and that of the whole hold', () => {
    const story = storyOf((job) => {
      const when = condition.equal(job.input.isPaid, true)
      job.run('x', filing, { receiptId: job.input.customer }, { when })
      job.run('y', filing, { receiptId: job.input.customer })
    })
    const outer = { operator: 'equal', of: [{ $from: ['input', 'isPaid'] }, true] }
    const inner = { operator: 'equal', of: [{ $from: ['input', 'customer'] }, 'r'] }
    const both = { operator: 'all', of: [outer, inner] }
    const conditions = [...story.steps.values()].map(({ stepId, when }) => [stepId, when])
    expect(Object.fromEntries(conditions)).toEqual({
      ...{ 'x-first': outer, 'x-left': outer, 'x-right': both, x: outer },
      ...{ 'y-first': null, 'y-left': null, 'y-right': inner, y: null },
    })
  })

  it('may run twice, and inside a workflow that another one runs', () => {
    const outer = defineWorkflow<Order, Receipt>('outer', (job) => {
      const paid = job.run('a', paying, { account: job.input.customer, amount: 1 })
      return paid.output
    })
    const story = storyOf((job) => {
      job.run('x', outer, job.input)
      job.run('y', outer, { customer: 'bob', isPaid: true })
    })
    expect(story.step('x-a-hold').inputTemplate).toMatchObject({ account: { $from: ['input', 'customer'] } })
    expect(story.step('y-a-hold').inputTemplate).toMatchObject({ account: 'bob' })
    expect(story.step('y').inputTemplate).toEqual({ value: { $from: ['steps', 'y-a', 'output'] } })
  })

  it('follows the policy of the outer workflow unless it has its own', () => {
    const stubborn = defineWorkflow<Payment>('stubborn', (job) => {
      job.step('hold', bank.hold, job.input, { undo: 'none' })
      job.onExhausted('park')
    })
    const story = storyOf((job) => {
      job.run('pay', paying, { account: 'a', amount: 1 })
      job.run('park', stubborn, { account: 'a', amount: 1 })
      job.onExhausted('compensate')
    })
    expect(story.step('pay-take').onExhausted).toBe('compensate')
    expect(story.step('park-hold').onExhausted).toBe('park')
  })

  it('is undone with the rest of the job (R107)', () => {
    const story = storyOf((job) => {
      const paid = job.run('pay', paying, { account: 'a', amount: 1 })
      job.step('file', bank.file, paid.output, { undo: 'none' })
      job.onExhausted('compensate')
    })
    const filing = done(done(story.scheduled(), 'pay-hold', { holdId: 'h' }), 'pay-take', {}).scheduled()
    const back = filing.settled('file', { kind: 'permanent', message: 'no' }).scheduled()
    expect(states(back)).toMatchObject({ 'pay-hold': 'Compensating', 'pay-take': 'Processed' })
    expect(back.step('pay-hold').undo?.input).toEqual({ holdId: 'h' })
  })
})

describe('an invalid workflow that another one runs', () => {
  it('is refused with the full ids of its steps', () => {
    const careless = defineWorkflow<Payment>('careless', (job) => void job.step('hold', bank.hold, job.input))
    const build = (job: WorkflowBuilder<Order>): void => {
      job.run('pay', careless, { account: 'a', amount: Number.NaN })
      job.run('pay', careless, { account: 'a', amount: 1 })
      job.step('file', bank.file, { receiptId: 'x' })
      job.onExhausted('compensate')
    }
    let problems: readonly string[] = []
    try {
      defineWorkflow<Order>('ordering', build)
    } catch (error) {
      if (error instanceof WorkflowInvalid) problems = error.problems
    }
    expect(problems).toEqual([
      'step "pay": input.amount is NaN; a plan holds only JSON values and references',
      'step "pay-hold": its id is used twice',
      'step "pay": its id is used twice',
      expect.stringContaining('step "pay-hold": it may already be done when step "pay" fails'),
      expect.stringContaining('step "file": it may already be done when step "pay-hold" fails'),
    ])
  })

  it('is refused when its output is not its own, or not JSON', () => {
    const problemsOf = (build: (job: WorkflowBuilder<Order>) => unknown): string => {
      try {
        defineWorkflow<Order>('ordering', build)
        return 'none'
      } catch (error) {
        return error instanceof WorkflowInvalid ? error.problems.join() : 'thrown'
      }
    }
    expect(
      problemsOf(() => {
        const foreign: unknown[] = []
        defineWorkflow<Order>('other', (other) => {
          foreign.push(other.step('elsewhere', bank.file, { receiptId: 'x' }).output)
        })
        return foreign
      }),
    ).toBe('its output refers to step "elsewhere", but there is no such step,it has no steps')
    expect(problemsOf(async (job) => void job.step('own', bank.file, { receiptId: 'x' }))).toBe(
      'its output is a Promise; a definition only describes the steps, so it awaits nothing: pass the output of a step',
    )
  })

  it('does not compile when its input or output does not fit', () => {
    defineWorkflow<Order>('typed', (job) => {
      // @ts-expect-error a number where a string is wanted
      job.run('a', paying, { account: 1, amount: 1 })
      // @ts-expect-error a required property left out
      job.run('b', paying, { account: 'a' })
      const paid = job.run('c', paying, { account: job.input.customer, amount: 1 })
      // @ts-expect-error a property that its output does not have
      job.step('d', bank.take, { holdId: paid.output.holdId as string })
      job.step('e', bank.file, paid.output)
      expect(paid.id).toBe('c')
    })
    // @ts-expect-error a definition that returns something else than it promises
    defineWorkflow<Order, Receipt>('typed', (job) => {
      job.step('file', bank.file, { receiptId: job.input.customer })
      return { receiptId: job.input.isPaid }
    })
  })
})
