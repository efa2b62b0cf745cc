import { describe, expect, it } from 'vitest'
import { agentsReport, readAgentsReport } from '../../../../src/sas/agents/agents-report.js'

describe('the report of an agents instance', () => {
  it('names the agents whose circuit is open, and is read back', () => {
    const circuits = new Map([
      ['bank', { isOpen: true }],
      ['shop', { isOpen: false }],
    ])
    expect(readAgentsReport(agentsReport(8, 3, circuits))).toEqual({
      slots: 8,
      busy: 3,
      openCircuits: ['bank'],
    })
    expect(agentsReport(8, 3, new Map())).toEqual({ slots: 8, busy: 3 })
  })

  it('stays small if many circuits are open, because every renewal writes it', () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `agent-${index}`)
    const report = agentsReport(8, 3, new Map(names.map((name) => [name, { isOpen: true }])))
    expect(readAgentsReport(report)?.openCircuits.length).toBeGreaterThan(10)
    expect(JSON.stringify(report).length).toBeLessThan(1_000)
  })

  it.each([
    [null],
    [{}],
    [{ slots: 8 }],
    [{ slots: 8, busy: '3' }],
    [{ slots: 8, busy: 3, openCircuits: [1] }],
  ])('is unknown if a lease contains %o', (report) => {
    expect(readAgentsReport(report)).toBeNull()
  })
})
