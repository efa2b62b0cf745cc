import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { largeListOf } from '../../../../src/sas/plan/item-jobs.js'
import type { PlanStep } from '../../../../src/sas/plan/plan.js'
import { defineAgent, defineWorkflow, text, type WorkflowBuilder } from '../../../../src/sas/index.js'

const bank = defineAgent('bank', {
  pay: (input: unknown): { token: string; amount: number } => ({ token: String(input), amount: 1 }),
  take: (_input: unknown) => null,
})

interface Order {
  readonly card: { readonly number: string }
  readonly lines: readonly { readonly code: string; readonly amount: number }[]
}

type Build = (job: WorkflowBuilder<Order>) => unknown

/** Returns the marks of each step of a workflow, and those of the job. */
function marksOf(secrets: readonly string[], build: Build, input?: z.ZodType) {
  const { plan } = defineWorkflow<Order>('orders', build, { secrets, ...(input && { input }) })
  const steps = plan.steps.map(
    (step) => [step.id, (step.secrets ?? []).map((path) => path.join('.'))] as const,
  )
  return { job: (plan.secrets ?? []).map((path) => path.join('.')), ...Object.fromEntries(steps) }
}

describe('the secrets of a workflow', () => {
  it('are marked in the input of each step that gets a part of them, and in the result', () => {
    const marks = marksOf(['input.card', 'steps.pay.output.token'], (job) => {
      const pay = job.step('pay', bank.pay, {
        all: job.input,
        card: job.input.card,
        number: job.input.card.number,
      })
      job.step('tell', bank.take, { say: text`to ${job.input.card.number}`, amount: pay.output.amount })
      return { list: [pay.output, pay.output.token, pay.output.amount] }
    })
    expect(marks).toEqual({
      job: ['input.card', 'result.list.0.token', 'result.list.1'],
      pay: ['input.all.card', 'input.card', 'input.number', 'output.token'],
      tell: ['input.say'],
    })
  })

  it('are marked in the undo, also if it uses the output of its own step', () => {
    const marks = marksOf(['steps.pay.output.token'], (job) => {
      job.step('pay', bank.pay, 1, { undo: (output) => ({ ...bank.take({ token: output.token }) }) })
    })
    expect(marks).toEqual({ job: [], pay: ['output.token', 'undo.token'] })
  })

  it('are marked in each item of a fan-out, in what is gathered, and from what is gathered back in the items', () => {
    const build: Build = (job) => {
      const paid = job.forEach('pay', job.input.lines, (line) => bank.pay({ code: line.code }), { atMost: 2 })
      job.step('tell', bank.take, { first: paid.output[0] })
    }
    expect(marksOf(['input.lines.*.code', 'steps.pay.output.*.token'], build)).toMatchObject({
      'pay-0': ['input.code', 'output.token'],
      'pay-1': ['input.code', 'output.token'],
      pay: expect.arrayContaining(['output.*.token', 'output.0.token']) as unknown,
      tell: ['input.first.token'],
    })
    expect(marksOf(['steps.pay-1.output.token'], build)).toMatchObject({
      pay: ['input.items.1.token', 'output.1.token'],
    })
  })

  it('of a workflow stay marked where another workflow runs it', () => {
    const inner = defineWorkflow<{ readonly pin: string }>(
      'inner',
      (job) => job.step('use', bank.pay, { pin: job.input.pin }).output,
      { secrets: ['input.pin', 'steps.use.output.token'] },
    )
    const marks = marksOf([], (job) => {
      const ran = job.run('part', inner as never, { pin: job.input.card.number })
      job.step('tell', bank.take, ran.output)
    })
    expect(marks).toMatchObject({ 'part-use': ['input.pin', 'output.token'], tell: ['input.token'] })
  })

  it('are found in the schema of the input and in the form of a question', () => {
    const card = z.object({ number: z.string().meta({ secret: true }) })
    const line = z.object({ code: z.string().meta({ secret: true }), amount: z.number() })
    const marks = marksOf(
      [],
      (job) =>
        void job.ask('pin', {
          title: 'Your code?',
          form: z.object({ code: z.string().meta({ secret: true }) }),
        }),
      z.object({ card, lines: z.array(line), more: z.record(z.string(), card).optional() }),
    )
    expect(marks).toEqual({
      job: ['input.card.number', 'input.lines.*.code', 'input.more.*.number'],
      pin: ['output.code'],
    })
  })

  it.each([
    [['card'], '"card" must be input or steps.STEP.output'],
    [['input..card'], 'must be input'],
    [['steps.pay.input.x'], 'must be input'],
    [['steps.none.output'], 'names step "none", but there is no such step'],
    [[3 as unknown as string], 'secrets: 3 must be input'],
    ['input' as unknown as string[], 'secrets is "input"; it must be a list of texts'],
  ])('%j is refused', (secrets, problem) => {
    expect(() => marksOf(secrets, (job) => void job.step('pay', bank.pay, 1))).toThrow(problem)
  })

  it('are refused in what people see: the title of a question, and the key of a limit', () => {
    const asks: Build = (job) => void job.ask('ok', { title: text`Pay ${job.input.card.number}?` })
    expect(() => marksOf(['input.card'], asks)).toThrow(
      'step "ok": the title or the assignees would show a secret',
    )
    const limits: Build = (job) =>
      void job.step('pay', bank.pay, 1, { limits: [{ key: job.input.card.number, atOnce: 1 }] })
    expect(() => marksOf(['input.card'], limits)).toThrow('step "pay": a limit would show a secret')
    const ofJobs: Build = (job) => {
      job.limits([{ key: 'bank', fairBy: job.input.card.number, atOnce: 1 }])
      job.step('pay', bank.pay, 1)
    }
    expect(() => marksOf(['input.card'], ofJobs)).toThrow('job.limits: a limit would show a secret')
  })

  it('add nothing to the plan of a workflow without secrets', () => {
    const { plan } = defineWorkflow<Order>('orders', (job) => void job.step('pay', bank.pay, job.input.card))
    expect(JSON.stringify(plan)).not.toContain('secrets')
  })
})

it('the secrets of a large list are marked in the jobs of its items, also in a list within an item', () => {
  const each = defineWorkflow<{ readonly code: string }>('each', (job) => {
    job.step('use', bank.take, { pin: job.input.code }, { undo: 'none' })
  })
  const middle = defineWorkflow<Order>('middle', (job) => {
    job.forEach('lines', job.input.lines, each)
  })
  const outer = (build: (job: WorkflowBuilder<{ readonly orders: readonly Order[] }>) => unknown) =>
    defineWorkflow<{ readonly orders: readonly Order[] }>('outer', build, {
      secrets: ['input.orders.*.lines.*.code'],
    }).plan.steps[0]
  const step = outer((job) => void job.forEach('orders', job.input.orders, middle))
  const planOf = (from?: PlanStep) => (from === undefined ? null : largeListOf(from)?.plan)
  const item = planOf(step)
  expect(item?.secrets).toEqual([['input', 'lines', '*', 'code']])
  expect(planOf(item?.steps[0])).toMatchObject({
    secrets: [['input', 'code']],
    steps: [{ id: 'use', secrets: [['input', 'pin']] }],
  })
  const shown = defineWorkflow<Order>('shown', (job) => {
    job.ask('sure', { title: text`Is ${job.input.lines[0].code} right?`, completeWithin: '1d' })
  })
  expect(() => outer((job) => void job.forEach('orders', job.input.orders, shown))).toThrow(
    'step "orders": its items: step "sure": the title',
  )
})
