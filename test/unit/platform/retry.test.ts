import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seededRandom, VirtualClock } from '../../../src/platform/index.js'
import { backoffDelayMs, retry, type RetryOptions } from '../../../src/platform/internal.js'

const backoff = { minMs: 100, maxMs: 1_000 }
const never = { next: () => 0, id: () => '' }

describe('backoffDelayMs', () => {
  it('doubles from the minimum to the maximum', () => {
    expect([0, 1, 2, 3, 4, 5, 6].map((failures) => backoffDelayMs(failures, backoff, never))).toEqual([
      100, 100, 200, 400, 800, 1_000, 1_000,
    ])
  })

  it('subtracts up to half at random', () => {
    const almostOne = { next: () => 1 - 2 ** -32, id: () => '' }
    expect(backoffDelayMs(3, backoff, almostOne)).toBe(200)
  })

  it('stays within its bounds for any number of failures', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer(), (failures, seed) => {
        const delayMs = backoffDelayMs(failures, backoff, seededRandom(seed))
        expect(delayMs).toBeGreaterThanOrEqual(backoff.minMs / 2)
        expect(delayMs).toBeLessThanOrEqual(backoff.maxMs)
      }),
    )
  })
})

/** Retries an operation that fails the given number of times, and records the times of its calls. */
function failing(times: number, overrides: Partial<RetryOptions> = {}) {
  const clock = new VirtualClock()
  const triedAt: number[] = []
  const operation = async (): Promise<string> => {
    triedAt.push(clock.monotonic())
    if (triedAt.length <= times) throw new Error(`failure ${triedAt.length}`)
    return 'done'
  }
  const options = { clock, random: never, backoff, tries: 4, isTransient: () => true, ...overrides }
  return { clock, triedAt, result: retry(operation, options).catch((error: unknown) => error) }
}

describe('retry', () => {
  it('returns the result at once when nothing fails', async () => {
    const { triedAt, result } = failing(0)
    expect(await result).toBe('done')
    expect(triedAt).toEqual([0])
  })

  it('tries again after growing delays', async () => {
    const { clock, triedAt, result } = failing(3)
    await clock.advance(10_000)
    expect(await result).toBe('done')
    expect(triedAt).toEqual([0, 100, 300, 700])
  })

  it('throws the last error when attempts are used up', async () => {
    const { clock, triedAt, result } = failing(9)
    await clock.advance(10_000)
    expect(await result).toEqual(new Error('failure 4'))
    expect(triedAt).toHaveLength(4)
  })

  it('throws at once an error that is not transient', async () => {
    const { triedAt, result } = failing(9, { isTransient: () => false })
    expect(await result).toEqual(new Error('failure 1'))
    expect(triedAt).toHaveLength(1)
  })

  it('does not try again when the signal aborts before a failure or during a delay', async () => {
    const early = failing(9, { signal: AbortSignal.abort() })
    expect(await early.result).toEqual(new Error('failure 1'))

    const stop = new AbortController()
    const { clock, triedAt, result } = failing(9, { signal: stop.signal })
    await clock.advance(50)
    stop.abort()
    expect(await result).toEqual(new Error('failure 1'))
    expect(triedAt).toEqual([0])
    expect(clock.pendingTimers).toBe(0)
  })
})
