import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../src/platform/index.js'
import {
  acquire,
  release,
  requestHandover,
  type Lease,
  type LeaseOwner,
} from '../../../../lease-store/index.js'
import {
  selectLeases,
  type Balance,
  type LeaseLimits,
  type Selection,
} from '../../../../lease-store/internal.js'
import { aLease } from '../../../support/a-lease.js'

const life = (instanceName: string): LeaseOwner => ({ instanceName, incarnation: `${instanceName}-1` })
const self = life('self')
const unlimited: LeaseLimits = { minLeases: null, maxLeases: null }

/** Leases by owner name; `free` has none, `expired` a silent owner. */
function situation(counts: Readonly<Record<string, number>>): { leases: Lease[]; expired: Set<string> } {
  const leases = Object.entries(counts).flatMap(([name, count]) =>
    Array.from({ length: count }, (_, index) => {
      const lease = aLease({ leaseToken: `${name}-${index}` })
      return name === 'free' ? lease : acquire(lease, life(name.replace(/^expired /, '')), 0)
    }),
  )
  const silent = leases.filter((lease) => lease.leaseToken.startsWith('expired '))
  return { leases, expired: new Set(silent.map((lease) => lease.leaseToken)) }
}

function select(balance: Pick<Balance, 'leases'> & Partial<Balance>): Selection {
  const random = seededRandom(1)
  return selectLeases({
    self,
    expired: new Set(),
    lapsed: new Set(),
    unanswered: new Set(),
    limits: unlimited,
    random: () => random.next(),
    ...balance,
  })
}

const tokensOf = (leases: readonly Lease[]): string[] => leases.map((lease) => lease.leaseToken)

describe('an instance that takes leases (§8.2 balancing, numbers of §3.1)', () => {
  it.each([
    { id: 'B71', counts: {}, taken: 0 },
    { id: 'B72', counts: { self: 2 }, taken: 0 },
    { id: 'B73', counts: { free: 2 }, taken: 2 },
    { id: 'B74', counts: { 'expired self': 1, 'expired other': 1 }, taken: 2 },
    { counts: { other: 1 }, taken: 0 },
    { id: 'B76', counts: { other: 3, 'expired other': 1 }, taken: 1, from: 'expired' },
    { id: 'B77, B349', counts: { other: 1, 'expired gone': 10 }, taken: 6 },
    {
      id: 'B78',
      counts: { other: 1, 'expired gone': 10 },
      limits: { minLeases: 7, maxLeases: null },
      taken: 7,
    },
    {
      id: 'B79',
      counts: { other: 1, 'expired gone': 10 },
      limits: { minLeases: null, maxLeases: 3 },
      taken: 3,
    },
    { counts: { other: 1, 'expired gone': 10 }, limits: { minLeases: 5, maxLeases: 3 }, taken: 5 },
    { counts: { one: 5, self: 6 }, taken: 0 },
    { counts: { self: 1 }, limits: { minLeases: 3, maxLeases: null }, taken: 0 },
  ] as { id?: string; counts: Record<string, number>; limits?: LeaseLimits; taken: number; from?: string }[])(
    'takes its share: $id $counts → $taken',
    ({ counts, limits = unlimited, taken, from = '' }) => {
      const { take, ask } = select({ ...situation(counts), limits })
      expect(new Set(tokensOf(take)).size).toBe(taken)
      for (const lease of take) expect(lease.leaseToken).toMatch(new RegExp(`^${from}`))
      expect(ask).toEqual([])
    },
  )

  it('chooses other leases than instances that decide at the same time', () => {
    const chosen = [1, 2, 3, 4].map((seed) => {
      const random = seededRandom(seed)
      return tokensOf(select({ ...situation({ free: 30, other: 20 }), random: () => random.next() }).take)
    })
    expect(new Set(chosen.map((tokens) => tokens.join())).size).toBe(4)
  })

  it('counts another incarnation of its name as another instance', () => {
    const twin = acquire(aLease({ leaseToken: '1' }), { ...self, incarnation: 'self-0' }, 0)
    const leases = [twin, acquire(aLease(), self, 0)]
    expect(select({ leases })).toEqual({ take: [], ask: [] })
  })

  it('takes only as many leases as it lacks of its share', () => {
    expect(select(situation({ self: 2, other: 2, free: 10 })).take).toHaveLength(5)
  })

  it('counts an instance that gives its last lease away', () => {
    const leaving = requestHandover(acquire(aLease({ leaseToken: 'last' }), life('leaving'), 0), life('next'))
    // Three instances share six leases: the one that leaves, the one it leaves to, and this one.
    expect(select({ leases: [leaving, ...situation({ free: 5 }).leases] }).take).toHaveLength(2)
  })

  it('counts names that differ in case as one, as .NET does (F-L22)', () => {
    const dotNet = ['Host', 'host', 'HOST'].map((owner, index) => aLease({ leaseToken: `${index}`, owner }))
    // Two of three are its share when there are two instances; if there were four, it would be one.
    expect(select({ leases: [...dotNet, aLease({ leaseToken: '3' })] }).take).toHaveLength(1)
    expect(select({ leases: dotNet }).ask).toHaveLength(1)
  })
})

describe('an instance that requests leases (§3.1 where .NET steals one)', () => {
  it.each([
    { id: 'B75', counts: { other: 2 }, asked: { other: 1 } },
    { id: 'B80', counts: { one: 5, two: 10 }, asked: { two: 5 } },
    { id: 'B81', counts: { one: 5, self: 6 }, asked: {} },
    { id: 'B82', counts: { one: 5, self: 5 }, asked: {} },
    { id: 'B83', counts: { one: 4, self: 3 }, asked: {} },
    { id: 'B84', counts: { one: 4, self: 2 }, asked: { one: 1 } },
    { id: 'B85', counts: { one: 10, two: 10, self: 8 }, asked: { any: 1 } },
    { counts: { one: 1, two: 1, three: 1 }, asked: {} },
    { counts: { one: 100 }, asked: { one: 50 } },
    { counts: { one: 3, two: 3, three: 3, self: 1 }, asked: { any: 1 } },
    { counts: { one: 10 }, limits: { minLeases: null, maxLeases: 2 }, asked: { one: 2 } },
  ] as {
    id?: string
    counts: Record<string, number>
    limits?: LeaseLimits
    asked: Record<string, number>
  }[])('requests what it lacks: $id $counts → $asked', ({ counts, limits = unlimited, asked }) => {
    const { take, ask } = select({ ...situation(counts), limits })
    expect(take).toEqual([])
    const from: Record<string, number> = {}
    for (const { owner } of ask) {
      const name = owner !== null && owner in asked ? owner : 'any'
      from[name] = (from[name] ?? 0) + 1
    }
    expect(from).toEqual(asked)
  })

  it('requests no more than it lacks beyond what it has requested already', () => {
    const { leases } = situation({ one: 4 })
    const asked = leases.map((lease, index) => (index < 2 ? requestHandover(lease, self) : lease))
    expect(select({ leases: asked })).toEqual({ take: [], ask: [] })
  })

  it('requests a lease that another has requested in excess, so that each lease moves once', () => {
    const { leases } = situation({ one: 6 })
    const asked = leases.map((lease, index) => (index < 3 ? requestHandover(lease, life('two')) : lease))
    const { ask } = select({ leases: asked })
    expect(ask.map(({ handover }) => handover?.instanceName ?? null).sort()).toEqual([null, 'two'])
  })

  it('first requests leases that another instance has requested but does not read yet', () => {
    const two = situation({ two: 4 }).leases
    const moving = situation({ one: 2 }).leases.map((lease) => requestHandover(lease, life('two')))
    expect(tokensOf(select({ leases: [...two, ...moving] }).ask).sort()).toEqual(['one-0', 'one-1'])
  })

  it('takes released leases that another has requested in excess, and requests none', () => {
    const moving = situation({ one: 6 }).leases.map((lease) => requestHandover(lease, life('two')))
    const leases = moving.map((lease, index) => (index < 2 ? release(lease, 0) : lease))
    const { take, ask } = select({ leases })
    expect(tokensOf(take).sort()).toEqual(['one-0', 'one-1'])
    expect(ask).toEqual([])
  })

  it('takes a lease that was promised to another instance only after that promise lapses', () => {
    const promised = release(requestHandover(aLease({ leaseToken: 'p' }), life('dead')), 0)
    const others = situation({ one: 1 }).leases
    expect(select({ leases: [promised, ...others] })).toEqual({ take: [], ask: [] })
    expect(tokensOf(select({ leases: [promised, ...others], lapsed: new Set(['p']) }).take)).toEqual(['p'])
  })
})

describe('a requested lease', () => {
  const owned = situation({ other: 2 }).leases
  const asked = owned.map((lease, index) => (index === 0 ? requestHandover(lease, self) : lease))

  it('is taken when it is handed over, even while other leases are free', () => {
    const handedOver = asked.map((lease, index) => (index === 0 ? release(lease, 0) : lease))
    expect(tokensOf(select({ leases: handedOver }).take)).toEqual(['other-0'])
    const free = [aLease({ leaseToken: 'f0' }), aLease({ leaseToken: 'f1' })]
    expect(tokensOf(select({ leases: [...free, ...handedOver] }).take)).toContain('other-0')
  })

  it('is taken when its owner does not answer (D3)', () => {
    expect(select({ leases: asked }).take).toEqual([])
    expect(tokensOf(select({ leases: asked, unanswered: new Set(['other-0']) }).take)).toEqual(['other-0'])
  })

  it('is free for every instance when its owner has died', () => {
    const forAnother = asked.map((lease) => requestHandover(lease, life('third')))
    const { take } = select({ leases: forAnother, expired: new Set(['other-0']) })
    expect(tokensOf(take)).toEqual(['other-0'])
  })

  it('is left to another instance when the requester has requested more than its share', () => {
    const mine = Array.from({ length: 4 }, (_, index) =>
      release(requestHandover(aLease({ leaseToken: `${index}` }), self), 0),
    )
    const theirs = situation({ other: 2 }).leases
    expect(select({ leases: [...mine, ...theirs] }).take).toHaveLength(3)
    expect(select({ leases: [...mine, ...theirs], self: life('other') }).take).toHaveLength(1)
  })
})

interface Fleet {
  readonly instances: readonly string[]
  readonly random: () => number
  /** Every instance decides on leases as they were when the round began. */
  readonly isStale: boolean
}

/** Every instance decides in turn; then every requested lease is handed over, which `moved` counts. */
function round(leases: Lease[], { instances, random, isStale }: Fleet): { acted: number; moved: number } {
  const before = [...leases]
  let [acted, moved] = [0, 0]
  for (const owner of instances.map(life)) {
    const { take, ask } = select({ self: owner, leases: isStale ? before : leases, random })
    for (const wanted of [...take, ...ask]) {
      const index = leases.findIndex((lease) => lease.leaseToken === wanted.leaseToken)
      const current = leases[index]
      // Another instance was faster, so the conditional write is refused.
      if (current?.owner !== wanted.owner || current.handover !== wanted.handover) continue
      leases[index] = take.includes(wanted) ? acquire(wanted, owner, 0) : requestHandover(wanted, owner)
      acted += 1
    }
  }
  leases.forEach((lease, index) => {
    if (lease.owner === null || lease.handover === null) return
    leases[index] = release(lease, 0)
    moved += 1
  })
  return { acted, moved }
}

describe('n instances and m leases', () => {
  const world = fc.record({
    instanceCount: fc.integer({ min: 1, max: 12 }),
    leaseCount: fc.integer({ min: 1, max: 60 }),
    seed: fc.integer(),
    isStale: fc.boolean(),
    heldByFirst: fc.boolean(),
  })

  it('soon settle with counts that differ by at most one, and stay there (F-L20)', () => {
    fc.assert(
      fc.property(world, ({ instanceCount, leaseCount, seed, isStale, heldByFirst }) => {
        const generator = seededRandom(seed)
        const instances = Array.from({ length: instanceCount }, (_, index) => `host-${index}`)
        const fleet = { instances, random: () => generator.next(), isStale }
        const { leases } = situation(heldByFirst ? { 'host-0': leaseCount } : { free: leaseCount })
        let moves = 0
        let rounds = 0
        // After a round without an action, all further rounds are the same.
        for (let acted = 1; acted > 0; rounds += 1) {
          const result = round(leases, fleet)
          acted = result.acted
          moves += result.moved
          if (rounds > 2 * leaseCount + 20) throw new Error('they do not come to rest')
        }
        const counts = instances.map((name) => leases.filter((lease) => lease.owner === name).length)
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
        expect(round(leases, { ...fleet, isStale: !isStale }).acted).toBe(0)
        // A lease moves twice only when all instances decide on the same old listing.
        expect(moves).toBeLessThanOrEqual((isStale ? 2 : 1) * leaseCount + instanceCount)
      }),
      { numRuns: 300 },
    )
  })

  it.each([
    [2, 100],
    [10, 100],
    [50, 100],
    [100, 1_000],
  ])('settle within 3 rounds when %i instances share the %i leases of one', (instanceCount, leaseCount) => {
    const instances = Array.from({ length: instanceCount }, (_, index) => `host-${index}`)
    const generator = seededRandom(instanceCount)
    const { leases } = situation({ 'host-0': leaseCount })
    let moves = 0
    for (let rounds = 0; rounds < 3; rounds += 1)
      moves += round(leases, { instances, random: () => generator.next(), isStale: false }).moved
    const counts = instances.map((name) => leases.filter((lease) => lease.owner === name).length)
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
    // Each lease moves once, because refused requests are known before any lease moves.
    expect(moves).toBe(leaseCount - Math.ceil(leaseCount / instanceCount))
  })
})
