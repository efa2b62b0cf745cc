import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expired } from '../../../../lease-store/index.js'
import { expiredByObservation, observe } from '../../../../lease-store/internal.js'
import { aLease } from '../../../support/a-lease.js'

const owned = aLease({ owner: 'b', storedAtMs: 100_000 })

describe('expiry by the store’s clock', () => {
  it.each([
    { storeTimeMs: 160_000, isExpired: false },
    { storeTimeMs: 160_999, isExpired: false },
    { storeTimeMs: 161_000, isExpired: true },
    { storeTimeMs: 90_000, isExpired: false },
  ])(
    'says at $storeTimeMs that a lease stored at 100000 has expired: $isExpired',
    ({ storeTimeMs, isExpired }) => {
      expect(expired([owned], storeTimeMs, 60_000).has('0')).toBe(isExpired)
    },
  )

  it('does not concern free leases', () => {
    expect(expired([aLease({ owner: null })], 1_000_000, 60_000).size).toBe(0)
  })

  it('never affects a lease written within the interval, although the store cuts times to seconds', () => {
    fc.assert(
      fc.property(
        fc.nat(10_000_000),
        fc.nat(200_000),
        fc.integer({ min: 1, max: 120_000 }),
        (writtenAt, age, interval) => {
          const seconds = (ms: number): number => Math.floor(ms / 1_000) * 1_000
          const lease = aLease({ owner: 'b', storedAtMs: seconds(writtenAt) })
          const isExpired = expired([lease], seconds(writtenAt + age), interval).size === 1
          if (isExpired) expect(age).toBeGreaterThan(interval)
          if (age >= interval + 2_000) expect(isExpired).toBe(true)
        },
      ),
    )
  })
})

describe('expiry by observation', () => {
  it('counts from the first observation of an etag', () => {
    const first = observe(new Map(), [owned], 1_000)
    const second = observe(first, [owned], 50_000)
    expect(expiredByObservation([owned], second, 61_000, 60_000).size).toBe(0)
    expect(expiredByObservation([owned], second, 61_001, 60_000)).toEqual(new Set(['0']))
  })

  it('starts again when the lease changes', () => {
    const renewed = { ...owned, etag: '"2"' }
    const seen = observe(observe(new Map(), [owned], 1_000), [renewed], 50_000)
    expect(expiredByObservation([renewed], seen, 90_000, 60_000).size).toBe(0)
  })

  it('ignores leases that were not observed, and forgets leases that are gone', () => {
    const seen = observe(observe(new Map(), [owned], 0), [], 1)
    expect(seen.size).toBe(0)
    expect(expiredByObservation([owned], seen, 1_000_000, 60_000).size).toBe(0)
  })

  it('does not concern free leases', () => {
    const free = aLease()
    expect(expiredByObservation([free], observe(new Map(), [free], 0), 1_000_000, 60_000).size).toBe(0)
  })
})
