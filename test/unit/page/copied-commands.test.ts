import { afterEach, beforeEach, expect, it } from 'vitest'

interface Decided {
  readonly problem: string
  readonly dryProblem: string
  readonly body: object
  readonly commands: readonly string[]
}

interface Parts {
  readonly decided: (present: { kind: string; filter?: object }, fields: object) => Decided
}

// The types of these modules would add those of a browser to all tests, so values name the modules.
const browser = '../../../src/page/browser'
const { decided } = (await import(`${browser}/parts/action-decision.js`)) as Parts
const { about } = (await import(`${browser}/state/about.js`)) as { readonly about: { value: object | null } }

const fields = { why: '', step: '', input: '', more: {}, answers: [] }

beforeEach(() => {
  about.value = {
    store: 'orders',
    storeArguments: ['--data', '/shop/data'],
    by: 'ada',
    byArguments: ['--by', 'ada'],
    module: null,
    roles: ['Admin'],
    may: ['scale', 'rebalance'],
    fleetOptions: ['--state', '/shop/state'],
    workflows: [],
    now: '2026-01-01T12:00:00Z',
  }
})
afterEach(() => {
  about.value = null
})

it('the command that scales names the fleet, the store of the audit, the person and the reason', () => {
  const given = { ...fields, why: 'a sale', more: { role: 'agents', count: '2' } }
  const { commands, body, problem } = decided({ kind: 'scale' }, given)
  expect(problem).toBe('')
  expect(body).toEqual({ role: 'agents', count: '2', why: 'a sale' })
  expect(commands).toEqual([
    `stepward scale --why 'a sale' --by ada --state /shop/state --data /shop/data agents 2`,
  ])
})

it.each([
  ['scale', { role: 'agents', count: '2' }],
  ['rebalance', {}],
] as const)('%s needs a reason, but not for a dry run', (kind, more) => {
  const { problem, dryProblem } = decided({ kind }, { ...fields, more })
  expect([problem, dryProblem]).toEqual(['Give the reason.', ''])
})

it('the command of an action on a group is one line with its cause', () => {
  const filter = { workflow: 'buying', step: 'pay', cause: '0123456789ab', notSnoozed: 'true' }
  const { commands, body } = decided({ kind: 'release', filter }, fields)
  expect(body).toEqual({})
  expect(commands).toEqual([
    'stepward release --workflow buying --step pay --cause 0123456789ab --not-snoozed --by ada --data /shop/data',
  ])
})
