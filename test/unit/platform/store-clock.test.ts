import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { VirtualClock, type Clock } from '../../../src/platform/index.js'
import { StoreClock } from '../../../src/platform/internal.js'

const startMs = Date.UTC(2026, 0, 1)

/** A machine whose wall clock may be set and which may sleep, and a store whose time is right. */
class Machine {
  trueMs = startMs
  monotonicMs = 5_000
  wallOffMs = 0
  readonly learned: number[] = []
  readonly clock = new StoreClock(this.own(), (correctionMs) => this.learned.push(correctionMs))

  own(): Clock {
    const virtual = new VirtualClock()
    return {
      now: () => Math.floor(this.trueMs + this.wallOffMs),
      monotonic: () => this.monotonicMs,
      sleep: (ms, signal) => virtual.sleep(ms, signal),
      schedule: (ms, action) => virtual.schedule(ms, action),
    }
  }

  pass(ms: number): this {
    this.trueMs += ms
    this.monotonicMs += ms
    return this
  }

  /** Time passes while the monotonic clock stands still. */
  sleep(ms: number): this {
    this.trueMs += ms
    return this
  }

  /** A request that takes `thereMs` to the store, and whose answer takes `backMs`. */
  ask(thereMs = 5, backMs = 5, storeOffMs = 0): this {
    const answered = this.clock.sent()
    this.pass(thereMs)
    const dateMs = Math.floor((this.trueMs + storeOffMs) / 1_000) * 1_000
    this.pass(backMs)
    answered(dateMs)
    return this
  }

  get errorMs(): number {
    return this.clock.now() - this.trueMs
  }
}

let machine: Machine
beforeEach(() => {
  machine = new Machine()
})

describe('a clock that follows the store', () => {
  it('follows the machine’s clock until an answer tells the time', () => {
    machine.wallOffMs = 300_000
    expect(machine.errorMs).toBe(300_000)
    machine.clock.sent()(null)
    machine.wallOffMs = 7_000
    expect(machine.errorMs).toBe(7_000)
  })

  it('is not moved by answers that agree with the machine', () => {
    for (let asked = 0; asked < 20; asked += 1) machine.pass(137).ask()
    expect(machine.errorMs).toBe(0)
    expect(machine.clock.isSettled).toBe(true)
  })

  it('is not moved by answers that come 8 s late while the clocks agree', () => {
    machine.ask(8_000, 0)
    expect(machine.errorMs).toBe(0)
    expect(machine.clock.isSettled).toBe(false)
    machine.ask(0, 8_000)
    expect(machine.errorMs).toBe(0)
    machine.ask()
    expect([machine.errorMs, machine.clock.isSettled]).toEqual([0, true])
  })

  it.each([-300_000, 300_000, 4_000])('follows the store when the machine is %d ms off', (offMs) => {
    machine.wallOffMs = offMs
    machine.ask().ask()
    expect(Math.abs(machine.errorMs)).toBeLessThan(1_600)
    expect(machine.clock.correctionMs).toBeCloseTo(-offMs, -4)
    for (let asked = 0; asked < 30; asked += 1) machine.pass(1_037).ask()
    expect(Math.abs(machine.errorMs)).toBeLessThan(600)
  })

  it('stays right when the machine’s clock is corrected', () => {
    machine.wallOffMs = -300_000
    machine.ask().ask()
    const before = machine.errorMs
    machine.wallOffMs = 0
    expect(machine.errorMs).toBe(before)
    machine.pass(60_000).ask()
    expect(Math.abs(machine.errorMs)).toBeLessThan(1_600)
    expect(Math.abs(machine.clock.correctionMs)).toBeLessThan(1_600)
  })

  it('stays right when the machine’s clock is set wrong, even before the next answer', () => {
    machine.ask()
    machine.wallOffMs = 3_600_000
    expect(machine.errorMs).toBe(0)
    machine.pass(10_000).ask().ask()
    expect(machine.errorMs).toBe(0)
    expect(machine.learned.at(-1)).toBe(-3_600_000)
  })

  it('learns from one answer that the monotonic clock stood still while the wall clock went on', () => {
    machine.ask().sleep(3_600_000)
    expect(machine.errorMs).toBe(-3_600_000)
    machine.ask()
    expect(Math.abs(machine.errorMs)).toBeLessThan(1_600)
  })

  it('does not believe a single answer with a wrong date, but believes two that agree', () => {
    machine.ask().pass(1_000).ask(5, 5, -86_400_000)
    expect(machine.errorMs).toBe(0)
    machine.ask().ask(5, 5, 600_000).ask()
    expect(machine.errorMs).toBe(0)
    machine.ask(5, 5, 90_000).ask(5, 5, 90_000)
    expect(Math.abs(machine.errorMs - 90_000)).toBeLessThan(1_600)
  })

  it('ignores the answer to a request during which the machine slept', () => {
    const answered = machine.clock.sent()
    machine.sleep(60_000).pass(10)
    answered(startMs + 60_000)
    expect(machine.clock.isSettled).toBe(false)
    expect(machine.learned).toEqual([])
  })

  it('is less than 2.51 s off after two prompt answers, however slow the answers before them were', () => {
    const answer = fc.record({ gapMs: fc.nat(600_000), thereMs: fc.nat(9_000), backMs: fc.nat(9_000) })
    fc.assert(
      fc.property(
        fc.integer({ min: -1e9, max: 1e9 }),
        fc.array(answer, { minLength: 2 }),
        (offMs, answers) => {
          const any = new Machine()
          any.wallOffMs = offMs
          let worstMs = 0
          for (const { gapMs, thereMs, backMs } of answers) {
            any.pass(gapMs).ask(thereMs, backMs)
            worstMs = Math.max(worstMs, thereMs + backMs)
          }
          any.ask().ask()
          const driftMs = 1_000
          expect(Math.abs(any.errorMs)).toBeLessThan(1_000 + 500 + Math.min(worstMs, 10) + driftMs)
        },
      ),
      { numRuns: 200 },
    )
  })
})
