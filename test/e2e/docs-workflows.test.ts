import { describe, expect, it } from 'vitest'
import { pageText, workflowsPage } from './doc-page.js'
import { testExamples, type Run } from './workflow-examples.js'

const purchase = {
  orderId: 'order-1',
  customer: { name: 'Ada', email: 'ada@example.com' },
  total: 1_200,
  country: 'PT',
  isGift: false,
  items: [
    { sku: 'a', quantity: 1 },
    { sku: 'b', quantity: 2 },
  ],
}

const [approve, day] = [{ step: 'approve', payload: { by: 'ann' } }, 24 * 3_600_000]
const reminder = ['send', { to: 'clerk@example.com', text: 'Please approve order order-1.' }] as const
const escalation = ['send', { to: 'head@example.com' }] as const

const tracked = ['track', { orderId: 'order-1' }] as const

const offer = (by: string) => ({ step: 'offers', payload: { by } })

/** The runs of each exported workflow. */
const runs: Readonly<Record<string, readonly Run[]>> = {
  inOrder: [
    {
      calls: [
        ['reserve', { orderId: 'order-1' }],
        ['charge', { amount: 1_200, hold: 'h1' }],
        ['wrap', { hold: 'h1' }],
        ['ship', { receipt: 'r1' }],
      ],
    },
  ],
  letter: [
    {
      calls: [
        ['reserve', {}],
        ['send', { to: 'ada@example.com', text: 'Dear Ada, 2 items are reserved (h1).' }],
      ],
    },
  ],
  conditions: [
    {
      calls: [
        ['reserve', {}],
        ['invoice', { amount: 1_200 }],
      ],
    },
    {
      input: { ...purchase, total: 20, isGift: true },
      calls: [
        ['reserve', {}],
        ['wrap', {}],
        ['charge', { amount: 20, hold: 'h1' }],
      ],
    },
  ],
  offers: [
    { events: [offer('a'), offer('b'), offer('c')], calls: [['charge', { amount: 1_200 }]] },
    { events: [offer('a'), offer('b')], calls: [['charge', {}]] },
    { events: [offer('a')], calls: [] },
  ],
  undoable: [
    {
      failing: ['ship'],
      end: 'Compensated',
      calls: [
        ['reserve', {}],
        ['charge', {}],
        ['ship', { receipt: 'r1' }],
        ['refund', { receipt: 'r1' }],
        ['release', { hold: 'h1' }],
      ],
    },
  ],
  withSecrets: [
    {
      calls: [
        ['charge', { amount: 1_200 }],
        ['ship', { receipt: 'r1' }],
      ],
    },
  ],
  fallback: [
    {
      calls: [
        ['charge', {}],
        ['ship', { receipt: 'r1' }],
        ['send', { text: 'The card payment is done, the parcel is t1.' }],
      ],
    },
    {
      failing: ['charge', 'send'],
      calls: [
        ['charge', {}],
        ['invoice', { amount: 1_200 }],
        ['ship', { receipt: 'r2' }],
        ['send', { text: 'The card payment is refused, the parcel is t1.' }],
      ],
    },
    {
      failing: ['charge', 'invoice'],
      end: 'Error',
      calls: [
        ['charge', {}],
        ['invoice', {}],
      ],
    },
  ],
  shared: [{ calls: [['charge', { amount: 1_200 }]] }],
  perPartition: [
    {
      calls: [
        ['charge', { amount: 1_200 }],
        ['ship', { receipt: 'r1' }],
      ],
    },
  ],
  perCustomer: [
    {
      calls: [
        ['charge', { amount: 1_200 }],
        ['ship', { receipt: 'r1' }],
      ],
    },
  ],
  transfer: [{ calls: [['transfer', { amount: 1_200, account: 'ada@example.com' }]] }],
  waiting: [
    {
      input: { ...purchase, shipAt: '2030-01-01T00:00:00Z' },
      events: [{ step: 'paid', payload: { receipt: 'r9' } }],
      calls: [['ship', { receipt: 'r9' }]],
    },
  ],
  approval: [
    { events: [approve], calls: [['charge', { amount: 1_200 }]] },
    { events: [{ ...approve, after: 5 * day }], calls: [reminder, ['charge', {}]] },
    { events: [{ ...approve, after: 8 * day }], calls: [reminder, escalation, ['charge', {}]] },
    {
      calls: [
        reminder,
        escalation,
        ['send', { to: 'ada@example.com', text: 'Order order-1 was not approved.' }],
      ],
    },
  ],
  claim: [
    {
      input: { ...purchase, clerks: ['ann'] },
      answers: [
        { step: 'review', data: { approved: true, amount: 7 }, by: 'ann', after: 3 * day },
        { step: 'sure', data: true },
      ],
      calls: [['charge', { amount: 1_200 }]],
    },
    { input: { ...purchase, clerks: ['ann'] }, answers: [{ step: 'review', data: false }], calls: [] },
    {
      input: { ...purchase, clerks: ['ann'] },
      calls: [['send', { text: 'No decision about order order-1 was made in time.' }]],
    },
  ],
  parcel: [
    {
      homeAfter: 3,
      calls: [tracked, tracked, tracked, ['send', { text: 'It is there.' }]],
    },
    { calls: [...Array.from({ length: 40 }, () => tracked), ['send', { to: 'lost@example.com' }]] },
  ],
  packing: [{ input: { sku: 'a', quantity: 1 }, calls: [['pack', { sku: 'a', quantity: 1 }]] }],
  largeList: [
    {
      calls: [
        ['pack', { sku: 'a', quantity: 1 }],
        ['pack', { sku: 'b', quantity: 2 }],
        ['send', { to: 'ada@example.com', text: '2 packed, 0 not.' }],
      ],
    },
  ],
  list: [
    {
      calls: [
        ['pack', { sku: 'a', quantity: 1 }],
        ['pack', { sku: 'b', quantity: 2 }],
        ['charge', {}],
        ['ship', { receipt: 'r1', parcels: [{ parcel: 'p1' }, { parcel: 'p1' }] }],
      ],
    },
    {
      failing: ['pack'],
      calls: [
        ['pack', {}],
        ['pack', {}],
        ['charge', {}],
        ['ship', { receipt: 'r1', parcels: [null, null] }],
      ],
    },
  ],
  payment: [{ input: { amount: 7 }, calls: [['charge', { amount: 7 }]] }],
  nested: [
    {
      calls: [
        ['charge', { amount: 1_200 }],
        ['ship', { receipt: 'r1' }],
      ],
    },
  ],
  withResult: [{ calls: [['charge', { amount: 1_200 }]] }],
  withDefaults: [{ calls: [['charge', {}]] }],
}

describe(workflowsPage, () => {
  testExamples(workflowsPage, purchase, runs)

  it('names every function of condition', async () => {
    const { condition } = await import('../../src/index.js')
    const missing = Object.keys(condition).filter((name) => !pageText(workflowsPage).includes(`${name}(`))
    expect(missing).toEqual([])
  })
})
