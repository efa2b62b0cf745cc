import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Lease } from '../../../../lease-store/index.js'
import { findOverlaps, leaseTokenOf, sharesItsRange } from '../../../../lease-store/internal.js'
import { aLease } from '../../../support/a-lease.js'

function leasesOf(...bounds: readonly (readonly [min: string, max: string])[]): Lease[] {
  return bounds.map(([min, max]) =>
    aLease({ leaseToken: leaseTokenOf({ min, max }), feedRange: { min, max } }),
  )
}

function described(leases: readonly Lease[]) {
  const { replaced, doubled } = findOverlaps(leases)
  return {
    replaced: replaced.map(({ lease, by }) => [lease.leaseToken, by.map(({ leaseToken }) => leaseToken)]),
    doubled: doubled.map((pair) => pair.map(({ leaseToken }) => leaseToken)),
  }
}

describe('a lease', () => {
  it.each([
    ['shares its range with a part of it', ['08', '10'], true],
    ['shares its range with a lease that covers more', ['', 'FF'], true],
    ['does not share its range with a neighbour', ['20', 'FF'], false],
    ['does not share its range with itself', ['08', '20'], false],
  ] as const)('%s', (_name, other, expected) => {
    const [lease, ...others] = leasesOf(['08', '20'], other)
    if (lease === undefined) throw new Error('there are two leases')
    expect(sharesItsRange(lease, [lease, ...others])).toBe(expected)
  })
})

describe('overlapping leases (I11)', () => {
  it.each([
    {
      name: 'are none when they only touch',
      leases: leasesOf(['', '80'], ['80', 'FF']),
      replaced: [],
      doubled: [],
    },
    {
      name: 'are none when they only touch, listed the other way round',
      leases: leasesOf(['80', 'FF'], ['', '80']),
      replaced: [],
      doubled: [],
    },
    {
      name: 'are none when one lease is listed twice',
      leases: leasesOf(['', '80'], ['', '80']),
      replaced: [],
      doubled: [],
    },
    {
      name: 'are a parent and those that replace it',
      leases: leasesOf(['', '80'], ['', '40'], ['40', '80'], ['80', 'FF']),
      replaced: [['-80', ['-40', '40-80']]],
      doubled: [],
    },
    {
      name: 'are two when the children leave something of the parent out',
      leases: leasesOf(['', '80'], ['', '40'], ['80', 'FF']),
      replaced: [],
      doubled: [['-80', '-40']],
    },
    {
      name: 'are two when neither contains the other',
      leases: leasesOf(['', '80'], ['40', 'FF']),
      replaced: [],
      doubled: [['-80', '40-FF']],
    },
  ])('$name', ({ leases, replaced, doubled }) => {
    expect(described(leases)).toEqual({ replaced, doubled })
  })

  it('are never found among adjoining ranges, and always when one of the ranges is widened', () => {
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: 254 }), { minLength: 2, maxLength: 8 })
    fc.assert(
      fc.property(cuts, fc.nat(), (points, chosen) => {
        const sorted = [...points].sort((left, right) => left - right)
        const inner = sorted.map((point) => point.toString(16).toUpperCase().padStart(2, '0'))
        const bounds = ['', ...inner, 'FF']
        const parts = bounds.slice(1).map((max, index) => [bounds[index] ?? '', max] as const)
        expect(described(leasesOf(...parts))).toEqual({ replaced: [], doubled: [] })
        const at = chosen % (parts.length - 1)
        const wider = parts.map(([min, max], index) =>
          index === at ? ([min, `${max}80`] as const) : ([min, max] as const),
        )
        expect(described(leasesOf(...wider)).doubled).toHaveLength(1)
      }),
    )
  })
})
