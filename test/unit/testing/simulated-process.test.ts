import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../../../src/platform/index.js'
import type { Wiring } from '../../../src/testing/network.js'
import { SimulatedProcess } from '../../../src/testing/simulated-process.js'
import { World } from '../../../src/testing/world.js'

const startMs = Date.UTC(2026, 0, 1)
const wiring: Wiring = {
  party: 'test',
  writePointOf: () => null,
  lost: (_method, cause) => Promise.reject(cause),
  stale: (_request, answer) => answer,
}
const computer = { name: 'host', skewMs: 0, driftPpm: 0 }

function started() {
  const time = new VirtualClock(startMs, 0)
  return { time, process: new SimulatedProcess('host#1', computer, time) }
}

describe('a machine that sleeps', () => {
  it('fires timers later by the duration of its sleep, which its clocks show', async () => {
    const { time, process } = started()
    const firedAtMs: number[] = []
    process.clock.schedule(20_000, () => firedAtMs.push(time.monotonic()))
    await time.advance(5_000)
    process.sleepMachine(60_000)
    await time.advance(60_000)
    expect(process.clock.monotonic()).toBe(65_000)
    expect(process.clock.now()).toBe(startMs + 65_000)
    await time.advance(14_999)
    expect(firedAtMs).toEqual([])
    await time.advance(1)
    expect(firedAtMs).toEqual([80_000])
  })
})

describe('an event loop that is blocked', () => {
  it('fires overdue timers and then sends requests when it continues', async () => {
    const world = new World({ seed: 1 })
    const process = world.process(computer)
    const happened: string[] = []
    const store = { ask: () => Promise.resolve(happened.push(`asked at ${world.time.monotonic()}`)) }
    const port = world.network.connect(store, process, wiring)
    process.clock.schedule(1_000, () => happened.push(`timer at ${world.time.monotonic()}`))
    process.stall(30_000)
    const asked = port.ask()
    await world.time.advance(30_000)
    await asked
    expect(happened).toEqual(['timer at 30000', 'asked at 30000'])
  })
})

describe('a host with the store’s time', () => {
  it('is right after two consistent answers, even if its own clock is wrong', async () => {
    const world = new World({ seed: 1 })
    const process = world.process({ ...computer, skewMs: 90_000, isToldTime: true })
    expect([process.knowsTime, process.clock.now() - world.time.now()]).toEqual([false, 90_000])
    const port = world.network.connect({ ask: () => Promise.resolve() }, process, wiring)
    await port.ask()
    await port.ask()
    expect(process.knowsTime).toBe(true)
    expect(Math.abs(process.clock.now() - world.time.now())).toBeLessThan(2_000)
  })
})
