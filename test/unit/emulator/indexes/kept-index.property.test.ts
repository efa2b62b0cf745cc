import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Container, OrderedPath } from '../../../../src/emulator/engine/index.js'
import { scan } from '../../../../src/emulator/engine/index.js'
import { ContainerIndexes } from '../../../../src/emulator/indexes/container-indexes.js'
import { DocumentIndex } from '../../../../src/emulator/indexes/document-index.js'
import { IndexPending } from '../../../../src/emulator/indexes/index-pending.js'
import { KeptIndex } from '../../../../src/emulator/indexes/kept-index.js'
import { aContainer, anEngine, upsertOf } from '../engine/an-engine.js'

const paths: readonly OrderedPath[] = [{ steps: ['value'], isDescending: false }]

const write = fc.record({ kind: fc.constant('write' as const), id: fc.nat(60), value: fc.nat(5) })
const remove = fc.record({ kind: fc.constant('remove' as const), id: fc.nat(60) })
const slice = fc.record({
  kind: fc.constant('slice' as const),
  documents: fc.integer({ min: 1, max: 9 }),
  bytes: fc.integer({ min: 1, max: 2_000 }),
})
const steps = fc.array(fc.oneof(write, write, remove, slice), { minLength: 20, maxLength: 80 })

function keyOf(id: number): string {
  return `k${id % 7}`
}

function put(container: Container, id: number, value: number): void {
  container.execute([keyOf(id)], upsertOf(String(id), keyOf(id), { value }))
}

function drop(container: Container, id: number): void {
  if (container.find([keyOf(id)], String(id)) === undefined) return
  container.execute([keyOf(id)], { kind: 'delete', id: String(id) })
}

function foundIn(index: DocumentIndex): readonly unknown[] {
  return Array.from(index.slice([]).numbers(false), (number) => [number, index.valueOf(number)])
}

describe('an index that catches up in slices', () => {
  it('has in the end what an index has that is built at once, whatever is written meanwhile', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const container = aContainer(anEngine(), {}, 3)
        for (let id = 0; id < 30; id += 1) put(container, id, id % 4)
        const kept = new KeptIndex(container, paths)
        container.indexes.followers.push({
          added: (version) => {
            kept.note(version.number)
          },
          removed: ({ number }) => {
            kept.note(number)
          },
        })
        for (const one of all) {
          if (one.kind === 'write') put(container, one.id, one.value)
          else if (one.kind === 'remove') drop(container, one.id)
          else kept.catchUp(one)
        }
        while (!kept.catchUp({ documents: 3, bytes: 1_000 }));
        const fresh = new DocumentIndex(paths, scan(container))
        expect(foundIn(kept.index)).toEqual(foundIn(fresh))
        expect(kept.index.size).toBe(container.documentCount)
      }),
      { numRuns: 200, seed: 20_261_123 },
    )
  })
})

describe('the indexes of a container', () => {
  it('makes a query wait for an index that is far behind, and is then ready', async () => {
    const container = aContainer()
    for (let id = 0; id < 1_500; id += 1) put(container, id, id)
    const indexes = ContainerIndexes.of(container)
    const ready = pendingOf(() => indexes.index(paths, true))
    // A slice has 512 documents, so this one is read already, and this one is not.
    put(container, 3, 9_999)
    put(container, 1_400, 9_998)
    await ready
    const last = [...indexes.index(paths, true).slice([]).numbers(true)].slice(0, 2)
    expect(last.map((number) => container.numbered(number)?.id)).toEqual(['3', '1400'])
  })

  it('keeps an index during many writes of the same documents, and drops it when a new one costs less', () => {
    const container = aContainer()
    for (let id = 0; id < 4_000; id += 1) put(container, id, id)
    const indexes = ContainerIndexes.of(container)
    const index = indexes.index(paths)
    for (let time = 0; time < 20_000; time += 1) put(container, time % 3_000, time)
    expect(indexes.index(paths)).toBe(index)
    for (let id = 0; id < 3_600; id += 1) put(container, id, 1)
    expect(indexes.size).toBe(0)
    expect(indexes.index(paths).size).toBe(4_000)
  })

  it('stops catching up when a split replaces the indexes', async () => {
    const container = aContainer()
    for (let id = 0; id < 1_500; id += 1) put(container, id, id)
    const ready = pendingOf(() => ContainerIndexes.of(container).index(paths, true))
    const before = ContainerIndexes.of(container)
    container.splitPartition('0')
    await ready
    expect(ContainerIndexes.of(container)).not.toBe(before)
    await pendingOf(() => ContainerIndexes.of(container).index(paths, true))
    expect(ContainerIndexes.of(container).index(paths, true).size).toBe(1_500)
  })
})

function pendingOf(ask: () => unknown): Promise<void> {
  try {
    ask()
  } catch (error) {
    if (error instanceof IndexPending) return error.ready
    throw error
  }
  throw new Error('the index was expected to be far behind')
}
