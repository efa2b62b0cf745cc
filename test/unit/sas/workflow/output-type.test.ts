import { expect, expectTypeOf, it } from 'vitest'
import { defineAgent } from '../../../../src/sas/agents/agent.js'
import { text } from '../../../../src/sas/model/values/text-template.js'
import { defineWorkflow, type WorkflowBuilder } from '../../../../src/sas/workflow/workflow.js'

interface Claim {
  readonly customer: string
  readonly lines: readonly string[]
}

const bank = defineAgent('bank', { pay: (_input: { readonly to: string }) => ({ receipt: 'r', cents: 5 }) })

const settle = defineWorkflow('settle', (job: WorkflowBuilder<Claim>) => {
  const pay = job.step('pay', bank.pay, { to: job.input.customer }, { undo: 'none' })
  return {
    receipt: pay.output.receipt,
    paid: pay.output,
    lines: job.input.lines,
    greeting: text`Hello ${job.input.customer}`,
    outcome: pay.outcome,
    fixed: 5,
    parts: [{ first: job.input.lines[0] }],
  }
})

/** The type of the output that a workflow carries. */
type OutputOf<W extends { readonly output?: unknown }> = NonNullable<W['output']>

it('the type of the result has the values in place of the references', () => {
  expectTypeOf<OutputOf<typeof settle>>().toExtend<{
    readonly receipt: string
    readonly paid: { readonly receipt: string; readonly cents: number }
    readonly lines: readonly string[]
    readonly greeting: string
    readonly outcome: string
    readonly fixed: number
    readonly parts: readonly { readonly first: string }[]
  }>()
  expectTypeOf<OutputOf<typeof settle>['receipt']>().toEqualTypeOf<string>()
  expect(settle.plan.steps).toHaveLength(1)
})

it('the type of the output can be named', () => {
  const build = (job: WorkflowBuilder<Claim>) => {
    job.step('pay', bank.pay, { to: job.input.customer }, { undo: 'none' })
    return { to: job.input.customer }
  }
  const named = defineWorkflow<Claim, { readonly to: string }>('named', build)
  expectTypeOf(named.output).toEqualTypeOf<{ readonly to: string } | undefined>()
  // @ts-expect-error the value has another type
  defineWorkflow<Claim, { readonly to: number }>('other', build)
  expect(named.plan.output).toEqual({ to: { $from: ['input', 'customer'] } })
})

it('a workflow whose output is a part of another one passes on its type', () => {
  const outer = defineWorkflow(
    'outer',
    (job: WorkflowBuilder<Claim>) => job.run('part', settle, job.input).output.receipt,
  )
  expectTypeOf(outer.output).toEqualTypeOf<string | undefined>()
  expect(outer.plan.output).toBeDefined()
})
