import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Container, JsonObject } from '../../../../src/emulator/engine/index.js'
import { ContainerIndexes } from '../../../../src/emulator/indexes/container-indexes.js'
import { allRows, documentOf, keyOf, query, repartition, textOf, value, values } from './random-queries.js'
import { aContainer, anEngine, upsertOf } from '../engine/an-engine.js'

/** More documents than the smallest container for which indexes are built. */
const count = 1_300

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('query' as const),
      query,
      size: fc.constantFrom(3, 100, 5_000),
      scope: fc.nat(3),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      id: fc.nat(count + 20),
      few: value,
      many: value,
      ttl: fc.constantFrom(undefined, 1),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), id: fc.nat(count) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('time' as const), seconds: fc.integer({ min: 1, max: 2 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('repartition' as const) }) },
)

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const indexingPolicy = {
  includedPaths: [{ path: '/*' }],
  excludedPaths: [{ path: '/excluded/?' }],
  compositeIndexes: [
    [{ path: '/few' }, { path: '/many' }],
    [{ path: '/some/a' }, { path: '/few', order: 'descending' }, { path: '/many' }],
    [{ path: '/few', order: 'descending' }, { path: '/id' }],
  ],
}

/** Two containers with the same documents. Only the first one has indexes. */
class Twins {
  private seconds = 0
  mostIndexes = 0
  readonly containers: readonly [Container, Container]

  constructor() {
    const now = (): number => (1_000_000 + this.seconds) * 1_000
    const twin = (policy: JsonObject): Container =>
      aContainer(anEngine({ now }), { defaultTtl: -1, indexingPolicy: policy }, 2)
    this.containers = [twin(indexingPolicy), twin({ indexingMode: 'none' })]
    for (let id = 0; id < count; id += 1) {
      if (id % 100 === 0) this.seconds += 1
      this.write(id, values[(id * 7) % values.length], values[(id * id + (id >> 3)) % values.length])
    }
  }

  apply(one: Step): void {
    switch (one.kind) {
      case 'query':
        this.compare(textOf(one.query), one.size, one.scope)
        return
      case 'write':
        this.write(one.id, one.few, one.many, one.ttl)
        return
      case 'delete':
        this.delete(String(one.id), keyOf(one.id))
        return
      case 'time':
        this.seconds += one.seconds
        return
      case 'repartition':
        for (const container of this.containers) repartition(container)
    }
  }

  private write(id: number, few: unknown, many: unknown, ttl?: number): void {
    const document = { ...documentOf(id, few, many), ...(ttl === undefined ? {} : { ttl }) }
    for (const container of this.containers)
      container.execute([keyOf(id)], upsertOf(String(id), keyOf(id), document))
  }

  private delete(id: string, key: string): void {
    for (const container of this.containers) {
      if (container.find([key], id) !== undefined) container.execute([key], { kind: 'delete', id })
    }
  }

  private compare(text: string, size: number, scope: number): void {
    const [indexed, plain] = this.containers.map((container) => allRows(container, text, size, scope))
    expect(indexed, text).toEqual(plain)
    this.mostIndexes = Math.max(this.mostIndexes, ContainerIndexes.of(this.containers[0]).size)
  }
}

describe('a container with indexes', () => {
  it('gives the same rows in the same order as one without', { timeout: 60_000 }, () => {
    const twins = new Twins()
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 20 }), (steps) => {
        for (const one of steps) twins.apply(one)
      }),
      { numRuns: Number(process.env['INDEX_RUNS'] ?? 60), seed: 20_261_122 },
    )
    expect(twins.mostIndexes).toBeGreaterThan(0)
  })
})
