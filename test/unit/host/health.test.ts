import { describe, expect, it } from 'vitest'
import type { ProcessorHealth } from '../../../src/change-feed-processor/index.js'
import { Health } from '../../../src/host/health.js'
import { VirtualClock, type Clock } from '../../../src/platform/index.js'

function world() {
  const clock = new VirtualClock()
  const store: { trouble: string | null } = { trouble: null }
  return {
    clock,
    store,
    health: new Health(clock, () => (store.trouble === null ? [] : [store.trouble])),
  }
}

describe('health', () => {
  it('is ready when started, until it stops', () => {
    const { health } = world()
    health.waits('no answer')
    expect(health.ready()).toEqual({ isWell: false, problems: ['no answer'] })
    health.started()
    expect(health.ready().isWell).toBe(true)
    health.stopping()
    expect(health.ready().problems).toEqual(['stopping'])
    expect(health.live().isWell).toBe(true)
  })

  it('a store in trouble makes it not ready, and no less alive', () => {
    const { health, store } = world()
    health.started()
    store.trouble = 'the store does not answer'
    expect(health.ready().isWell).toBe(false)
    expect(health.live().isWell).toBe(true)
  })

  it('is not alive while the processor of a role is not, once it has started', () => {
    const { health } = world()
    let agents = processorHealth({ isAlive: false })
    health.watchRole('agents', () => agents)
    health.watchRole('scheduler', () => processorHealth({ isAlive: true }))
    expect(health.live().isWell).toBe(true)
    health.started()
    expect(health.live().problems).toEqual([
      'role agents has not looked at its leases since 2026-01-01T00:00:00.000Z',
    ])
    agents = processorHealth({ isAlive: false, lastTurn: null })
    expect(health.live().problems).toEqual(['role agents has not looked at its leases since it started'])
    agents = processorHealth({ isAlive: true, isHealthy: false })
    expect(health.live().isWell).toBe(true)
  })

  it('an event loop that was blocked for long is not alive', async () => {
    const { clock } = world()
    const watching = new AbortController()
    // Every timer fires a quarter of a minute late, as when something else keeps the process busy.
    const late = { ...clockOf(clock), sleep: (ms: number) => clock.sleep(ms + 15_000) }
    const health = new Health(late, () => [])
    const watch = health.watch(watching.signal)
    await clock.advance(16_000)
    expect(health.live().problems).toEqual(['the event loop was blocked for 15000 ms'])
    expect(health.stalled()).toBe('the event loop was blocked 0 ms ago')
    watching.abort()
    await clock.advance(16_000)
    await watch
    await clock.advance(59_999)
    expect(health.stalled()).toBe('the event loop was blocked 59999 ms ago')
    await clock.advance(1)
    expect(health.stalled()).toBeNull()
  })
})

function processorHealth(state: Partial<ProcessorHealth>): ProcessorHealth {
  const lastTurn = new Date('2026-01-01T00:00:00.000Z')
  const idle = { lastProgress: null, lastBalance: null, leases: [] }
  return { isRunning: true, isAlive: true, isHealthy: true, lastTurn, ...idle, ...state }
}

function clockOf(clock: VirtualClock): Clock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
    schedule: (ms, action) => clock.schedule(ms, action),
  }
}
