import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seededRandom, type Random } from '../../../src/platform/index.js'
import { systemRandom } from '../../../src/platform/internal.js'

const take = (random: Random, count: number): number[] => Array.from({ length: count }, () => random.next())

describe('seededRandom', () => {
  it('repeats numbers and ids for the same seed', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const [one, other] = [seededRandom(seed), seededRandom(seed)]
        expect(take(one, 5)).toEqual(take(other, 5))
        expect(one.id()).toBe(other.id())
      }),
    )
  })

  it('keeps its sequence from release to release, so that a recorded seed still finds its bug', () => {
    expect(take(seededRandom(1), 3)).toEqual([0.6270739405881613, 0.002735721180215478, 0.5274470399599522])
    expect(seededRandom(1).id()).toBe('a087eaf3-00b349c9')
  })

  it('gives other numbers for another seed', () => {
    expect(take(seededRandom(1), 3)).not.toEqual(take(seededRandom(2), 3))
  })

  it('stays in [0, 1) and reaches every part of it', () => {
    const numbers = take(seededRandom(7), 10_000)
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true)
    const tenths = Array.from(
      { length: 10 },
      (_, tenth) => numbers.filter((n) => Math.floor(n * 10) === tenth).length,
    )
    expect(Math.min(...tenths)).toBeGreaterThan(900)
    expect(Math.max(...tenths)).toBeLessThan(1_100)
  })

  it('gives ids of a fixed shape, never the same twice', () => {
    const random = seededRandom(3)
    const ids = Array.from({ length: 1_000 }, () => random.id())
    expect(new Set(ids).size).toBe(1_000)
    expect(ids.filter((id) => !/^[0-9a-f]{8}-[0-9a-f]{8}$/.test(id))).toEqual([])
  })
})

describe('systemRandom', () => {
  it('gives numbers in [0, 1) that differ', () => {
    const numbers = take(systemRandom, 100)
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true)
    expect(new Set(numbers).size).toBeGreaterThan(90)
  })

  it('gives different ids, of hexadecimal digits and hyphens', () => {
    expect(systemRandom.id()).toMatch(/^[0-9a-f-]{8,36}$/)
    expect(systemRandom.id()).not.toBe(systemRandom.id())
  })
})
