import { expect, it } from 'vitest'
import { circuitFindings } from '../../../src/operations/lacking/open-circuits.js'
import { aLease } from '../../support/a-lease.js'

const storeTimeMs = Date.parse('2026-01-01T12:00:00Z')
const report = { slots: 8, busy: 0, openCircuits: ['bank'] }

function leasesOf(...parts: Parameters<typeof aLease>[0][]) {
  const leases = parts.map((part, index) => {
    return aLease({ leaseToken: String(index), storedAtMs: storeTimeMs, ...part })
  })
  const unit = { processorName: 'stepward-agents', refused: [], isJavas: false, leases }
  return { units: [unit] as never, storeTimeMs }
}

it('an agent whose circuit is open is one finding, with the instances that do not call it', () => {
  const found = circuitFindings(
    leasesOf({ owner: 'two', report }, { owner: 'one', report }, { owner: 'one', report }),
    60_000,
  )
  expect(found).toMatchObject([
    { rule: 'openCircuit', severity: 'hint', processorName: 'stepward-agents', agent: 'bank' },
  ])
  expect(found[0]?.advice).toContain('"stepward list --agent bank --waiting-for retry"')
  expect(found[0]?.observation).toBe(
    'the remote service of agent "bank" keeps failing, so 2 instances do not call it for a while: one, two',
  )
})

it.each([
  ['has no owner', { owner: null, report }],
  ['has expired', { owner: 'one', report, storedAtMs: storeTimeMs - 61_000 }],
  ['has no report', { owner: 'one', report: null }],
  ['says that no circuit is open', { owner: 'one', report: { slots: 8, busy: 0 } }],
])('a lease that %s gives no finding about circuits', (_, lease) => {
  expect(circuitFindings(leasesOf(lease), 60_000)).toEqual([])
})
