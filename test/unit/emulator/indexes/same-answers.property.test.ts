import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Container, JsonObject, ScanScope } from '../../../../src/emulator/engine/index.js'
import { ContainerIndexes } from '../../../../src/emulator/indexes/container-indexes.js'
import { compileQuery } from '../../../../src/emulator/query/index.js'
import { readPage } from '../../../../src/emulator/rest/pages/item-pages.js'
import { aContainer, anEngine, upsertOf } from '../engine/an-engine.js'

/** More documents than the smallest container for which indexes are built. */
const count = 1_300

const scalars = [null, false, true, -1, 0, 0.5, 3, 7, 1e9, '', 'a', 'ab', 'b', '\u00e9', '\uffff', 'z']
const values = [undefined, ...scalars, [], [1], ['a', 2], {}, { a: 1 }, { a: 'b' }]
const value = fc.constantFrom(...values)
const scalar = fc.constantFrom(...scalars).map((one) => JSON.stringify(one))

/** A small number of paths, so that conditions and orders often meet. */
const path = fc.constantFrom(
  'c.few',
  'c.many',
  'c.some.a',
  'c.list[0]',
  'c["od d"]',
  'c._ts',
  'c.id',
  'c.excluded',
)

const operator = fc.constantFrom('=', '=', '=', '<', '<=', '>', '>=', '!=')

const condition = fc.oneof(
  fc.tuple(path, operator, scalar).map((parts) => parts.join(' ')),
  fc.tuple(scalar, operator, path).map((parts) => parts.join(' ')),
  fc.tuple(path, scalar, scalar).map(([on, low, high]) => `${on} BETWEEN ${low} AND ${high}`),
  fc
    .tuple(path, fc.array(scalar, { minLength: 1, maxLength: 4 }))
    .map(([on, items]) => `${on} IN (${items.join()})`),
  fc
    .tuple(path, fc.constantFrom('', 'a', '\uffff'))
    .map(([on, prefix]) => `STARTSWITH(${on}, ${JSON.stringify(prefix)})`),
  fc.tuple(path, scalar).map(([on, one]) => `(c.few = 3 OR ${on} = ${one})`),
)

const order = fc.oneof(
  fc.tuple(path, fc.constantFrom('ASC', 'DESC')).map((parts) => parts.join(' ')),
  fc.constantFrom(
    'c.few, c.many',
    'c.few DESC, c.many DESC',
    'c.few DESC, c.many',
    'c.some.a, c.few DESC, c.many',
    'c.some.a DESC, c.few, c.many DESC',
    'c.many DESC',
  ),
)

const query = fc.record({
  top: fc.constantFrom('', '', '', 'TOP 7 ', 'DISTINCT '),
  selection: fc.constantFrom(
    ...['VALUE c.id', 'VALUE c.id', 'c.id, c.few', 'VALUE c.few', 'VALUE c.some.a', 'VALUE COUNT(1)'],
    ...['VALUE MAX(c.some.a)', 'VALUE COUNT(c.few)'],
  ),
  source: fc.constantFrom('c', 'c', 'c', 'c JOIN l IN c.list'),
  where: fc.array(condition, { maxLength: 3 }),
  order: fc.option(order, { nil: undefined }),
})

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

function keyOf(id: number): string {
  return id % 8 === 0 ? 'k2' : 'k1'
}

function documentOf(id: number, few: unknown, many: unknown): JsonObject {
  return {
    few,
    many,
    excluded: few,
    some: { a: many },
    list: [few, many],
    'od d': many,
    id: String(id),
    pk: keyOf(id),
    defaultTtl: -1,
  }
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

function textOf({ top, selection, source, where, order: by }: (Step & { kind: 'query' })['query']): string {
  const filter = where.length === 0 ? '' : ` WHERE ${where.join(' AND ')}`
  const isGrouped = /COUNT|MAX/u.test(selection)
  return `SELECT ${top}${selection} FROM ${source}${filter}${by === undefined || isGrouped ? '' : ` ORDER BY ${by}`}`
}

function repartition(container: Container): void {
  const [first, second] = container.partitions
  if (first === undefined || second === undefined) throw new Error('there are at least two partitions')
  if (container.partitions.length > 2) container.mergePartitions([first.id, second.id])
  else container.splitPartition(first.id)
}

/** Reads all pages, or the first twenty. A write between two pages would change the answer. */
function allRows(container: Container, text: string, maxItemCount: number, scope: number): readonly string[] {
  const rows: string[] = []
  let continuation = ''
  container.purgeExpired(0)
  for (let page = 0; page < 20; page += 1) {
    const request = {
      scope: scopeOf(container, scope),
      query: compileQuery(text, []),
      text,
      maxItemCount,
      continuation,
    }
    const answer = readPage(container, request)
    rows.push(...answer.rows)
    if (answer.continuation === null) break
    continuation = answer.continuation
  }
  return rows
}

function scopeOf(container: Container, scope: number): ScanScope {
  if (scope === 1) return { kind: 'range', partition: container.partitions.at(-1) }
  if (scope === 2) return { kind: 'key', ...container.locate(['k1']) }
  if (scope === 3) return { kind: 'range', range: { min: '10', max: '30' } }
  return { kind: 'range' }
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
