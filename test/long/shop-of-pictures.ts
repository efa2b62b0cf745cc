import { once } from 'node:events'
import type { Host } from '../../src/index.js'
import { condition, defineAgent, defineSchedule, defineWorkflow, systemClock } from '../../src/index.js'
import type { AgentContext } from '../../src/index.js'

interface Order {
  readonly sku: string
  readonly amount: number
  readonly card: string
}

/** Waits as a remote service would, so that bars and times are long enough to see. */
const slowly = (ms: number): Promise<void> => systemClock.sleep(ms)

export const inventory = defineAgent('inventory', {
  reserve: async ({ sku }: { sku: string }, context: AgentContext): Promise<object> => {
    await slowly(250)
    if (sku === 'kettle') context.failPermanently('the product "kettle" is out of stock')
    return { hold: `H-${sku}` }
  },
  release: async (_input: object): Promise<null> => slowly(100).then(() => null),
})
export const payments = defineAgent('payments', {
  charge: async ({ card, amount }: { card: string; amount: number }): Promise<object> => {
    await slowly(400)
    if (card === 'slow') throw new Error('the payment service answered 503: try again later')
    return { charged: amount }
  },
  refund: async (_input: object): Promise<null> => slowly(100).then(() => null),
})
export const shipping = defineAgent('shipping', {
  ship: async (_input: object, { progress }: AgentContext): Promise<object> => {
    await progress({ done: 1, of: 3, note: 'label printed' })
    await slowly(500)
    return { parcel: 'P-77' }
  },
  count: async ({ shelf }: { shelf: string }, { progress, signal }: AgentContext): Promise<object> => {
    await progress({ done: 40, of: 200, note: `shelf ${shelf}` })
    await once(signal, 'abort')
    return {}
  },
})

export const fulfilling = defineWorkflow<Order>('order-fulfilment', (job) => {
  const { sku, amount, card } = job.input
  const reserve = job.step('reserve', inventory.reserve, { sku }, { undo: () => inventory.release({}) })
  const retry = { tries: 5, backoff: { min: '20s', max: '5m' } }
  const limits = [{ key: 'payments', atOnce: 4 }]
  const charge = job.step(
    'charge',
    payments.charge,
    { card, amount },
    { after: [reserve], undo: () => payments.refund({}), limits, retry },
  )
  const approval = job.ask('approve', {
    title: 'Ship an order of more than 500 euros?',
    assignees: ['ann', 'bob'],
    when: condition.greater(amount, 500),
    completeWithin: '2d',
    after: [charge],
    form: {
      type: 'object',
      properties: { approved: { type: 'boolean', title: 'Ship it' }, remark: { type: 'string' } },
      required: ['approved'],
    },
  })
  job.step('ship', shipping.ship, { sku }, { after: [charge, approval], undo: 'none' })
})

export const counting = defineWorkflow<{ readonly shelf: string }>('stock-count', (job) => {
  job.step('count', shipping.count, { shelf: job.input.shelf }, { completeWithin: '1h', undo: 'none' })
})

export const schedules = [
  defineSchedule('nightly-count', {
    cron: '30 2 * * *',
    timeZone: 'Europe/Berlin',
    workflow: counting,
    input: { shelf: 'all' },
  }),
  defineSchedule('quarter-count', { every: '15m', workflow: counting, input: { shelf: 'front' } }),
]

const customers = [4711, 4712, 4713]

/** Submits a job whose tag names a customer. */
export async function order(host: Host, number: number, part: Partial<Order> = {}): Promise<string> {
  const jobId = String(number)
  const input = { sku: 'teapot', amount: 40, card: 'visa', ...part }
  const tags = { customer: customers[number % customers.length] ?? 0 }
  await host.client.submit(fulfilling, input, { jobId, tags })
  return jobId
}

/** Lets the shop work for a while, and lets operators act. */
export async function openShop(host: Host): Promise<void> {
  const { client } = host
  const ended = async (jobId: string): Promise<void> =>
    (await client.get(jobId))?.result().then(
      () => undefined,
      () => undefined,
    )
  for (let number = 10_200; number < 10_240; number += 1) await order(host, number)
  const failing = [10_240, 10_241, 10_242, 10_243, 10_244]
  for (const number of failing) await order(host, number, { sku: 'kettle' })
  for (const number of failing) await ended(String(number))
  await order(host, 10_245, { card: 'slow' })
  await order(host, 10_246, { amount: 900 })
  await order(host, 10_247, { amount: 1_200 })
  await order(host, 10_248)
  await client.submit(counting, { shelf: 'back' }, { jobId: 'count-back' })
  for (let number = 10_200; number < 10_240; number += 1) await ended(String(number))
  await client.cancel('10244', 'the customer withdrew', { by: 'ann' })
  await ended('10244')
  await client.schedules.trigger('quarter-count', { by: 'bob', why: 'a first count' })
  await client.limits.set('payments', { atOnce: 2, perSecond: 20 }, { by: 'ann', why: 'the service is slow' })
  await client.pause({ agent: 'printer' }, 'no paper', { by: 'bob' })
  await client.pause({ workflow: 'returns' }, 'the rules are being changed', { by: 'ann' })
  await client.pause('count-back', 'the door is locked', { by: 'bob' })
  await client
    .restart('10243', { from: 'reserve', by: 'bob', why: 'shelves filled', after: 'undo' })
    .catch(() => null)
}

/** Says who looks after the orders that failed. A resubmission before would have ended this. */
export async function sayWhoLooksAfter({ client }: Host): Promise<void> {
  const note = 'kettles were ordered, and arrive on Friday'
  for (const jobId of ['10240', '10241']) await client.triage(jobId, { assignee: 'ann', note, by: 'bob' })
  await client.triage('10242', { snooze: '2d', note: 'the customer is away', by: 'ann' })
}
