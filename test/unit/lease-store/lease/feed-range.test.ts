import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keyCount } from '../../../../lease-store/lease/feed-range.js'
import type { FeedRange } from '../../../../lease-store/index.js'
import { cutRange, isEpkRange, leaseTokenOf } from '../../../../lease-store/internal.js'

describe('a feed range', () => {
  it.each([
    ['', 'FF'],
    ['80', 'FF'],
    ['05C1DF', '05C1DFFF'],
  ])('may have the bounds %j and %j', (min, max) => {
    expect(isEpkRange({ min, max })).toBe(true)
  })

  it.each([
    ['80', '80'],
    ['FF', '80'],
    ['8', 'FF'],
    ['80', 'F'],
    ['8a', 'FF'],
    ['80', 'zz'],
    ['x80', 'FF'],
    ['80', 'FFx'],
    ['80', ' FF'],
  ])('cannot have the bounds %j and %j', (min, max) => {
    expect(isEpkRange({ min, max })).toBe(false)
  })

  it('has a number of keys in proportion to its width', () => {
    expect(keyCount({ min: '10', max: '20' })).toBe(keyCount({ min: '', max: '10' }))
    expect(keyCount({ min: '10', max: '30' })).toBe(2n * keyCount({ min: '10', max: '20' }))
    expect(keyCount({ min: '10', max: '10'.padEnd(32, '0') + '7F' })).toBe(0n)
  })

  it('names its lease by its bounds', () => {
    expect(leaseTokenOf({ min: '', max: '80' })).toBe('-80')
  })
})

describe('cutting a feed range', () => {
  it.each([
    [{ min: '', max: 'FF' }, 1, [',FF']],
    [{ min: '', max: 'FF' }, 4, [',10', '10,20', '20,30', '30,FF']],
    [{ min: '20', max: 'FF' }, 2, ['20,30', '30,FF']],
    [{ min: '', max: '20' }, 2, [',10', '10,20']],
    [{ min: '05C1DF', max: 'FF' }, 1, ['05C1DF,FF']],
    [{ min: '3F', max: '3F00000000000000000000000000000001' }, 4, ['3F,3F00000000000000000000000000000001']],
    [{ min: '40', max: 'FF' }, 2, ['40,9F80', '9F80,FF']],
  ])('turns %j into %i parts', (range, count, parts) => {
    expect(cutRange(range, count).map(({ min, max }) => `${min},${max}`)).toEqual(parts)
  })

  it('makes the wanted number of parts, without gap or overlap', () => {
    const bound = fc.bigInt({ min: 0n, max: (1n << 126n) - 1n })
    const hex = (value: bigint): string => value.toString(16).toUpperCase().padStart(32, '0')
    const range = fc
      .tuple(bound, bound)
      .filter(([left, right]) => (left < right ? right - left : left - right) > 1_000n)
      .map(([left, right]): FeedRange =>
        left < right ? { min: hex(left), max: hex(right) } : { min: hex(right), max: hex(left) },
      )
    fc.assert(
      fc.property(range, fc.integer({ min: 1, max: 64 }), (whole, count) => {
        const parts = cutRange(whole, count)
        expect(parts).toHaveLength(count)
        expect(parts.every(isEpkRange)).toBe(true)
        expect([parts[0]?.min, parts.at(-1)?.max]).toEqual([whole.min, whole.max])
        parts.slice(1).forEach(({ min }, index) => {
          expect(min).toBe(parts[index]?.max)
        })
      }),
    )
  })
})
