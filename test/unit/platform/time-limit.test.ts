import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../../../src/platform/index.js'
import { noticingLate, withinLimit } from '../../../src/platform/internal.js'

const never = (): Promise<never> => new Promise(() => undefined)

describe('work with a time limit', () => {
  it('has its own result, and leaves no timer behind', async () => {
    const clock = new VirtualClock()
    expect(await withinLimit(clock, 10, Promise.resolve(5), never)).toBe(5)
    await expect(withinLimit(clock, 10, Promise.reject(new Error('own')), never)).rejects.toThrow('own')
    expect(clock.pendingTimers).toBe(0)
  })

  it('has the value or error of the limit when the time is over', async () => {
    const clock = new VirtualClock()
    const value = withinLimit(clock, 10, never(), () => null)
    const refused = withinLimit(clock, 10, never(), () => {
      throw new Error('late')
    }).catch((error: unknown) => error)
    await clock.advance(10)
    expect([await value, await refused]).toEqual([null, new Error('late')])
  })
})

describe('work whose delay is reported', () => {
  it('is awaited nevertheless', async () => {
    const clock = new VirtualClock()
    const noticed: string[] = []
    const work = (ms: number): Promise<number> => clock.sleep(ms).then(() => ms)
    const late = noticingLate(clock, 10, work(20), () => noticed.push('late'))
    const inTime = noticingLate(clock, 10, work(9), () => noticed.push('in time'))
    await clock.advance(20)
    expect(await Promise.all([late, inTime])).toEqual([20, 9])
    expect(noticed).toEqual(['late'])
    expect(clock.pendingTimers).toBe(0)
  })
})
