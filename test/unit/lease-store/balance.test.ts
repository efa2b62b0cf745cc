import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../src/platform/index.js'
import { acquire, selectLeases, type Lease, type LeaseLimits } from '../../../lease-store/index.js'
import { aLease } from '../../support/a-lease.js'

const self = { instanceName: 'self', incarnation: 'self-1' }
const unlimited: LeaseLimits = { minLeases: null, maxLeases: null }

/** Leases by owner name; `free` has none, `expired` a silent owner. */
function situation(counts: Readonly<Record<string, number>>): { leases: Lease[]; expired: Set<string> } {
  const leases = Object.entries(counts).flatMap(([name, count]) =>
    Array.from({ length: count }, (_, index) => {
      const lease = aLease({ leaseToken: `${name}-${index}` })
      if (name === 'free') return lease
      const instanceName = name.replace(/^expired /, '')
      return acquire(lease, { instanceName, incarnation: `${instanceName}-1` }, 0)
    }),
  )
  const silent = leases.filter((lease) => lease.leaseToken.startsWith('expired '))
  return { leases, expired: new Set(silent.map((lease) => lease.leaseToken)) }
}

describe('which leases to take', () => {
  it.each([
    { counts: {}, taken: 0 },
    { counts: { self: 2 }, taken: 0 },
    { counts: { free: 2 }, taken: 2 },
    { counts: { 'expired self': 1, 'expired other': 1 }, taken: 2 },
    { counts: { other: 1 }, taken: 0 },
    { counts: { other: 2 }, taken: 1, from: 'other' },
    { counts: { other: 3, 'expired other': 1 }, taken: 1, from: 'expired' },
    { counts: { other: 1, 'expired gone': 10 }, taken: 6 },
    { counts: { other: 1, 'expired gone': 10 }, limits: { minLeases: 7, maxLeases: null }, taken: 7 },
    { counts: { other: 1, 'expired gone': 10 }, limits: { minLeases: null, maxLeases: 3 }, taken: 3 },
    { counts: { other: 1, 'expired gone': 10 }, limits: { minLeases: 5, maxLeases: 3 }, taken: 5 },
    { counts: { one: 5, two: 10 }, taken: 1, from: 'two' },
    { counts: { one: 5, self: 6 }, taken: 0 },
    { counts: { one: 5, self: 5 }, taken: 0 },
    { counts: { one: 4, self: 3 }, taken: 0 },
    { counts: { one: 4, self: 2 }, taken: 1, from: 'one' },
    { counts: { one: 10, two: 10, self: 8 }, taken: 1 },
    { counts: { one: 1, two: 1, three: 1 }, taken: 0 },
    { counts: { self: 1 }, limits: { minLeases: 3, maxLeases: null }, taken: 0 },
  ] as {
    counts: Record<string, number>
    limits?: LeaseLimits
    taken: number
    from?: string
  }[])('$counts → $taken', ({ counts, limits = unlimited, taken, from = '' }) => {
    const random = seededRandom(1)
    const { take } = selectLeases({ self, ...situation(counts), limits, random: () => random.next() })
    expect(take).toHaveLength(taken)
    expect(new Set(take.map((lease) => lease.leaseToken)).size).toBe(taken)
    for (const lease of take) expect(lease.leaseToken).toMatch(new RegExp(`^${from}`))
  })

  it('differ between instances that decide at the same time', () => {
    const chosen = [1, 2, 3, 4].map((seed) => {
      const random = seededRandom(seed)
      const counts = situation({ free: 30, other: 20 })
      const { take } = selectLeases({ self, ...counts, limits: unlimited, random: () => random.next() })
      return take.map((lease) => lease.leaseToken).join()
    })
    expect(new Set(chosen).size).toBe(4)
  })

  it('counts another life of the own name as another instance', () => {
    const twin = acquire(aLease({ leaseToken: '1' }), { ...self, incarnation: 'self-0' }, 0)
    const leases = [twin, acquire(aLease(), self, 0)]
    expect(
      selectLeases({ self, leases, expired: new Set(), limits: unlimited, random: () => 0 }).take,
    ).toEqual([])
  })
})

/** Every instance decides in turn, on leases as they are (`staleness` 0) or as they were when the round began. */
function round(
  leases: Lease[],
  instances: readonly string[],
  random: () => number,
  isStale: boolean,
): number {
  const before = [...leases]
  let moved = 0
  for (const instanceName of instances) {
    const owner = { instanceName, incarnation: `${instanceName}-1` }
    const seen = isStale ? before : leases
    const { take } = selectLeases({
      self: owner,
      leases: seen,
      expired: new Set(),
      limits: unlimited,
      random,
    })
    for (const wanted of take) {
      const index = leases.findIndex((lease) => lease.leaseToken === wanted.leaseToken)
      // Somebody was faster: the conditional write is refused.
      if (leases[index]?.owner !== wanted.owner) continue
      leases[index] = acquire(wanted, owner, 0)
      moved += 1
    }
  }
  return moved
}

describe('n instances and m leases', () => {
  const world = fc.record({
    instanceCount: fc.integer({ min: 1, max: 12 }),
    leaseCount: fc.integer({ min: 1, max: 60 }),
    seed: fc.integer(),
    isStale: fc.boolean(),
    heldByFirst: fc.boolean(),
  })

  it('come to rest with counts that differ by at most one, and stay there', () => {
    fc.assert(
      fc.property(world, ({ instanceCount, leaseCount, seed, isStale, heldByFirst }) => {
        const generator = seededRandom(seed)
        const random = (): number => generator.next()
        const instances = Array.from({ length: instanceCount }, (_, index) => `host-${index}`)
        const { leases } = situation(heldByFirst ? { 'host-0': leaseCount } : { free: leaseCount })
        let moves = 0
        let cycles = 0
        // A round in which nobody moved anything is one like all that follow.
        for (let moved = 1; moved > 0; cycles += 1) {
          moved = round(leases, instances, random, isStale)
          moves += moved
          if (cycles > 4 * leaseCount + 20) throw new Error('they do not come to rest')
        }
        const counts = instances.map((name) => leases.filter((lease) => lease.owner === name).length)
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
        expect(round(leases, instances, random, !isStale)).toBe(0)
        // One move brings a lease home; a few more than that happen when decisions cross, never a multiple.
        expect(moves).toBeLessThanOrEqual(2 * leaseCount + instanceCount)
      }),
      { numRuns: 300 },
    )
  })
})
