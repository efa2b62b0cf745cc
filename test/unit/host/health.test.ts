import { describe, expect, it } from 'vitest'
import { Health } from '../../../src/host/health.js'
import { VirtualClock, type Clock } from '../../../src/platform/index.js'

function world() {
  const clock = new VirtualClock()
  const store: { trouble: string | null } = { trouble: null }
  return {
    clock,
    store,
    health: new Health(clock, 1_000, () => (store.trouble === null ? [] : [store.trouble])),
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

  it('a loop that makes no cycles any more is not alive', async () => {
    const { clock, health } = world()
    health.started()
    health.beat('agents')
    await clock.advance(4_000)
    expect(health.live().isWell).toBe(true)
    await clock.advance(1)
    expect(health.live().problems).toEqual(['the agents has not looked at its leases for 4001 ms'])
    health.beat('agents')
    expect(health.live().isWell).toBe(true)
  })

  it('an event loop that was blocked for long is not alive', async () => {
    const { clock } = world()
    const watching = new AbortController()
    // Every timer fires a quarter of a minute late, as when something else keeps the process busy.
    const late = { ...clockOf(clock), sleep: (ms: number) => clock.sleep(ms + 15_000) }
    const health = new Health(late, 1_000, () => [])
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

function clockOf(clock: VirtualClock): Clock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
    schedule: (ms, action) => clock.schedule(ms, action),
  }
}
