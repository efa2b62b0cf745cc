import { condition, defineAgent, defineSchedule, defineWorkflow, text } from '../../../src/index.js'

const shop = defineAgent('shop', {
  charge: (input: { readonly amount: number }) => ({ receipt: `r${input.amount}` }),
  refund: (_input: { readonly receipt: string }) => null,
  track: (_input: null) => ({ place: 'away' }),
})
const elsewhere = defineAgent('elsewhere', { tell: (_input: { readonly text: string }) => null })
/** An agent of the same name with another operation, as if the module exported an old one. */
const older = defineAgent('older', { run: (_input: null) => null })
export const newer = defineAgent('older', { stop: (_input: null) => null })
export const unused = defineAgent('unused', { nothing: (_input: null) => null })
export { shop }

export const buy = defineWorkflow<{ readonly total: number; readonly tenant: string }>(
  'buy',
  (job) => {
    job.limits([{ key: job.input.tenant, atOnce: 3 }])
    const approved = job.ask('approve', { title: 'Pay?', completeWithin: '7d', onExhausted: 'continue' })
    const paid = job.step(
      'charge',
      shop.charge,
      { amount: job.input.total },
      {
        when: condition.equal(approved.output, true),
        undo: ({ receipt }) => shop.refund({ receipt }),
        limits: [{ key: job.input.tenant, atOnce: 2 }],
      },
    )
    job.sleep('cool-down', '2d', { after: [paid] })
    job.repeat('track', shop.track, null, {
      after: [paid],
      until: (output) => condition.equal(output.place, 'home'),
      every: '1h',
      atMost: 10,
      undo: 'none',
    })
    job.step('tell', elsewhere.tell, { text: text`Paid ${job.input.total}.` }, { undo: 'none' })
    job.step('run', older.run, null, { undo: 'none' })
  },
  { completeWithin: '1d' },
)

export const nightly = defineSchedule('nightly', {
  cron: '0 2 * * *',
  workflow: buy,
  input: { total: 1, tenant: 'x' },
})
