import { condition, defineAgent, defineWorkflow, text, type AgentContext, type Duration } from 'stepward'
import { z } from 'zod'
import { ask, undo } from '../remote-service/ask.js'

/** A claim of a customer. */
export interface Claim {
  readonly claimId: string
  readonly customer: string
  readonly policy: string
  readonly damage: string
  readonly amount: number
}

/** The answer of an adjuster. */
const decisionForm = z.object({
  amount: z.number().min(0).meta({ description: 'The amount to pay in EUR; 0 declines the claim' }),
  reason: z.string().min(1),
})
export type Decision = z.infer<typeof decisionForm>

export const checks = defineAgent('checks', {
  policy: (input: { policy: string }, context) => ask<{ limit: number }>('policy', input, context),
  survey: (input: Pick<Claim, 'damage' | 'amount'>, context) =>
    ask<{ estimate: number }>('survey', input, context),
  table: (input: Pick<Claim, 'damage' | 'amount'>, context) =>
    ask<{ estimate: number }>('table', input, context),
  fraud: (input: Pick<Claim, 'customer' | 'amount'>, context) =>
    ask<{ score: number }>('fraud', input, context),
})

export const bank = defineAgent('bank', {
  reserve: (input: { claimId: string; amount: number }, context) =>
    ask<{ id: string }>('reserve', input, context),
  pay: (input: { customer: string; reservation: string }, context) =>
    ask<{ id: string }>('pay', input, context),
  // If the answer to a payment was lost, there is no id. So the key identifies the payment to call back.
  giveBack: (_input: object, context: AgentContext) => undo(context),
})

export const office = defineAgent('office', {
  write: (input: { to: string; text: string }, context) => ask<{ id: string }>('letter', input, context),
  close: (input: { claimId: string; payment: string }, context) =>
    ask<{ id: string }>('close', input, context),
})

/** The times of the question to the adjuster. */
export interface Times {
  readonly remindAfter: Duration
  readonly escalateAfter: Duration
  readonly completeWithin: Duration
}

const patience = {
  completeWithin: '2s',
  retry: { tries: 5, backoff: { min: '100ms', max: '1s' } },
  undo: 'none',
} as const

/** Returns the workflow with these times, so that a run of the sample need not take days. */
export const claimWorkflow = (times: Times) =>
  defineWorkflow<Claim>(
    'settle-claim',
    (job) => {
      const { claimId, customer, policy, damage, amount } = job.input
      // The three checks run in parallel. If no surveyor is available, a table gives the estimate instead.
      const covered = job.step('policy', checks.policy, { policy }, patience)
      const fraud = job.step('fraud', checks.fraud, { customer, amount }, patience)
      const survey = job.step(
        'survey',
        checks.survey,
        { damage, amount },
        { ...patience, onExhausted: 'continue' },
      )
      const table = job.step(
        'table',
        checks.table,
        { damage, amount },
        { ...patience, when: condition.failed(survey) },
      )
      // Only one of the two estimates exists. Asking for both outcomes lets the question begin with either.
      const isEstimated = condition.any(condition.done(survey), condition.done(table))
      const estimate = text`${survey.output.estimate}${table.output.estimate}`
      const decision = job.ask('decision', {
        title: text`Claim ${claimId}: ${damage}, ${amount} EUR. Estimate ${estimate} EUR, policy up to ${covered.output.limit} EUR, fraud score ${fraud.output.score}. How much is paid?`,
        form: decisionForm,
        assignees: ['ann'],
        escalateTo: ['head of claims'],
        ...times,
        when: isEstimated,
        onExhausted: 'continue',
      })
      const decided = decision.output.amount
      const isPaid = condition.greater(decided, 0)
      const reserved = job.step(
        'reserve',
        bank.reserve,
        { claimId, amount: decided },
        { ...patience, when: isPaid, undo: () => bank.giveBack({}) },
      )
      const paid = job.step(
        'pay',
        bank.pay,
        { customer, reservation: reserved.output.id },
        { ...patience, undo: () => bank.giveBack({}) },
      )
      job.step('close', office.close, { claimId, payment: paid.output.id }, patience)
      const declined = {
        to: customer,
        text: text`We cannot pay claim ${claimId}: ${decision.output.reason}.`,
      }
      job.step('decline', office.write, declined, { ...patience, when: condition.equal(decided, 0) })
      const late = { to: customer, text: text`We need more time for claim ${claimId}.` }
      job.step('apologise', office.write, late, { ...patience, when: condition.timedOut(decision) })
      job.onExhausted('compensate')
    },
    { jobId: ({ claimId }) => claimId, tags: ({ customer }) => ({ customer }) },
  )

/** The workflow of the office: a reminder after three days, the head of claims after a week. */
export const settleClaim = claimWorkflow({ remindAfter: '3d', escalateAfter: '7d', completeWithin: '14d' })
