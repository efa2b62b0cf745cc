import { describe, expect, it } from 'vitest'
import { BegunAttempts } from '../../../../src/sas/agents/attempts/begun-attempts.js'

const attempt = (id: string, fence: number) => ({ pk: 'job-1', id, fence })

describe('begun attempts', () => {
  it('include earlier attempts at the same step, and no later one', () => {
    const begun = new BegunAttempts()
    begun.put(attempt('pay', 3))
    expect([2, 3, 4].map((fence) => begun.has(attempt('pay', fence)))).toEqual([true, true, false])
    expect(begun.has(attempt('ship', 3))).toBe(false)
    expect(begun.has({ ...attempt('pay', 3), pk: 'job-2' })).toBe(false)
  })

  it('are forgotten when they end, unless a later one has begun', () => {
    const begun = new BegunAttempts()
    begun.put(attempt('pay', 3))
    begun.forget(attempt('pay', 2))
    begun.forget(attempt('ship', 3))
    expect(begun.has(attempt('pay', 3))).toBe(true)
    begun.forget(attempt('pay', 3))
    expect(begun.has(attempt('pay', 1))).toBe(false)
  })

  it('are limited in number, and the least recently begun is forgotten first', () => {
    const begun = new BegunAttempts()
    begun.put(attempt('first', 1))
    begun.put(attempt('second', 1))
    begun.put(attempt('first', 2))
    for (let count = 0; count < 99_999; count += 1) begun.put(attempt(`${count}`, 1))
    expect(begun.has(attempt('first', 2))).toBe(true)
    expect(begun.has(attempt('second', 1))).toBe(false)
  })
})
