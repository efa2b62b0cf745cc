import { describe, expect, it } from 'vitest'
import { SettledAttempts } from '../../../src/sas/settled-attempts.js'

const attempt = (id: string, fence: number) => ({ pk: 'job-1', id, fence })

describe('settled attempts', () => {
  it('are known up to the latest; a later one at the step is not', () => {
    const settled = new SettledAttempts()
    settled.put(attempt('pay', 3))
    expect([2, 3, 4].map((fence) => settled.has(attempt('pay', fence)))).toEqual([true, true, false])
    expect(settled.has(attempt('ship', 3))).toBe(false)
    expect(settled.has({ ...attempt('pay', 3), pk: 'job-2' })).toBe(false)
  })

  it('are forgotten when there are many, the least recently settled first', () => {
    const settled = new SettledAttempts()
    settled.put(attempt('first', 1))
    settled.put(attempt('second', 1))
    settled.put(attempt('first', 2))
    for (let count = 0; count < 9_999; count += 1) settled.put(attempt(`${count}`, 1))
    expect(settled.has(attempt('first', 2))).toBe(true)
    expect(settled.has(attempt('second', 1))).toBe(false)
  })
})
