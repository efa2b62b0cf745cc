import { describe } from 'vitest'
import { recipesPage } from './doc-page.js'
import { testExamples, type Run } from './workflow-examples.js'

const order = {
  orderId: 'order-1',
  tenant: 'acme',
  total: 20,
  items: [
    { sku: 'a', quantity: 1 },
    { sku: 'b', quantity: 2 },
  ],
}

const tracked = ['track', { orderId: 'order-1' }] as const
const charged = ['charge', { amount: 20 }] as const
const tells = (text: string) => ['send', { text }] as const

/** The runs of each exported workflow. */
const runs: Readonly<Record<string, readonly Run[]>> = {
  saga: [
    { calls: [['reserve', { orderId: 'order-1' }], charged] },
    {
      failing: ['charge'],
      end: 'Compensated',
      calls: [['reserve', {}], charged, ['release', { hold: 'h1' }]],
    },
  ],
  fallback: [{ calls: [charged] }, { failing: ['charge'], calls: [charged, ['invoice', { amount: 20 }]] }],
  approval: [
    { answers: [{ step: 'approve', data: true }], calls: [charged] },
    { answers: [{ step: 'approve', data: false }], calls: [] },
    { calls: [tells('The order was not approved in time.')] },
  ],
  vetoed: [
    { answers: [{ step: 'approve', data: true }], calls: [['reserve', {}], charged] },
    {
      answers: [{ step: 'approve', data: false }],
      failing: ['decline'],
      end: 'Compensated',
      calls: [
        ['reserve', {}],
        ['decline', {}],
        ['release', { hold: 'h1' }],
      ],
    },
    {
      end: 'Compensated',
      calls: [
        ['reserve', {}],
        ['release', { hold: 'h1' }],
      ],
    },
  ],
  callback: [
    { events: [{ step: 'paid', payload: { receipt: 'r9' } }], calls: [tells('Paid.')] },
    { calls: [tells('Not paid.')] },
  ],
  checks: [
    {
      events: [true, false, true].map((passed) => ({ step: 'checked', payload: { passed } })),
      calls: [tells('Checked.')],
    },
  ],
  polling: [{ homeAfter: 3, calls: [tracked, tracked, tracked, tells('It is there.')] }],
  research: [{ calls: [['work', { goal: 'order-1' }]] }],
  limited: [{ calls: [charged] }],
  oneJobAtATime: [{ calls: [charged] }],
  oneAtATime: [{ calls: [charged] }],
  report: [{ input: { day: '2026-11-24' }, calls: [tells('2026-11-24')] }],
  everyItem: [
    {
      calls: [
        ['pack', { sku: 'a', quantity: 1 }],
        ['pack', { sku: 'b', quantity: 2 }],
      ],
    },
    {
      failing: ['pack'],
      calls: [
        ['pack', {}],
        ['pack', {}],
      ],
    },
  ],
  checkout: [{ calls: [charged] }],
  tagged: [{ calls: [charged] }],
}

describe(recipesPage, () => {
  testExamples(recipesPage, order, runs)
})
