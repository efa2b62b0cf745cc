import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  contains,
  cutEvenly,
  keySpaceOf,
  readChanges,
  type Container,
} from '../../../../src/emulator/engine/index.js'
import { aContainer, anEngine, upsertOf } from './an-engine.js'

const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
const keys = fc.constantFrom('k1', 'k2', 'k3')

const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('upsert' as const), id: ids, pk: keys }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), id: ids, pk: keys }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('batch' as const),
      ids: fc.array(ids, { minLength: 1, maxLength: 8 }),
      pk: keys,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      maxItemCount: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('split' as const), at: fc.nat(10) }) },
)

type Action = typeof action extends fc.Arbitrary<infer T> ? T : never

/** A reader of the whole container, which has a position for each range and follows splits. */
class Reader {
  private readonly positions = new Map<string, number>()
  readonly seen = new Map<string, string>()

  constructor(
    private readonly container: Container,
    private readonly part: { min: string; max: string },
  ) {}

  read(maxItemCount: number): number {
    let count = 0
    for (const partition of this.container.partitions) {
      const parent = partition.identity.parents.findLast((id) => this.positions.has(id)) ?? ''
      const lsn = this.positions.get(partition.id) ?? this.positions.get(parent) ?? 0
      const page = readChanges(this.container, partition, {
        start: { kind: 'after', lsn },
        range: this.part,
        maxItemCount,
      })
      this.positions.set(partition.id, page.lsn)
      for (const version of page.versions)
        this.seen.set(`${version.fields.keyText}${version.id}`, version.etag)
      count += page.versions.length
      const lsns = page.versions.map((version) => version.lsn)
      expect(lsns).toEqual([...lsns].sort((a, b) => a - b))
    }
    return count
  }

  drain(): void {
    for (let pages = 0; this.read(3) > 0; pages += 1) {
      if (pages > 1_000) throw new Error('the feed never ends')
    }
  }
}

function apply(container: Container, step: Action, live: Map<string, string>): void {
  if (step.kind === 'split') {
    const partition = container.partitions[step.at % container.partitions.length]
    if (partition !== undefined && container.partitions.length < 6) container.splitPartition(partition.id)
    return
  }
  if (step.kind === 'upsert') {
    const { version } = container.execute([step.pk], upsertOf(step.id, step.pk))
    live.set(`["${step.pk}"]${step.id}`, version?.etag ?? '')
  } else if (step.kind === 'delete') {
    if (!live.delete(`["${step.pk}"]${step.id}`)) return
    container.execute([step.pk], { kind: 'delete', id: step.id })
  } else if (step.kind === 'batch') {
    const result = container.batch(
      [step.pk],
      step.ids.map((id) => upsertOf(id, step.pk)),
    )
    if (result.kind === 'rolledBack') throw result.refusal
    for (const { version } of result.results)
      live.set(`["${step.pk}"]${version?.id ?? ''}`, version?.etag ?? '')
  }
}

describe('readChanges', () => {
  it('shows every reader the latest version of every document despite writes, reads and splits', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), fc.integer({ min: 1, max: 3 }), (actions, count) => {
        const container = aContainer(anEngine(), {}, count)
        const ranges = cutEvenly(3, keySpaceOf({ version: 2 }))
        const readers = ranges.map((part) => ({ part, reader: new Reader(container, part) }))
        const live = new Map<string, string>()
        for (const step of actions) {
          if (step.kind === 'read') for (const { reader } of readers) reader.read(step.maxItemCount)
          else apply(container, step, live)
        }
        for (const { reader } of readers) reader.drain()
        for (const partition of container.partitions) {
          expect([...partition.changes.after(0)]).toHaveLength(partition.documents.size)
          for (const version of partition.documents.after(0)) {
            const owners = readers.filter(({ part }) => contains(part, version.fields.epk))
            expect(owners).toHaveLength(1)
            const name = `${version.fields.keyText}${version.id}`
            expect(owners[0]?.reader.seen.get(name)).toBe(version.etag)
            expect(live.get(name)).toBe(version.etag)
          }
        }
        expect(container.documentCount).toBe(live.size)
      }),
      { numRuns: 150 },
    )
  })

  it('keeps a transaction together and stops at the next', () => {
    const container = aContainer()
    container.batch(
      ['a'],
      ['x', 'y', 'z'].map((id) => upsertOf(id, 'a')),
    )
    container.execute(['a'], upsertOf('later', 'a'))
    const [partition] = container.partitions
    if (partition === undefined) throw new Error('a container has a partition')
    const page = readChanges(container, partition, { start: { kind: 'beginning' }, maxItemCount: 2 })
    expect(page.versions.map(({ id }) => id)).toEqual(['x', 'y', 'z'])
    expect(page).toMatchObject({ lsn: 1, isDrained: false })
  })

  it('cuts a page at four megabytes', () => {
    const container = aContainer()
    const text = 'x'.repeat(1_500_000)
    for (const id of ['a', 'b', 'c', 'd']) container.execute(['a'], upsertOf(id, 'a', { text }))
    const [partition] = container.partitions
    if (partition === undefined) throw new Error('a container has a partition')
    const page = readChanges(container, partition, { start: { kind: 'beginning' }, maxItemCount: 100 })
    expect(page.versions).toHaveLength(2)
  })

  it('shows new changes to a reader whose position is beyond the last LSN', () => {
    const container = aContainer()
    const [partition] = container.partitions
    if (partition === undefined) throw new Error('a container has a partition')
    const lost = readChanges(container, partition, { start: { kind: 'after', lsn: 99 }, maxItemCount: 10 })
    expect(lost.lsn).toBe(0)
  })
})
