import { describe, expect, it } from 'vitest'
import { agentsReport, readAgentsReport } from '../../../../src/sas/agents/agents-report.js'

const usage = { slots: 8, busy: 3, limited: [] }

describe('the report of an agents instance', () => {
  it('names the agents whose circuit is open, and is read back', () => {
    const circuits = new Map([
      ['bank', { isOpen: true }],
      ['shop', { isOpen: false }],
    ])
    const limited = [{ agent: 'bank', slots: 2, busy: 1 }]
    const own = { agent: 'stepward', slots: 4, busy: 0 }
    expect(readAgentsReport(agentsReport({ ...usage, limited: [own, ...limited] }, circuits))).toEqual({
      slots: 8,
      busy: 3,
      openCircuits: ['bank'],
      limited,
      waitingSinceMs: null,
    })
    expect(readAgentsReport(agentsReport(usage, circuits, 5_000))?.waitingSinceMs).toBe(5_000)
    expect(agentsReport(usage, new Map())).toEqual({ slots: 8, busy: 3 })
  })

  it('stays small if many circuits are open, because every renewal writes it', () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `agent-${index}`)
    const limited = names.map((agent) => ({ agent, slots: 2, busy: 1 }))
    const circuits = new Map(names.map((name) => [name, { isOpen: true }]))
    const report = agentsReport({ ...usage, limited }, circuits)
    expect(readAgentsReport(report)?.openCircuits.length).toBeGreaterThan(10)
    expect(readAgentsReport(report)?.limited.length).toBeGreaterThan(5)
    expect(JSON.stringify(report).length).toBeLessThan(1_200)
  })

  it.each([[null], [{}], [{ slots: 8 }], [{ slots: 8, busy: '3' }]])(
    'is unknown if a lease contains %o',
    (report) => {
      expect(readAgentsReport(report)).toBeNull()
    },
  )

  it('is read without the parts that another host wrote in another form', () => {
    const limited = [{ agent: 'bank', slots: 2 }, null, { agent: 'shop', slots: 2, busy: 1, since: 'today' }]
    expect(readAgentsReport({ slots: 8, busy: 3, openCircuits: null, limited })).toEqual({
      slots: 8,
      busy: 3,
      openCircuits: [],
      limited: [{ agent: 'shop', slots: 2, busy: 1 }],
      waitingSinceMs: null,
    })
    expect(readAgentsReport({ slots: 8, busy: 3, waitingSinceMs: 'today' })?.waitingSinceMs).toBeNull()
    expect(readAgentsReport({ slots: 8, busy: 3, openCircuits: [1, 'bank'] })?.openCircuits).toEqual(['bank'])
  })

  it('leaves out a name that is too long, and keeps those after it', () => {
    const circuits = new Map([
      ['x'.repeat(600), { isOpen: true }],
      ['bank', { isOpen: true }],
    ])
    expect(readAgentsReport(agentsReport(usage, circuits))?.openCircuits).toEqual(['bank'])
  })
})
