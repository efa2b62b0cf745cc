import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../../src/platform/index.js'

const day = 24 * 60 * 60 * 1_000

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) })
})

afterEach(() => {
  // The order matters: a spy restored later would replace the real function with the simulated one.
  vi.restoreAllMocks()
  vi.useRealTimers()
})

describe('the system clock', () => {
  it('provides the wall clock and a monotonic clock', () => {
    const [wall, monotonic] = [systemClock.now(), systemClock.monotonic()]
    vi.advanceTimersByTime(1_500)
    expect(wall).toBe(Date.UTC(2026, 0, 1))
    expect(systemClock.now() - wall).toBe(1_500)
    expect(systemClock.monotonic() - monotonic).toBe(1_500)
  })

  it('keeps its monotonic time when the wall clock is changed', () => {
    const monotonic = systemClock.monotonic()
    vi.setSystemTime(Date.UTC(2020, 0, 1))
    expect(systemClock.now()).toBe(Date.UTC(2020, 0, 1))
    expect(systemClock.monotonic()).toBe(monotonic)
  })
})

describe('schedule', () => {
  it('calls once, and not before its time', () => {
    const action = vi.fn()
    systemClock.schedule(100, action)
    vi.advanceTimersByTime(99)
    expect(action).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1_000)
    expect(action).toHaveBeenCalledOnce()
  })

  it('calls at once if the time has passed', () => {
    const action = vi.fn()
    systemClock.schedule(-5, action)
    vi.advanceTimersByTime(0)
    expect(action).toHaveBeenCalledOnce()
  })

  it('waits longer than the longest timer of Node, which would fire at once', () => {
    const action = vi.fn()
    systemClock.schedule(60 * day, action)
    vi.advanceTimersByTime(60 * day - 1)
    expect(action).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(action).toHaveBeenCalledOnce()
  })

  it('sets no timer beyond the limit of Node', () => {
    const set = vi.spyOn(globalThis, 'setTimeout')
    systemClock.schedule(60 * day, () => undefined)
    vi.advanceTimersByTime(60 * day)
    expect(Math.max(...set.mock.calls.map(([, ms]) => ms ?? 0))).toBe(2 ** 31 - 1)
    expect(set).toHaveBeenCalledTimes(3)
  })

  it.each([
    ['before it fires', 10],
    ['in its second leg', 30 * day],
  ])('can be cancelled %s', (_, elapsedMs) => {
    const action = vi.fn()
    const timer = systemClock.schedule(60 * day, action)
    vi.advanceTimersByTime(elapsedMs)
    timer.cancel()
    expect(vi.getTimerCount()).toBe(0)
    vi.advanceTimersByTime(100 * day)
    expect(action).not.toHaveBeenCalled()
  })
})

describe('sleep', () => {
  it('resolves after its time', async () => {
    const isAwake = vi.fn()
    const slept = systemClock.sleep(100).then(isAwake)
    await vi.advanceTimersByTimeAsync(99)
    expect(isAwake).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    await slept
    expect(isAwake).toHaveBeenCalledOnce()
  })

  it('resolves when the signal aborts, and leaves neither a timer nor a listener', async () => {
    const stop = new AbortController()
    const removed = vi.spyOn(stop.signal, 'removeEventListener')
    const slept = systemClock.sleep(day, stop.signal)
    stop.abort()
    await slept
    expect(vi.getTimerCount()).toBe(0)
    expect(removed).toHaveBeenCalledOnce()
  })

  it('removes its listener when it ends, so that a signal does not collect listeners', async () => {
    const { signal } = new AbortController()
    const [added, removed] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')]
    const slept = systemClock.sleep(10, signal)
    await vi.advanceTimersByTimeAsync(10)
    await slept
    expect(removed.mock.calls[0]?.[1]).toBe(added.mock.calls[0]?.[1])
    expect(removed).toHaveBeenCalledOnce()
  })

  it('returns at once if the signal has aborted already', async () => {
    await systemClock.sleep(day, AbortSignal.abort())
    expect(vi.getTimerCount()).toBe(0)
  })
})
