import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { uncovered } from '../../../../lease-store/ranges/coverage.js'
import { planLeases } from '../../../../lease-store/internal.js'

const [first, second] = [
  { id: '0', min: '', max: '80' },
  { id: '1', min: '80', max: 'FF' },
]
const ranges = [first, second]
const covering = (...bounds: readonly (readonly [string, string])[]) =>
  bounds.map(([min, max]) => ({ feedRange: { min, max } }))

describe('the parts of a range that no lease covers', () => {
  it('lie before, between and after the leases, whatever the order of these', () => {
    expect(uncovered(first, covering(['40', '60'], ['20', '30']))).toEqual([
      { min: '', max: '20' },
      { min: '30', max: '40' },
      { min: '60', max: '80' },
    ])
    expect(uncovered(second, covering(['', '80'], ['80', 'FF']))).toEqual([])
  })
})

describe('the leases to create', () => {
  it.each([
    { name: 'B190, B389: all at the beginning', leases: covering(), tokens: ['0', '1'] },
    { name: 'none when each range has its own', leases: covering(['', '80'], ['80', 'FF']), tokens: [] },
    { name: 'B191, B390: the one that is missing', leases: covering(['', '80']), tokens: ['1'] },
    {
      name: 'B192: none beside leases of both kinds',
      leases: covering(['', '80'], ['80', 'C0'], ['C0', 'FF']),
      tokens: [],
    },
    {
      name: 'B192: the rest of a range',
      leases: covering(['', '80'], ['80', 'C0']),
      tokens: ['C0-FF'],
    },
    { name: 'none when a parent still covers its children', leases: covering(['', 'FF']), tokens: [] },
    {
      name: 'none when finer leases cover a merged range',
      leases: covering(['', '40'], ['40', '80'], ['80', 'FF']),
      tokens: [],
    },
    {
      name: 'parts by their bounds',
      leases: covering(['20', '40'], ['90', 'FF']),
      tokens: ['-20', '40-80', '80-90'],
    },
    { name: 'none for overlap', leases: covering(['', '90'], ['10', '20'], ['60', 'FF']), tokens: [] },
  ])('are $name', ({ leases, tokens }) => {
    expect(planLeases(ranges, leases).map((planned) => planned.leaseToken)).toEqual(tokens)
  })

  it('are as many per range as requested, but one for the rest of a range that has a lease', () => {
    const tokens = planLeases(ranges, covering(['', '80']), 2).map((planned) => planned.leaseToken)
    expect(tokens).toEqual(['80-BF80', 'BF80-FF'])
    expect(planLeases(ranges, covering(['', '40']), 2).map((planned) => planned.leaseToken)).toEqual([
      '40-80',
      '80-BF80',
      'BF80-FF',
    ])
  })

  it('close every gap and overlap no lease', () => {
    const bound = fc
      .integer({ min: 0, max: 254 })
      .map((value) => value.toString(16).toUpperCase().padStart(2, '0'))
    const range = fc
      .tuple(bound, bound)
      .filter(([left, right]) => left !== right)
      .map(([left, right]) => (left < right ? { min: left, max: right } : { min: right, max: left }))
    fc.assert(
      fc.property(fc.array(range), (held) => {
        const leases = held.map((feedRange) => ({ feedRange }))
        const planned = planLeases(ranges, leases)
        expect(planLeases(ranges, [...leases, ...planned])).toEqual([])
        const overlapping = planned.filter(({ feedRange }) =>
          held.some(({ min, max }) => min < feedRange.max && feedRange.min < max),
        )
        expect(overlapping).toEqual([])
      }),
    )
  })
})
