import { noJournal } from '../../../../src/emulator/engine/index.js'
import { describe, expect, it } from 'vitest'
import type { ItemOperation, JsonObject, JournalRecord } from '../../../../src/emulator/engine/index.js'
import { aContainer, anEngine, refusalOf, upsertOf } from './an-engine.js'

const deep = { a: 1, b: null, c: { d: 'one', e: 'two' }, list: [1, 2] }

const read = (id: string): ItemOperation => ({ kind: 'read', id })

describe('a container of the engine', () => {
  it('gives every write its own etag and LSN', () => {
    const container = aContainer()
    const etags = new Set<string>()
    for (let index = 0; index < 50; index += 1) {
      const { version } = container.execute(['a'], upsertOf('same', 'a', { index }))
      etags.add(version?.etag ?? '')
      expect(version?.lsn).toBe(index + 1)
    }
    expect(etags.size).toBe(50)
    expect([...etags].every((etag) => /^"[^"]+"$/u.test(etag))).toBe(true)
  })

  it('gives the documents of a batch one LSN and different etags', () => {
    const container = aContainer()
    const result = container.batch(
      ['a'],
      ['x', 'y', 'z'].map((id) => upsertOf(id, 'a')),
    )
    if (result.kind === 'rolledBack') throw result.refusal
    expect(result.results.map(({ version }) => version?.lsn)).toEqual([1, 1, 1])
    expect(new Set(result.results.map(({ version }) => version?.etag)).size).toBe(3)
    expect(result.charge).toBeCloseTo(3 * 5.5 * 1.8, 1)
  })

  it('shows each operation of a batch the effects of earlier ones', () => {
    const container = aContainer()
    const result = container.batch(
      ['a'],
      [
        upsertOf('x', 'a', { round: 1 }),
        upsertOf('y', 'a'),
        read('x'),
        upsertOf('x', 'a', { round: 2 }),
        { kind: 'delete', id: 'y' },
        upsertOf('y', 'a', { round: 3 }),
      ],
    )
    if (result.kind === 'rolledBack') throw result.refusal
    expect(result.results.map(({ status }) => status)).toEqual([201, 201, 200, 200, 204, 201])
    expect(container.find(['a'], 'x')?.document).toMatchObject({ round: 2 })
    expect(container.find(['a'], 'y')?.document).toMatchObject({ round: 3 })
    expect(container.documentCount).toBe(2)
  })

  it('leaves no trace of a batch that fails: no document, no LSN, no journal entry', () => {
    const told: JournalRecord[] = []
    const journal = {
      ...noJournal,
      append: (records: readonly JournalRecord[]) => void told.push(...records),
    }
    const container = aContainer(anEngine({ journal }))
    container.execute(['a'], upsertOf('x', 'a'))
    const before = { count: container.documentCount, lsn: container.partitions[0]?.lsn, told: told.length }
    const result = container.batch(['a'], [upsertOf('y', 'a'), { kind: 'delete', id: 'x' }, read('none')])
    expect(result).toMatchObject({ kind: 'rolledBack', failedAt: 2, refusal: { status: 404 } })
    expect({ count: container.documentCount, lsn: container.partitions[0]?.lsn, told: told.length }).toEqual(
      before,
    )
    expect(container.find(['a'], 'x')).toBeDefined()
  })

  it('uses no LSN for reads', () => {
    const container = aContainer()
    container.execute(['a'], upsertOf('x', 'a'))
    container.batch(['a'], [read('x')])
    expect(container.partitions[0]?.lsn).toBe(1)
  })

  it.each<[string, ItemOperation, number]>([
    ['a create of what exists', { kind: 'create', document: { id: 'x', pk: 'a' } }, 409],
    ['a create unless it exists', { kind: 'create', document: { id: 'x', pk: 'a' }, ifNoneMatch: '*' }, 412],
    ['an upsert unless it exists', { ...upsertOf('x', 'a'), ifNoneMatch: '*' }, 412],
    ['an upsert of another etag', { ...upsertOf('x', 'a'), ifMatch: '"0"' }, 412],
    [
      'a replace of another etag',
      { kind: 'replace', id: 'x', document: { id: 'x', pk: 'a' }, ifMatch: '"0"' },
      412,
    ],
    ['a replace that renames', { kind: 'replace', id: 'x', document: { id: 'y', pk: 'a' } }, 400],
    ['a replace of nothing', { kind: 'replace', id: 'n', document: { id: 'n', pk: 'a' } }, 404],
    ['a delete of nothing', { kind: 'delete', id: 'n' }, 404],
    ['another partition key', upsertOf('x', 'b'), 400],
    ['an id with a slash', upsertOf('a/b', 'a'), 400],
    ['an id that is too long', upsertOf('x'.repeat(1_024), 'a'), 400],
    ['no id', { kind: 'upsert', document: { pk: 'a' } }, 400],
    ['a document of more than 2 MB', upsertOf('big', 'a', { text: 'x'.repeat(2_097_152) }), 413],
    ['a time to live that is none', upsertOf('x', 'a', { ttl: 1.5 }), 400],
  ])('refuses %s', (_name, operation, status) => {
    const container = aContainer()
    const stored = container.execute(['a'], upsertOf('x', 'a')).version
    expect(refusalOf(() => container.execute(['a'], operation)).status).toBe(status)
    expect(container.find(['a'], 'x')).toBe(stored)
  })

  it('replaces any version with If-Match: *', () => {
    const container = aContainer()
    container.execute(['a'], upsertOf('x', 'a'))
    const { version } = container.execute(['a'], { ...upsertOf('x', 'a', { n: 2 }), ifMatch: '*' })
    expect(container.find(['a'], 'x')).toBe(version)
  })

  it('rejects batches that are empty or too long', () => {
    const container = aContainer()
    expect(refusalOf(() => container.batch(['a'], [])).status).toBe(400)
    const many = Array.from({ length: 101 }, (_, index) => upsertOf(`o${index}`, 'a'))
    expect(refusalOf(() => container.batch(['a'], many)).message).toContain('101 operations')
  })

  it('ignores system properties that a client writes back', () => {
    const container = aContainer()
    const first = container.execute(['a'], upsertOf('x', 'a')).version
    const again: JsonObject = JSON.parse(first?.feedText ?? '{}') as JsonObject
    const second = container.execute(['a'], { kind: 'replace', id: 'x', document: again }).version
    expect(second?.document['_etag']).toBe(second?.etag)
    expect(second?.document).not.toHaveProperty('_lsn')
    expect(second?.document['_rid']).toBe(first?.document['_rid'])
  })

  it('returns copies, so that callers cannot change what is stored', () => {
    const container = aContainer()
    const { version } = container.execute(['a'], upsertOf('x', 'a', { inner: { value: 1 } }))
    const copy = version?.copy()
    Object.assign(copy?.['inner'] as object, { value: 2 })
    expect(container.find(['a'], 'x')?.copy()['inner']).toEqual({ value: 1 })
  })

  it('is found by its name or rid, as is its database', () => {
    const engine = anEngine()
    const container = aContainer(engine)
    const database = engine.database('db')
    expect(engine.container(database.rid, container.rid)).toBe(container)
    expect([database.rid, container.rid].map((rid) => Buffer.from(rid, 'base64').length)).toEqual([4, 8])
    const { version } = container.execute(['a'], upsertOf('x', 'a'))
    const rid = String(version?.document['_rid'])
    expect(Buffer.from(rid, 'base64')).toHaveLength(16)
    expect(Buffer.from(rid, 'base64').subarray(0, 8)).toEqual(Buffer.from(container.rid, 'base64'))
  })

  it.each<[string, JsonObject]>([
    ['no partition key', { partitionKey: undefined }],
    ['a path without slash', { partitionKey: { paths: ['pk'] } }],
    ['two paths of a plain hash', { partitionKey: { paths: ['/a', '/b'], kind: 'Hash' } }],
    ['a time to live of nothing', { defaultTtl: 0 }],
  ])('cannot be created with %s', (_name, settings) => {
    expect(refusalOf(() => aContainer(anEngine(), settings)).status).toBe(400)
  })

  it('stores documents by hierarchical keys', () => {
    const paths = { partitionKey: { paths: ['/tenant', '/user'], kind: 'MultiHash', version: 2 } }
    const container = aContainer(anEngine(), paths)
    container.execute(['t', 'u'], { kind: 'create', document: { id: 'x', tenant: 't', user: 'u' } })
    expect(container.find(['t', 'u'], 'x')).toBeDefined()
    expect(container.locate(['t', 'u']).epk).toHaveLength(64)
  })

  it('charges by size, and twice as much for a replace as for a create', () => {
    const full = aContainer(anEngine())
    const created = full.execute(['a'], upsertOf('x', 'a')).charge
    expect(created).toBeCloseTo(5.5 * 1.8)
    expect(full.execute(['a'], upsertOf('x', 'a')).charge).toBeCloseTo(2 * created)
    expect(full.execute(['a'], upsertOf('big', 'a', { text: 'x'.repeat(100_000) })).charge).toBeGreaterThan(
      80,
    )
    expect(full.execute(['a'], read('x')).charge).toBe(1)
  })

  it.each([
    { case: 'nothing but the id and the time', included: [], fields: { a: 1 }, values: 2 },
    { case: 'a path that is missing', included: ['/b/?', '/id/?'], fields: { a: 1 }, values: 2 },
    {
      case: 'a value, null and a value inside',
      included: ['/a/?', '/b/?', '/c/d/?'],
      fields: deep,
      values: 5,
    },
    { case: 'an object where one value is included', included: ['/c/?'], fields: deep, values: 2 },
    { case: 'all values inside', included: ['/c/*', '/list/*'], fields: deep, values: 6 },
    { case: 'no element by a name', included: ['/list/a/?'], fields: deep, values: 2 },
    { case: 'each element', included: ['/list/[]/?'], fields: deep, values: 4 },
    { case: 'an excluded value inside', included: ['/c/*'], excluded: ['/c/d/?'], fields: deep, values: 3 },
    { case: 'no index', mode: 'none', included: [], fields: deep, values: 0 },
  ])('charges for each indexed value, here $case', ({ mode, included, excluded = [], fields, values }) => {
    const excludedPaths = ['/*', ...excluded].map((path) => ({ path }))
    const lean = { includedPaths: included.map((path) => ({ path })), excludedPaths }
    const indexingPolicy = mode === undefined ? lean : { indexingMode: mode, automatic: false }
    const container = aContainer(anEngine(), { indexingPolicy })
    const charge = 5.5 * (1 + 0.015 * values)
    expect(container.execute(['a'], upsertOf('x', 'a', fields)).charge).toBeCloseTo(charge, 1)
    expect(container.execute(['a'], { kind: 'delete', id: 'x' }).charge).toBeCloseTo(charge, 1)
  })
})
