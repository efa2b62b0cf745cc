import { describe, expect, it } from 'vitest'
import type { ProcessorHealth } from '../../../src/change-feed-processor/index.js'
import { Health, type WatchedUnit } from '../../../src/host/health.js'

const steady = { blockedMs: null }

describe('the health of a host', () => {
  it('is ready from start to stop', () => {
    const health = new Health(steady)
    expect(health.ready().problems).toEqual(['starting'])
    health.waits('no answer')
    expect(health.ready()).toEqual({ isHealthy: false, problems: ['no answer'] })
    health.started()
    expect(health.ready()).toEqual({ isHealthy: true, problems: [] })
    health.stopping()
    expect(health.ready().problems).toEqual(['stopping'])
    expect(health.live().isHealthy).toBe(true)
  })

  it('is not ready, but live, while the store or a unit is unhealthy', () => {
    const health = new Health(steady)
    const reasons: Record<string, string | null> = { store: null, agents: null }
    health.watch({ unhealthyReason: () => reasons['store'] ?? null })
    health.watchUnit(
      'agents',
      unit({}, () => reasons['agents'] ?? null),
    )
    health.started()
    expect(health.ready().isHealthy).toBe(true)
    reasons['store'] = 'the store does not answer'
    reasons['agents'] = 'the disk is full'
    expect(health.ready().problems).toEqual([
      'the store does not answer',
      'role agents takes no work here: the disk is full',
    ])
    expect(health.live().isHealthy).toBe(true)
  })

  it('is not live while the processor of a started role is not alive', () => {
    const health = new Health(steady)
    let agents: Partial<ProcessorHealth> = { isAlive: false }
    health.watchUnit('agents', { health: () => unit(agents).health(), unhealthyReason: () => null })
    health.watchUnit('scheduler', unit({ isAlive: true }))
    expect(health.live().isHealthy).toBe(true)
    health.started()
    expect(health.live().problems).toEqual([
      'role agents has not looked at its leases since 2026-01-01T00:00:00.000Z',
    ])
    expect(health.ready().problems).toEqual(health.live().problems)
    agents = { isAlive: false, lastTurn: null }
    expect(health.live().problems).toEqual(['role agents has not looked at its leases since it started'])
    agents = { isAlive: true, isHealthy: false }
    expect(health.live().isHealthy).toBe(true)
  })

  it('is not live while the event loop is blocked', () => {
    const health = new Health({ blockedMs: 15_000.4 })
    expect(health.live().problems).toEqual(['the event loop was blocked for 15000 ms'])
  })
})

function unit(
  state: Partial<ProcessorHealth>,
  unhealthyReason: () => string | null = () => null,
): WatchedUnit {
  const lastTurn = new Date('2026-01-01T00:00:00.000Z')
  const idle = { lastProgress: null, lastBalance: null, leases: [] }
  const health = { isRunning: true, isAlive: true, isHealthy: true, lastTurn, ...idle, ...state }
  return { health: () => health, unhealthyReason }
}
