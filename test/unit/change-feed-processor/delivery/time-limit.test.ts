import { describe, expect, it } from 'vitest'
import { cosmosErrorKind } from '../../../../lease-store/internal.js'
import { calledWithin } from '../../../../src/change-feed-processor/delivery/time-limit.js'
import { VirtualClock } from '../../../../src/platform/index.js'

const never = (): Promise<never> => new Promise(() => undefined)

describe('a limit of time', () => {
  it('is not noticed by what keeps it, and leaves no timer behind', async () => {
    const clock = new VirtualClock()
    const { signal } = new AbortController()
    expect(await calledWithin(() => 5, { clock, signal, limitMs: 10, what: 'it' })).toBe(5)
    await expect(
      calledWithin(() => Promise.reject(new Error('own')), { clock, signal, limitMs: 10, what: 'it' }),
    ).rejects.toThrow('own')
    expect(clock.pendingTimers).toBe(0)
  })

  it('ends what does not heed its signal, as something that may be tried again', async () => {
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

  it('passes the abortion of its caller on, also one from before', async () => {
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
