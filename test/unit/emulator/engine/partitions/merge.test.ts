import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readChanges, type Container } from '../../../../../src/emulator/engine/index.js'
import { type upsertOf, aContainer, anEngine, refusalOf } from '../an-engine.js'

/** Returns the ids after an LSN in the order of the feed, page by page. */
function feedAfter(container: Container, rangeId: string, lsn: number, maxItemCount = 3): readonly string[] {
  const partition = container.partitionById(rangeId)
  const { range } = partition
  const ids: string[] = []
  let after = lsn
  while (true) {
    const page = readChanges(container, partition, {
      start: { kind: 'after', lsn: after },
      range,
      maxItemCount,
    })
    ids.push(...page.versions.map((version) => version.id))
    if (page.isDrained) return ids
    after = page.lsn
  }
}

describe('the merge of two physical partitions', () => {
  it('continues after the larger LSN, under a new id with both parents', () => {
    const container = aContainer(anEngine(), {}, 2)
    for (let index = 0; index < 20; index += 1) container.execute([index], upsertNumbered(index))
    const lsns = container.partitions.map((partition) => partition.lsn)
    expect(lsns[0]).not.toBe(lsns[1])
    const child = container.mergePartitions(['1', '0'])
    expect(container.partitions).toEqual([child])
    expect(child.identity).toEqual({ id: '2', range: { min: '', max: 'FF' }, parents: ['0', '1'] })
    expect(child.lsn).toBe(Math.max(...lsns))
    expect(container.documentCount).toBe(20)
  })

  it('makes the parents’ ids stale, and does not reuse them', () => {
    const container = aContainer(anEngine(), {}, 2)
    container.mergePartitions(['0', '1'])
    expect(refusalOf(() => container.partitionById('1'))).toMatchObject({ status: 410, substatus: 1002 })
    const children = container.splitPartition('2')
    expect(children.map(({ identity }) => [identity.id, identity.parents])).toEqual([
      ['3', ['0', '1', '2']],
      ['4', ['0', '1', '2']],
    ])
  })

  it('is refused for ranges that are not neighbours, or are the same', () => {
    const container = aContainer(anEngine(), {}, 3)
    expect(refusalOf(() => container.mergePartitions(['0', '2'])).status).toBe(400)
    expect(refusalOf(() => container.mergePartitions(['1', '1'])).status).toBe(400)
    expect(refusalOf(() => container.mergePartitions(['0', '7'])).status).toBe(410)
    expect(container.partitions).toHaveLength(3)
  })

  it('keeps batches with the same LSN whole', () => {
    const container = aContainer(anEngine(), {}, 2)
    const batch = (pk: number): void => {
      const ids = Array.from({ length: 100 }, (_, index) => `${pk}-${index}`)
      container.batch(
        [pk],
        ids.map((id) => ({ kind: 'create', document: { id, pk } }) as const),
      )
    }
    const [left, right] = keysOfEach(container)
    batch(left)
    batch(right)
    const child = container.mergePartitions(['0', '1'])
    const page = readChanges(container, child, { start: { kind: 'beginning' }, maxItemCount: 1 })
    expect(new Set(page.versions.map((version) => version.id)).size).toBe(200)
    // A changed document leaves its place in the log, so it is in the feed once.
    container.execute([right], { kind: 'upsert', document: { id: `${right}-99`, pk: right } })
    expect(feedAfter(container, child.id, 0)).toHaveLength(200)
    expect(feedAfter(container, child.id, 0).at(-1)).toBe(`${right}-99`)
  })

  it('keeps the positions of all readers valid, despite any splits, merges and writes', () => {
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ kind: fc.constant('write' as const), key: fc.nat(30) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('read' as const), at: fc.nat(8) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('split' as const), at: fc.nat(8) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('merge' as const), at: fc.nat(8) }) },
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const container = aContainer(anEngine(), {}, 2)
        const readers = container.partitions.map(({ range }) => new Reader(container, range))
        steps.forEach((one, round) => {
          if (one.kind === 'write') container.execute([one.key], upsertNumbered(one.key, round))
          else if (one.kind === 'read') readers[one.at % readers.length]?.read()
          else repartition(container, one.kind, one.at)
        })
        for (const reader of readers) reader.drain()
        const seen = new Map(readers.flatMap((reader) => [...reader.seen]))
        for (const partition of container.partitions) {
          for (const version of partition.documents.after(0)) {
            expect(seen.get(version.id)).toBe(version.document['round'])
          }
        }
        expect(readers.reduce((count, reader) => count + reader.repetitions, 0)).toBe(0)
      }),
      { numRuns: 150 },
    )
  })
})

/** Reads a part of the key space, with one position per physical partition in it. */
class Reader {
  readonly seen = new Map<string, unknown>()
  repetitions = 0
  private positions: { readonly min: string; readonly max: string; readonly lsn: number }[]

  constructor(
    private readonly container: Container,
    range: { readonly min: string; readonly max: string },
  ) {
    this.positions = [{ ...range, lsn: 0 }]
  }

  /** Reads a page from the first position, which then becomes the last. Returns whether it had changes. */
  read(): boolean {
    const [position, ...others] = this.positions
    if (position === undefined) throw new Error('a reader always has a position')
    const { lsn, ...range } = position
    const partitions = this.container.partitionsIn(range)
    if (partitions.length > 1) {
      const parts = partitions.map((partition) => ({
        min: partition.range.min > range.min ? partition.range.min : range.min,
        max: partition.range.max < range.max ? partition.range.max : range.max,
        lsn,
      }))
      this.positions = [...others, ...parts]
      return true
    }
    const [partition] = partitions
    if (partition === undefined) throw new Error('every range has a partition')
    const start = { kind: 'after', lsn } as const
    const page = readChanges(this.container, partition, { start, range, maxItemCount: 2 })
    for (const version of page.versions) {
      const { round } = version.document
      if (this.seen.get(version.id) === round) this.repetitions += 1
      this.seen.set(version.id, round)
    }
    this.positions = [...others, { ...range, lsn: page.lsn }]
    return page.versions.length > 0
  }

  drain(): void {
    let idle = 0
    for (let reads = 0; idle < this.positions.length; reads += 1) {
      if (reads > 1_000) throw new Error('the feed does not end')
      idle = this.read() ? 0 : idle + 1
    }
  }
}

function repartition(container: Container, kind: 'split' | 'merge', at: number): void {
  const { partitions } = container
  const index = at % partitions.length
  const [one, other] = [partitions[index], partitions[index + 1]]
  if (kind === 'split' && one !== undefined && partitions.length < 6) container.splitPartition(one.id)
  if (kind === 'merge' && one !== undefined && other !== undefined)
    container.mergePartitions([one.id, other.id])
}

function upsertNumbered(key: number, round = 0): ReturnType<typeof upsertOf> {
  return { kind: 'upsert', document: { id: `d${key}`, pk: key, round } }
}

/** Returns a key of each of two partitions. */
function keysOfEach(container: Container): readonly [number, number] {
  const keys = Array.from({ length: 50 }, (_, key) => key)
  const [left, right] = ['0', '1'].map((id) =>
    keys.find((key) => container.locate([key]).partition.id === id),
  )
  if (left === undefined || right === undefined) throw new Error('50 keys do not fall into one partition')
  return [left, right]
}
