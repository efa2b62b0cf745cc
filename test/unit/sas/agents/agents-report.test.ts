import { describe, expect, it } from 'vitest'
import { agentsReport, readAgentsReport } from '../../../../src/sas/agents/agents-report.js'

const usage = { slots: 8, busy: 3, limited: [] }
const position = { begunUntilMs: 5_000, lines: new Map([['bank', 4_000]]) }

describe('the report of an agents instance', () => {
  it('names the agents whose circuit is open, and is read back', () => {
    const circuits = new Map([
      ['bank', { isOpen: true }],
      ['shop', { isOpen: false }],
    ])
    const limited = [{ agent: 'bank', slots: 2, busy: 1 }]
    const own = { agent: 'stepward', slots: 4, busy: 0 }
    expect(
      readAgentsReport(agentsReport({ ...usage, limited: [own, ...limited] }, circuits, position)),
    ).toEqual({
      slots: 8,
      busy: 3,
      openCircuits: ['bank'],
      limited,
      position,
    })
    const nothing = { begunUntilMs: 5_000, lines: new Map() }
    expect(agentsReport(usage, new Map(), nothing)).toEqual({ slots: 8, busy: 3, begunUntilMs: 5_000 })
  })

  it('stays small if many circuits are open, because every renewal writes it', () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `agent-${index}`)
    const limited = names.map((agent) => ({ agent, slots: 2, busy: 1 }))
    const circuits = new Map(names.map((name) => [name, { isOpen: true }]))
    const lines = new Map(names.map((name, index) => [name, 10_000 - index]))
    const report = agentsReport({ ...usage, limited }, circuits, { begunUntilMs: 20_000, lines })
    // The oldest line has no room, so it counts as if it waited in front of all steps.
    expect(readAgentsReport(report)?.position?.begunUntilMs).toBe(9_001)
    expect(readAgentsReport(report)?.position?.lines.size).toBeGreaterThan(10)
    expect(readAgentsReport(report)?.openCircuits.length).toBeGreaterThan(10)
    expect(readAgentsReport(report)?.limited.length).toBeGreaterThan(5)
    expect(JSON.stringify(report).length).toBeLessThan(1_900)
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
      position: null,
    })
    expect(readAgentsReport({ slots: 8, busy: 3, begunUntilMs: 'today' })?.position).toBeNull()
    expect(
      readAgentsReport({ slots: 8, busy: 3, begunUntilMs: 5, lines: { a: 4, b: '3' } })?.position,
    ).toEqual({ begunUntilMs: 5, lines: new Map([['a', 4]]) })
    expect(readAgentsReport({ slots: 8, busy: 3, openCircuits: [1, 'bank'] })?.openCircuits).toEqual(['bank'])
  })

  it('leaves out a name that is too long, and keeps those after it', () => {
    const circuits = new Map([
      ['x'.repeat(600), { isOpen: true }],
      ['bank', { isOpen: true }],
    ])
    expect(readAgentsReport(agentsReport(usage, circuits, position))?.openCircuits).toEqual(['bank'])
  })
})
