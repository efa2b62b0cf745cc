import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { calmPolicy, recommendInstances, type Sample } from '../../../src/operations/recommend-instances.js'

/** Returns samples 15 seconds apart, the last one now, all with the same number of instances. */
function samples(instances: number, lags: readonly number[]): Sample[] {
  return lags.map((lag, index) => ({ atMs: index * 15_000, lag, instances }))
}

const long = 21
const leases = 16

describe('the recommended number of instances', () => {
  it('grows if all recent samples require it, to the least that they require', () => {
    expect(recommendInstances(samples(2, [2_000, 1_600, 4_000]), leases)).toBe(4)
  })

  it('does not change if one sample disagrees, or if there are too few', () => {
    expect(recommendInstances(samples(2, [4_000, 900, 4_000]), leases)).toBe(2)
    expect(recommendInstances(samples(2, [4_000, 4_000]), leases)).toBe(2)
  })

  it('at most doubles at once', () => {
    expect(recommendInstances(samples(1, [90_000, 90_000, 90_000]), leases)).toBe(2)
  })

  it('shrinks by half at most, and only after a long quiet period', () => {
    const quiet = Array.from({ length: long }, () => 0)
    expect(recommendInstances(samples(8, quiet), leases)).toBe(4)
    expect(recommendInstances(samples(8, quiet.slice(1)), leases)).toBe(8)
  })

  it('returns within the bounds at once', () => {
    expect(recommendInstances(samples(20, [0]), leases)).toBe(8)
    expect(recommendInstances(samples(0, [0]), leases)).toBe(1)
  })

  const sample = fc.record({
    atMs: fc.nat({ max: 1_000_000 }),
    lag: fc.nat({ max: 100_000 }),
    instances: fc.nat({ max: 20 }),
  })
  const history = fc.array(sample).map((found) => found.toSorted((one, other) => one.atMs - other.atMs))

  it('is never above the number of leases, nor outside the bounds', () => {
    fc.assert(
      fc.property(history, fc.integer({ min: 1, max: 12 }), (found, leaseCount) => {
        const count = recommendInstances(found, leaseCount)
        expect(count).toBeLessThanOrEqual(Math.min(leaseCount, calmPolicy.max))
        expect(count).toBeGreaterThanOrEqual(Math.min(calmPolicy.min, leaseCount))
      }),
    )
  })

  it('is one while there are no leases, because an instance must create them (B26)', () => {
    for (const instances of [0, 1, 5])
      for (const min of [0, 1, 3])
        expect(recommendInstances([{ atMs: 0, lag: 0, instances }], 0, { ...calmPolicy, min })).toBe(1)
  })

  it('does not oscillate: noise around a level changes it in at most one direction', () => {
    const noise = fc.array(fc.double({ min: 0.8, max: 1.2, noNaN: true }), { minLength: 60, maxLength: 120 })
    fc.assert(
      fc.property(
        noise,
        fc.integer({ min: 0, max: 5_000 }),
        fc.integer({ min: 1, max: 8 }),
        (found, level, first) => {
          let instances = first
          const moves: number[] = []
          const past: Sample[] = []
          found.forEach((factor, index) => {
            past.push({ atMs: index * 15_000, lag: Math.round(level * factor), instances })
            const next = recommendInstances(past, leases)
            if (next !== instances) moves.push(Math.sign(next - instances))
            instances = next
          })
          expect(new Set(moves).size).toBeLessThanOrEqual(1)
        },
      ),
    )
  })
})
