import { describe, expect, it } from 'vitest'
import { AwakeTime } from '../../../src/platform/awake-time.js'

/** A machine whose precise clock stops while it sleeps. Its other clock shows whole seconds. */
function aMachine() {
  const times = { preciseMs: 400, sinceStartMs: 1_000_900, wallMs: 5_000_000 }
  const time = new AwakeTime({
    precise: () => times.preciseMs,
    sinceStart: () => Math.floor(times.sinceStartMs / 1_000) * 1_000,
    wall: () => times.wallMs,
  })
  const pass = (ms: number): number => {
    times.preciseMs += ms
    times.sinceStartMs += ms
    times.wallMs += ms
    return time.now()
  }
  const sleep = (ms: number): void => {
    times.sinceStartMs += ms
    times.wallMs += ms
  }
  const setWallClock = (byMs: number): void => void (times.wallMs += byMs)
  return { time, pass, sleep, setWallClock }
}

describe('a monotonic clock that continues while the machine sleeps', () => {
  it('equals the precise clock while the machine is awake', () => {
    const { time, pass } = aMachine()
    const start = time.now()
    for (let turn = 1; turn <= 50; turn += 1) expect(pass(333) - start).toBe(turn * 333)
  })

  it('counts every sleep, with a precision of one second', () => {
    const { time, pass, sleep } = aMachine()
    const start = time.now()
    for (let sleeps = 1; sleeps <= 3; sleeps += 1) {
      sleep(3_600_000)
      expect(Math.abs(pass(200) - start - sleeps * 3_600_200)).toBeLessThanOrEqual(1_000)
    }
  })

  it('counts a sleep as soon as the machine wakes', () => {
    const { time, sleep } = aMachine()
    const before = time.now()
    sleep(60_000)
    expect(time.now() - before).toBeGreaterThanOrEqual(59_000)
  })

  it('does not follow a change of the wall clock', () => {
    const { time, pass, setWallClock } = aMachine()
    const before = time.now()
    setWallClock(3_600_000)
    expect(pass(10) - before).toBe(10)
    setWallClock(-7_200_000)
    expect(pass(10) - before).toBe(20)
  })

  it('never goes back', () => {
    const { time, pass, sleep } = aMachine()
    let last = time.now()
    for (const ms of [10, 2_500, 0, 90, 110, 1_000, 40]) {
      if (ms > 1_000) sleep(ms)
      const now = pass(ms % 200)
      expect(now).toBeGreaterThanOrEqual(last)
      last = now
    }
  })
})
