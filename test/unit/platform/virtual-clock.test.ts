import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../../../src/platform/index.js'

/** Sets timers with these delays on a new clock. Each records its delay and the time when it fires. */
function withTimers(...delays: readonly number[]): { clock: VirtualClock; fired: [number, number][] } {
  const clock = new VirtualClock()
  const fired: [number, number][] = []
  for (const delay of delays) clock.schedule(delay, () => fired.push([delay, clock.monotonic()]))
  return { clock, fired }
}

describe('the time of a virtual clock', () => {
  it('stands still until the clock is advanced', async () => {
    const clock = new VirtualClock(1_000)
    expect([clock.now(), clock.monotonic()]).toEqual([1_000, 0])
    await clock.advance(250)
    expect([clock.now(), clock.monotonic()]).toEqual([1_250, 250])
  })

  it('begins with the year 2026 by default', () => {
    expect(new Date(new VirtualClock().now()).toISOString()).toBe('2026-01-01T00:00:00.000Z')
  })

  it('never goes back, even if two callers advance the clock at once', async () => {
    const { clock } = withTimers(5, 50)
    await Promise.all([clock.advance(100), clock.advance(10)])
    expect(clock.monotonic()).toBe(100)
    await clock.advance(-50)
    expect(clock.monotonic()).toBe(100)
  })
})

describe('a timer of a virtual clock', () => {
  it('fires at its own time, in the order of times', async () => {
    const { clock, fired } = withTimers(30, 10, 20)
    await clock.advance(25)
    expect(fired).toEqual([
      [10, 10],
      [20, 20],
    ])
    expect(clock.pendingTimers).toBe(1)
  })

  it('fires in the order of creation if several are due, and at once if it is overdue', async () => {
    const clock = new VirtualClock()
    const fired: string[] = []
    clock.schedule(10, () => fired.push('first'))
    clock.schedule(10, () => fired.push('second'))
    clock.schedule(-5, () => fired.push('overdue'))
    await clock.advance(10)
    expect(fired).toEqual(['overdue', 'first', 'second'])
  })

  it('that another timer sets fires within the same advance if it is due', async () => {
    const clock = new VirtualClock()
    const fired: number[] = []
    const again = (): void => {
      fired.push(clock.monotonic())
      clock.schedule(10, again)
    }
    clock.schedule(10, again)
    await clock.advance(35)
    expect(fired).toEqual([10, 20, 30])
    expect(clock.pendingTimers).toBe(1)
  })

  it('does not fire and is not pending after it was cancelled', async () => {
    const clock = new VirtualClock()
    const fired: string[] = []
    const timer = clock.schedule(10, () => fired.push('cancelled'))
    clock.schedule(10, () => fired.push('kept'))
    timer.cancel()
    timer.cancel()
    await clock.advance(20)
    expect(fired).toEqual(['kept'])
    expect(clock.pendingTimers).toBe(0)
  })

  it('fires in the order of times for any delays and any steps of time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(50), { maxLength: 12 }),
        fc.array(fc.nat(20), { maxLength: 4 }),
        async (delays, steps) => {
          const { clock, fired } = withTimers(...delays)
          for (const step of [...steps, 50]) await clock.advance(step)
          expect(fired).toEqual([...delays].sort((a, b) => a - b).map((delay) => [delay, delay]))
        },
      ),
      { numRuns: 30 },
    )
  })
})

describe('work that a timer starts', () => {
  it('ends before the next timer fires', async () => {
    const clock = new VirtualClock()
    const log: string[] = []
    const works: Promise<void>[] = []
    const work = async (): Promise<void> => {
      for (let hop = 0; hop < 5; hop += 1) await new Promise((resolve) => setImmediate(resolve))
      log.push(`work of 10 at ${clock.monotonic()}`)
    }
    clock.schedule(10, () => works.push(work()))
    clock.schedule(11, () => log.push('timer of 11'))
    await clock.advance(20)
    await Promise.all(works)
    expect(log).toEqual(['work of 10 at 10', 'timer of 11'])
  })
})

describe('the sleep of a virtual clock', () => {
  it('ends when its time has passed, or when the signal aborts', async () => {
    const clock = new VirtualClock()
    const stop = new AbortController()
    const ended: string[] = []
    const sleeps = [
      clock.sleep(100).then(() => ended.push('slept')),
      clock.sleep(1_000, stop.signal).then(() => ended.push('woken')),
    ]
    await clock.advance(100)
    expect(ended).toEqual(['slept'])
    stop.abort()
    await clock.advance(0)
    expect(ended).toEqual(['slept', 'woken'])
    await Promise.all(sleeps)
    expect(clock.pendingTimers).toBe(0)
  })
})

describe('a clock that waits for promises only', () => {
  /** Waits for many promises, one after the other. */
  async function chain(seen: string[]): Promise<void> {
    for (let depth = 0; depth < 50; depth += 1) await Promise.resolve()
    seen.push('at rest')
  }

  it('waits for all of them before the next timer', async () => {
    const clock = new VirtualClock(0, 0)
    const seen: string[] = []
    const working: Promise<void>[] = []
    clock.schedule(10, () => working.push(chain(seen)))
    clock.schedule(10, () => seen.push('next'))
    await clock.advance(20)
    expect(seen).toEqual(['at rest', 'next'])
    await Promise.all(working)
  })

  it('waits for all of them also if it is called outside of promises', async () => {
    const clock = new VirtualClock(0, 0)
    const seen: string[] = []
    clock.schedule(0, () => seen.push('timer'))
    await new Promise((resolve) => {
      setImmediate(() => resolve(Promise.all([chain(seen), clock.advance(1)])))
    })
    expect(seen).toEqual(['at rest', 'timer'])
  })

  it('gives the event loop a turn from time to time', async () => {
    const clock = new VirtualClock(0, 0)
    let turns = 0
    setImmediate(() => (turns += 1))
    for (let ms = 0; ms < 2_000; ms += 1) clock.schedule(ms, () => undefined)
    await clock.advance(2_000)
    expect(turns).toBe(1)
  })
})

describe('advanceUntil', () => {
  it('stops at the timer after which the condition holds', async () => {
    const { clock, fired } = withTimers(10, 20, 30)
    expect(await clock.advanceUntil(() => fired.length === 2, 1_000)).toBe(true)
    expect(clock.monotonic()).toBe(20)
  })

  it('does not move if the condition holds already', async () => {
    const { clock } = withTimers(10)
    expect(await clock.advanceUntil(() => clock.pendingTimers === 1, 1_000)).toBe(true)
    expect(clock.monotonic()).toBe(0)
  })

  it('returns false at the limit, or when no timer is left', async () => {
    const { clock, fired } = withTimers(10, 500)
    expect(await clock.advanceUntil(() => fired.length === 2, 100)).toBe(false)
    expect(fired).toEqual([[10, 10]])
    expect(await clock.advanceUntil(() => fired.length === 3, 1_000)).toBe(false)
    expect(fired).toHaveLength(2)
  })
})

it('a virtual clock advances for every delay above zero, so that loops of delays end', async () => {
  const clock = new VirtualClock()
  await clock.advance(60_000)
  const shorterThanTold = 1e-13
  expect(60_000 + shorterThanTold).toBe(60_000)
  clock.schedule(0, () => undefined)
  expect(await clock.advanceUntil(() => clock.pendingTimers === 0, 1)).toBe(true)
  expect(clock.monotonic()).toBe(60_000)
  clock.schedule(shorterThanTold, () => undefined)
  expect(await clock.advanceUntil(() => clock.pendingTimers === 0, 1)).toBe(true)
  expect(clock.monotonic()).toBeGreaterThan(60_000)
})
