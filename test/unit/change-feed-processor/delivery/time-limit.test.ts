import { describe, expect, it } from 'vitest'
import { cosmosErrorKind } from '../../../../lease-store/internal.js'
import { calledWithin } from '../../../../src/change-feed-processor/delivery/time-limit.js'
import { VirtualClock } from '../../../../src/platform/index.js'

const never = (): Promise<never> => new Promise(() => undefined)

describe('a time limit', () => {
  it('does not affect a call that ends in time, and leaves no timer behind', async () => {
    const clock = new VirtualClock()
    const { signal } = new AbortController()
    expect(await calledWithin(() => 5, { clock, signal, limitMs: 10, what: 'it' })).toBe(5)
    await expect(
      calledWithin(() => Promise.reject(new Error('own')), { clock, signal, limitMs: 10, what: 'it' }),
    ).rejects.toThrow('own')
    expect(clock.pendingTimers).toBe(0)
  })

  it('ends a call that ignores its signal, with an error that allows a retry', async () => {
    const clock = new VirtualClock()
    const { signal } = new AbortController()
    const limited = calledWithin(never, { clock, signal, limitMs: 10, what: 'it' }).catch(
      (error: unknown) => error,
    )
    await clock.advance(10)
    const error = await limited
    expect(error).toMatchObject({ message: 'it took longer than 10 ms' })
    expect(cosmosErrorKind(error)).toEqual({ kind: 'unavailable' })
  })

  it('passes the abort of its caller on to the call, even if it came before the call', async () => {
    const clock = new VirtualClock()
    const signals: AbortSignal[] = []
    const note = (signal: AbortSignal): Promise<never> => {
      signals.push(signal)
      return never()
    }
    const aborting = new AbortController()
    const limit = { clock, signal: aborting.signal, limitMs: 10, what: 'it' }
    const first = calledWithin(note, limit).catch((error: unknown) => error)
    expect(signals[0]?.aborted).toBe(false)
    aborting.abort()
    const second = calledWithin(note, limit).catch((error: unknown) => error)
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
    await clock.advance(10)
    await Promise.all([first, second])
  })
})
