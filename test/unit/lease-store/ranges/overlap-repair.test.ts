import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FeedRange, Lease } from '../../../../lease-store/index.js'
import {
  canMeet,
  findOverlaps,
  leaseTokenOf,
  planOverlapRepairs,
  staying,
} from '../../../../lease-store/internal.js'
import { aLease } from '../../../support/a-lease.js'

interface At extends FeedRange {
  readonly token?: string
  /** A continuation token without its quotes, or null for the beginning. */
  readonly lsn?: number | null
}

function leaseAt({ min, max, token, lsn = 5 }: At): Lease {
  const feedRange = { min, max }
  const position =
    lsn === null
      ? { continuationToken: null, firstPosition: { kind: 'beginning' } as const }
      : { continuationToken: `"${lsn}"`, firstPosition: null }
  return aLease({ leaseToken: token ?? leaseTokenOf(feedRange), feedRange, ...position })
}

function described(leases: readonly Lease[], earlier: readonly Lease[] = leases) {
  return planOverlapRepairs(leases, earlier).map(({ goes, rest, by }) => ({
    goes: goes.leaseToken,
    rest: rest.map(leaseTokenOf),
    by: by.map(({ leaseToken }) => leaseToken),
  }))
}

describe('the repair of overlapping leases (I11)', () => {
  const [whole, left, right] = [
    { min: '', max: 'FF' },
    { min: '', max: '80' },
    { min: '80', max: 'FF' },
  ]
  it.each<{ name: string; leases: At[]; repairs: ReturnType<typeof described> }>([
    { name: 'is none where they only touch', leases: [left, right], repairs: [] },
    {
      name: 'removes a parent whose children are there',
      leases: [whole, left, right],
      repairs: [{ goes: '-FF', rest: [], by: ['-80', '80-FF'] }],
    },
    {
      name: 'creates leases for ranges that no other lease covers',
      leases: [whole, { min: '40', max: '80' }],
      repairs: [{ goes: '-FF', rest: ['-40', '80-FF'], by: ['40-80'] }],
    },
    {
      name: 'cuts the wider of two that overlap by halves',
      leases: [
        { min: '', max: '80' },
        { min: '60', max: 'A0' },
      ],
      repairs: [{ goes: '-80', rest: ['-60'], by: ['60-A0'] }],
    },
    {
      name: 'cuts the wider of two also where it begins later',
      leases: [
        { min: '20', max: '60' },
        { min: '10', max: '30' },
      ],
      repairs: [{ goes: '20-60', rest: ['30-60'], by: ['10-30'] }],
    },
    {
      name: 'keeps the one that is named by its bounds, whatever the other is called',
      leases: [
        { min: '20', max: '40', token: '1' },
        { min: '20', max: '40' },
      ],
      repairs: [{ goes: '1', rest: [], by: ['20-40'] }],
    },
    {
      name: 'keeps of two for one range the one that is named by it, as .NET converts them',
      leases: [{ ...whole, token: '0' }, whole],
      repairs: [{ goes: '0', rest: [], by: ['-FF'] }],
    },
    {
      name: 'waits for one that is behind those that stay (I10)',
      leases: [{ ...whole, lsn: 4 }, left, right],
      repairs: [],
    },
    {
      name: 'waits for it also where only one of them is ahead',
      leases: [whole, left, { ...right, lsn: 6 }],
      repairs: [],
    },
    {
      name: 'keeps those that begin at the beginning',
      leases: [whole, { ...left, lsn: null }, { ...right, lsn: null }],
      repairs: [{ goes: '-FF', rest: [], by: ['-80', '80-FF'] }],
    },
    { name: 'waits for one that has no position yet', leases: [{ ...whole, lsn: null }, left], repairs: [] },
    {
      name: 'compares positions as numbers',
      leases: [
        { ...whole, lsn: 10 },
        { ...left, lsn: 9 },
        { ...right, lsn: 9 },
      ],
      repairs: [{ goes: '-FF', rest: [], by: ['-80', '80-FF'] }],
    },
  ])('$name', ({ leases, repairs }) => {
    expect(described(leases.map(leaseAt))).toEqual(repairs)
  })

  it('is none unless the previous listing contained every lease involved', () => {
    const [parent, child, sibling] = [leaseAt(whole), leaseAt(left), leaseAt(right)]
    expect(described([parent, child, sibling], [parent])).toEqual([])
    expect(described([parent, child, sibling], [child, sibling])).toEqual([])
    expect(described([parent, child, sibling], [parent, child])).toEqual([])
  })

  it('compares the position of the removed lease with earlier positions of the leases that stay', () => {
    const [parent, child, sibling] = [leaseAt({ ...whole, lsn: 7 }), leaseAt(left), leaseAt(right)]
    const ahead = [leaseAt({ ...left, lsn: 20 }), leaseAt({ ...right, lsn: 30 })]
    expect(described([parent, ...ahead], [parent, child, sibling])).toHaveLength(1)
    expect(described([parent, ...ahead])).toEqual([])
  })

  it('compares instants with instants, but never with transaction numbers', () => {
    const from = (atMs: number, range: At): Lease => ({
      ...leaseAt(range),
      continuationToken: null,
      firstPosition: { kind: 'time', atMs },
    })
    expect(described([from(2_000, whole), from(1_000, left), from(2_000, right)])).toHaveLength(1)
    expect(described([from(2_000, whole), from(2_001, left)])).toEqual([])
    expect(described([leaseAt(whole), from(1_000, left)])).toEqual([])
    expect(described([from(1_000, whole), leaseAt(left)])).toEqual([])
    const begun = { ...from(2_000, whole), continuationToken: '"5"' }
    expect(described([begun, from(1_000, left), from(1_000, right)])).toEqual([])
  })

  it('is none if a lease involved has no position', () => {
    const unknown = (range: At): Lease => ({
      ...leaseAt(range),
      continuationToken: null,
      firstPosition: null,
    })
    const timed = (range: At): Lease => ({ ...unknown(range), firstPosition: { kind: 'time', atMs: 1 } })
    expect(described([timed(whole), unknown(left), unknown(right)])).toEqual([])
    expect(described([unknown(whole), timed(left), timed(right)])).toEqual([])
    expect(described([unknown(whole), unknown(left), unknown(right)])).toEqual([])
  })

  it('is none between leases of two feed modes, or with an unreadable token', () => {
    const other: Lease = { ...leaseAt(left), mode: 'Full-Fidelity Feed' }
    expect(described([leaseAt(whole), other])).toEqual([])
    expect(canMeet(leaseAt(whole), other)).toBe(false)
    for (const continuationToken of ['"a"', '"5"x', 'x"5"', '5'])
      expect(canMeet(leaseAt(whole), { ...leaseAt(left), continuationToken })).toBe(false)
    expect(canMeet({ ...leaseAt(whole), continuationToken: '"a"' }, leaseAt(left))).toBe(false)
    expect(canMeet(leaseAt(whole), leaseAt({ ...left, lsn: null }))).toBe(true)
    expect(described([leaseAt(whole), { ...leaseAt(left), continuationToken: '"a"' }])).toEqual([])
    const unreadable: Lease = { ...leaseAt(whole), continuationToken: '"a"' }
    expect(described([unreadable, leaseAt({ ...left, lsn: 0 }), leaseAt({ ...right, lsn: 0 })])).toEqual([])
  })

  it('keeps the same lease in whatever order two leases are compared', () => {
    const [one, other] = [leaseAt({ min: '', max: '40' }), leaseAt({ min: '20', max: '60' })]
    expect(staying(one, other)).toEqual(staying(other, one))
    const byIds = [leaseAt({ ...whole, token: '1' }), leaseAt({ ...whole, token: '2' })] as const
    expect(staying(...byIds).stays.leaseToken).toBe('1')
  })
})

/** The number of cells into which the key space is divided, and of changes in each cell. */
const [cellCount, changeCount] = [6, 12]
const bounds = ['', '20', '40', '60', '80', 'A0', 'FF'] as const

interface Stored {
  readonly from: number
  readonly to: number
  readonly lsn: number
  readonly version: number
  /** The version with which it was created. */
  readonly madeAs: number
  /** `madeAs` of the lease that was split into it, or null if no split made it. */
  readonly parent: number | null
}

type New = Pick<Stored, 'from' | 'to' | 'lsn'> & Partial<Pick<Stored, 'parent'>>

/** Leases in a store, and the changes that their readers have delivered: a model, not the code under test. */
class Feed {
  readonly stored = new Map<string, Stored>()
  readonly delivered = Array.from({ length: cellCount }, () => new Set<number>())
  private lastVersion = 0

  create(token: string, { from, to, lsn, parent = null }: New): boolean {
    if (this.stored.has(token)) return false
    this.write(token, { from, to, lsn, parent, madeAs: this.lastVersion + 1 })
    return true
  }

  read(token: string, count: number): void {
    const lease = this.stored.get(token)
    if (lease === undefined) return
    const lsn = Math.min(changeCount, lease.lsn + count)
    for (let cell = lease.from; cell < lease.to; cell += 1)
      for (let change = lease.lsn + 1; change <= lsn; change += 1) this.delivered[cell]?.add(change)
    this.write(token, { ...lease, lsn })
  }

  /** Creates the children, then deletes the parent. `isCutShort`: the owner crashes after the first child. */
  split(token: string, isCutShort: boolean): void {
    const lease = this.stored.get(token)
    if (lease === undefined || lease.to - lease.from < 2) return
    const middle = Math.floor((lease.from + lease.to) / 2)
    const parts = [
      { ...lease, to: middle, parent: lease.madeAs },
      { ...lease, from: middle, parent: lease.madeAs },
    ]
    // The split fails if one of its parts exists, did not come from this lease, and is ahead of it.
    const isTaken = parts.some(({ from, to }) => {
      const there = this.stored.get(tokenOf(from, to))
      return there !== undefined && there.parent !== lease.madeAs && there.lsn > lease.lsn
    })
    if (isTaken) return
    for (const part of isCutShort ? parts.slice(0, 1) : parts) this.create(tokenOf(part.from, part.to), part)
    if (!isCutShort) this.stored.delete(token)
  }

  listed(): Lease[] {
    return [...this.stored].map(([token, { from, to, lsn, version }]) => ({
      ...leaseAt({ min: bounds[from] ?? '', max: bounds[to] ?? '', token, lsn }),
      etag: String(version),
    }))
  }

  isCovered(cell: number): boolean {
    return [...this.stored.values()].some(({ from, to }) => from <= cell && cell < to)
  }

  private write(token: string, lease: Omit<Stored, 'version'>): void {
    this.lastVersion += 1
    this.stored.set(token, { ...lease, version: this.lastVersion })
  }
}

function tokenOf(from: number, to: number): string {
  return leaseTokenOf({ min: bounds[from] ?? '', max: bounds[to] ?? '' })
}

function cellAt(bound: string): number {
  return bounds.indexOf(bound as (typeof bounds)[number])
}

/** An instance that lists the leases and later applies its planned repairs, one request at a time. */
class Host {
  private earlier: readonly Lease[] = []
  private requests: (() => boolean)[][] = []

  constructor(private readonly feed: Feed) {}

  look(): void {
    const leases = this.feed.listed()
    const repairs = planOverlapRepairs(leases, this.earlier)
    this.earlier = leases
    this.requests = repairs.map(({ goes, rest }) => [
      ...rest.map(
        (part) => () =>
          this.feed.create(leaseTokenOf(part), {
            from: cellAt(part.min),
            to: cellAt(part.max),
            lsn: lsnIn(goes),
          }),
      ),
      () => {
        const isUnchanged = String(this.feed.stored.get(goes.leaseToken)?.version) === goes.etag
        return isUnchanged && this.feed.stored.delete(goes.leaseToken)
      },
    ])
  }

  request(): void {
    const [repair] = this.requests
    const next = repair?.shift()
    if (!next?.()) this.requests.shift()
  }
}

function lsnIn({ continuationToken }: Lease): number {
  return Number(continuationToken?.slice(1, -1))
}

type Act =
  | { readonly act: 'look' | 'request'; readonly host: number }
  | { readonly act: 'read' | 'split'; readonly lease: number; readonly count: number }

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ act: fc.constantFrom('look', 'request'), host: fc.nat(1) }),
  fc.record({ act: fc.constantFrom('read', 'split'), lease: fc.nat(7), count: fc.nat(4) }),
)

const initial = fc.array(
  fc.record({
    from: fc.nat(cellCount - 1),
    width: fc.integer({ min: 1, max: cellCount }),
    lsn: fc.nat(changeCount),
    isNumbered: fc.boolean(),
  }),
  { minLength: 1, maxLength: 6 },
)

function perform(feed: Feed, hosts: readonly Host[], what: Act): void {
  if ('host' in what) {
    hosts[what.host]?.[what.act]()
    return
  }
  const token = [...feed.stored.keys()][what.lease % feed.stored.size] ?? ''
  if (what.act === 'read') feed.read(token, what.count)
  else feed.split(token, what.count === 0)
}

describe('two hosts that repair leases at once, while these are read and split', () => {
  it('leave no gap at any time, and in the end no overlap and no undelivered change (I10, I11, I12)', () => {
    fc.assert(
      fc.property(initial, fc.array(act, { maxLength: 60 }), (leases, acts) => {
        const feed = new Feed()
        leases.forEach(({ from, width, lsn, isNumbered }, index) => {
          const to = Math.min(cellCount, from + width)
          feed.create(isNumbered ? String(index) : tokenOf(from, to), { from, to, lsn })
        })
        const cells = feed.delivered.map((_, cell) => cell).filter((cell) => feed.isCovered(cell))
        const begins = cells.map((cell) =>
          Math.min(
            ...[...feed.stored.values()]
              .filter(({ from, to }) => from <= cell && cell < to)
              .map(({ lsn }) => lsn),
          ),
        )
        const hosts = [new Host(feed), new Host(feed)]
        for (const one of acts) {
          perform(feed, hosts, one)
          expect(cells.filter((cell) => !feed.isCovered(cell))).toEqual([])
        }
        const readAll = (): void => {
          for (const token of feed.stored.keys()) feed.read(token, changeCount)
        }
        for (let round = 0; round < 2 * cellCount; round += 1) {
          readAll()
          hosts[0]?.look()
          for (let request = 0; request < 40; request += 1) hosts[0]?.request()
        }
        readAll()
        const { replaced, doubled } = findOverlaps(feed.listed())
        expect([replaced, doubled]).toEqual([[], []])
        cells.forEach((cell, index) => {
          const due = Array.from({ length: changeCount - (begins[index] ?? 0) }, (_, at) => changeCount - at)
          expect(due.filter((change) => feed.delivered[cell]?.has(change) !== true)).toEqual([])
        })
      }),
      { numRuns: 500 },
    )
  })
})
