import { condition, defineAgent, defineSchedule, defineWorkflow, text } from 'stepward'
import { ask } from '../remote-service/ask.js'

/** An account, as the list of a night names it. */
export interface Account {
  readonly account: string
}

/** One night of the bank. */
export interface Night {
  readonly due: string
  readonly accounts: number
}

export const ledger = defineAgent('ledger', {
  // A real ledger reads the accounts of the day. A list of more than about 10,000 needs a payload store.
  accounts: ({ accounts }: Night): readonly Account[] =>
    Array.from({ length: accounts }, (_, index) => ({ account: `A-${index + 1}` })),
})

/** The remote service that makes a statement. It permits only some requests at once. */
export const statements = defineAgent(
  'statements',
  { make: (input: Account, context) => ask<{ id: string }>('statement', { ...input }, context) },
  { slots: 64 },
)

export const mail = defineAgent('mail', {
  send: (input: { to: string; text: string }, context) => ask<{ id: string }>('mail', input, context),
})

/** The statement of one account. All nights and all processes share the limit of the remote service. */
export const statement = defineWorkflow<Account>('statement', (job) => {
  job.step('make', statements.make, job.input, {
    completeWithin: '10s',
    retry: { tries: 3, backoff: { min: '100ms', max: '1s' } },
    undo: 'none',
    limits: [{ key: 'statement-service', atOnce: 20 }],
  })
})

/** Makes the statements of all accounts, and then tells the team how many there are and which failed. */
const statementsOfTheNight = defineWorkflow<Night>('statements-of-the-night', (job) => {
  const list = job.step('list', ledger.accounts, job.input, { undo: 'none' })
  const { done, failed, failures } = job.forEach('each', list.output, statement, {
    atOnce: 200,
    retainFor: '1d',
  }).output
  const told = { to: 'team@example.com' }
  const count = text`${done} statements of ${job.input.due}`
  job.step('tell', mail.send, { ...told, text: count }, { when: condition.equal(failed, 0), undo: 'none' })
  const problems = text`${count}; ${failed} failed: ${failures}`
  job.step(
    'warn',
    mail.send,
    { ...told, text: problems },
    { when: condition.greater(failed, 0), undo: 'none' },
  )
  return { done, failed }
})

/** Returns the schedule of the statements, for this number of accounts. */
export const nightlyFor = (accounts: number) =>
  defineSchedule('nightly-statements', {
    cron: '30 2 * * *',
    timeZone: 'Europe/Berlin',
    workflow: statementsOfTheNight,
    input: ({ due }) => ({ due, accounts }),
    overlap: 'skip',
    catchUp: '4h',
  })

export const nightly = nightlyFor(10_000)
