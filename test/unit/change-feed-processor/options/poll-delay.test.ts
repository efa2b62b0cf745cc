import { describe, expect, it } from 'vitest'
import { PollDelay, pollDelayMs } from '../../../../src/change-feed-processor/options/poll-delay.js'
import { VirtualClock } from '../../../../src/platform/index.js'

const interval = { minMs: 100, maxMs: 5_000 }
const { signal } = new AbortController()

function resting(delay: PollDelay, until = signal): { isOver: boolean } {
  const state = { isOver: false }
  delay.rest(until).then(
    () => (state.isOver = true),
    () => undefined,
  )
  return state
}

describe('the delay between polls', () => {
  it('doubles while no change arrives, within its limits', () => {
    expect([1, 2, 3, 6, 7, 100].map((polls) => pollDelayMs(polls, interval))).toEqual([
      100, 200, 400, 3_200, 5_000, 5_000,
    ])
    expect(pollDelayMs(9, { minMs: 5, maxMs: 5 })).toBe(5)
  })

  it('is short again after activity', async () => {
    const clock = new VirtualClock()
    const delay = new PollDelay(clock, interval)
    for (const ms of [100, 200]) {
      delay.beginPoll()
      const rest = resting(delay)
      await clock.advance(ms - 1)
      expect(rest.isOver).toBe(false)
      await clock.advance(1)
      expect(rest.isOver).toBe(true)
    }
    delay.reset()
    const rest = resting(delay)
    await clock.advance(100)
    expect(rest.isOver).toBe(true)
  })

  it('ends when a hint arrives, and the next delay is short', async () => {
    const clock = new VirtualClock()
    const delay = new PollDelay(clock, { minMs: 1_000, maxMs: 9_000 })
    const rest = resting(delay)
    delay.wake()
    await clock.advance(0)
    expect([rest.isOver, clock.pendingTimers]).toEqual([true, 0])
    delay.beginPoll()
    const next = resting(delay)
    await clock.advance(1_000)
    expect(next.isOver).toBe(true)
  })

  it('is skipped when a hint arrives during the poll', async () => {
    const clock = new VirtualClock()
    const delay = new PollDelay(clock, interval)
    delay.beginPoll()
    delay.wake()
    const rest = resting(delay)
    await clock.advance(0)
    expect(rest.isOver).toBe(true)
  })

  it('is not skipped for a hint that arrives before the poll begins', async () => {
    const clock = new VirtualClock()
    const delay = new PollDelay(clock, interval)
    delay.wake()
    delay.beginPoll()
    const rest = resting(delay)
    await clock.advance(99)
    expect(rest.isOver).toBe(false)
    await clock.advance(1)
    expect(rest.isOver).toBe(true)
  })

  it.each([
    { requested: 'before the hint', afterMs: -1, isSkipped: true },
    { requested: 'after the hint', afterMs: 1, isSkipped: false },
  ])('is skipped after a page that was requested $requested: $isSkipped', async ({ afterMs, isSkipped }) => {
    const clock = new VirtualClock()
    const delay = new PollDelay(clock, interval)
    delay.wake()
    const hintedAtMs = clock.monotonic()
    await clock.advance(10)
    delay.beginPoll()
    delay.polledAt(hintedAtMs + afterMs)
    const rest = resting(delay)
    await clock.advance(0)
    expect(rest.isOver).toBe(isSkipped)
    delay.wake()
  })

  it.each([
    { ended: 'during the pause', isOver: true },
    { ended: 'before the pause', isOver: true },
    { ended: 'before the poll', isOver: false },
  ])('that is ended $ended is over: $isOver', async ({ ended, isOver }) => {
    const clock = new VirtualClock()
    const delay = new PollDelay(clock, interval)
    if (ended === 'before the poll') delay.end()
    delay.beginPoll()
    if (ended === 'before the pause') delay.end()
    const rest = resting(delay)
    if (ended === 'during the pause') delay.end()
    await clock.advance(0)
    expect(rest.isOver).toBe(isOver)
  })

  it('lasts for a requested time, and leaves no listener behind', async () => {
    const clock = new VirtualClock()
    const delay = new PollDelay(clock, interval)
    const { signal: until } = new AbortController()
    const listening = new Set<unknown>()
    until.addEventListener = (_type: string, listener: unknown) => void listening.add(listener)
    until.removeEventListener = (type: string, listener: unknown) => {
      if (type === 'abort') listening.delete(listener)
    }
    let isOver = false
    const rest = delay.rest(until, { afterMs: 7 }).then(() => (isOver = true))
    expect(listening.size).toBe(1)
    await clock.advance(6)
    expect(isOver).toBe(false)
    await clock.advance(1)
    await rest
    expect(listening.size).toBe(0)
  })

  it('is shorter by the part that was already over, and returns its length unless something ended it', async () => {
    const clock = new VirtualClock()
    const delay = new PollDelay(clock, interval)
    const rests: number[] = []
    const begin = async (ageMs: number) => void rests.push(await delay.rest(signal, { ageMs }))
    const all = [begin(30)]
    await clock.advance(69)
    expect(rests).toEqual([])
    await clock.advance(1)
    all.push(begin(1_000))
    await clock.advance(0)
    all.push(begin(0))
    delay.wake()
    await Promise.all(all)
    expect(rests).toEqual([70, 0, 0])
  })

  it('ends when the signal aborts, and does not begin after that', async () => {
    const clock = new VirtualClock()
    const delay = new PollDelay(clock, interval)
    const ending = new AbortController()
    const rest = resting(delay, ending.signal)
    ending.abort()
    const after = resting(delay, ending.signal)
    await clock.advance(0)
    expect([rest.isOver, after.isOver, clock.pendingTimers]).toEqual([true, true, 0])
  })
})
