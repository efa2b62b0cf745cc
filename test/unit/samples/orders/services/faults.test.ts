import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  FaultInjector,
  faultKinds,
  faultLevels,
  planFaults,
  type FaultKind,
  type FaultShares,
} from '../../../../../samples/orders/services/faults.js'
import { randomFor } from '../../../../../samples/orders/services/per-key.js'

const keys = Array.from({ length: 4_000 }, (_, index) => `order-${index}`)
const plansOf = (shares: FaultShares, maxFaults = 2): FaultKind[][] =>
  keys.map((key) => planFaults(randomFor(7, key), shares, maxFaults))

describe('planFaults', () => {
  it('gives each kind its share of the keys', () => {
    const plans = plansOf(faultLevels.some)
    for (const kind of faultKinds) {
      const share = plans.filter((plan) => plan[0] === kind).length / plans.length
      const expected = faultLevels.some[kind] ?? 0
      expect(share).toBeGreaterThan(expected * 0.6)
      expect(share).toBeLessThan(expected * 1.4)
    }
  })

  it('gives no faults to 85 % of the keys by default, and to all of them at level none', () => {
    const untouched = plansOf(faultLevels.some).filter((plan) => plan.length === 0).length / keys.length
    expect(untouched).toBeGreaterThan(0.83)
    expect(untouched).toBeLessThan(0.87)
    expect(plansOf(faultLevels.none).every((plan) => plan.length === 0)).toBe(true)
  })

  it('gives a key up to the allowed number of faults in a row', () => {
    const lengths = new Set(plansOf(faultLevels.many, 3).map((plan) => plan.length))
    expect([...lengths].sort()).toEqual([0, 1, 2, 3])
    expect(plansOf({ slow: 1 }, 0).every((plan) => plan.length === 0)).toBe(true)
  })

  it('plans only kinds that have a share', () => {
    const kinds = new Set(plansOf({ slow: 0.1, dropAfterWork: 0.1 }).flat())
    expect([...kinds].sort()).toEqual(['dropAfterWork', 'slow'])
  })
})

describe('FaultInjector', () => {
  const options = { shares: faultLevels.many, maxFaultsPerKey: 3 }

  it('treats the n-th request of a key the same in every run, however requests interleave', () => {
    const requests = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 40 })
    fc.assert(
      fc.property(fc.nat(), requests, (seed, order) => {
        const interleaved = new FaultInjector(seed, options)
        const oneByOne = new FaultInjector(seed, options)
        const expected = [...order].sort().map((key) => [key, oneByOne.next(key)] as const)
        const got = order.map((key) => [key, interleaved.next(key)] as const)
        for (const key of order) {
          const ofKey = (list: typeof got) => list.filter((entry) => entry[0] === key)
          expect(ofKey(got)).toEqual(ofKey(expected))
        }
      }),
    )
  })

  it('has different faults for different seeds', () => {
    const faultsOf = (seed: number) => {
      const injector = new FaultInjector(seed, options)
      return keys.slice(0, 50).map((key) => injector.next(key).fault)
    }
    expect(faultsOf(1)).toEqual(faultsOf(1))
    expect(faultsOf(1)).not.toEqual(faultsOf(2))
  })

  it('lets a request through after the last fault of its key', () => {
    const injector = new FaultInjector(1, { shares: { unavailable: 1 }, maxFaultsPerKey: 2 })
    for (const key of keys.slice(0, 50)) {
      const faults = [1, 2, 3, 4].map(() => injector.next(key).fault)
      expect(faults[0]).toBe('unavailable')
      expect(faults.slice(2)).toEqual([undefined, undefined])
    }
  })

  it('delays a slow request by 50 to 300 ms and others by a few milliseconds', () => {
    const injector = new FaultInjector(1, { shares: { slow: 0.5 }, maxFaultsPerKey: 1 })
    for (const key of keys) {
      const { fault, delayMs } = injector.next(key)
      expect(delayMs).toBeGreaterThanOrEqual(fault === 'slow' ? 50 : 1)
      expect(delayMs).toBeLessThanOrEqual(fault === 'slow' ? 300 : 5)
    }
  })

  it('rejects all invalid shares and limits at once', () => {
    const make = () =>
      new FaultInjector(1, { shares: { slow: -0.5, unavailable: 1.5 }, maxFaultsPerKey: 0.5 })
    expect(make).toThrow(
      "faults cannot be injected: the share of 'slow' must be 0 to 1, got -0.5; " +
        "the share of 'unavailable' must be 0 to 1, got 1.5; maxFaultsPerKey must be a whole number from 0, got 0.5",
    )
    expect(() => new FaultInjector(1, { shares: { slow: 0.7, unavailable: 0.6 } })).toThrow(
      'must add up to at most 1',
    )
  })
})
