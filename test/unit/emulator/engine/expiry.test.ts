import * as fc from 'fast-check'
import { noJournal } from '../../../../src/emulator/engine/index.js'
import { describe, expect, it } from 'vitest'
import { DocumentVersion, type JournalRecord } from '../../../../src/emulator/engine/index.js'
import { expiresAt, ExpiryQueue } from '../../../../src/emulator/engine/expiry/expiry-queue.js'
import { aContainer, anEngine, refusalOf, upsertOf } from './an-engine.js'

const start = Date.UTC(2026, 0, 1)

describe('the time to live', () => {
  it.each<[string, number | undefined, number | null | undefined, number | null]>([
    ['neither', undefined, undefined, null],
    ['the document’s without the container’s', undefined, 5, null],
    ['the container’s -1', -1, undefined, null],
    ['the container’s -1, the document’s 5', -1, 5, 5],
    ['the container’s -1, the document’s -1', -1, -1, null],
    ['the container’s 9', 9, undefined, 9],
    ['the container’s 9, the document’s 5', 9, 5, 5],
    ['the container’s 9, the document’s 12', 9, 12, 12],
    ['the container’s 9, the document’s -1', 9, -1, null],
  ])(
    'is computed from %s, and counts from the end of the second of the write',
    (_name, defaultTtl, ttl, seconds) => {
      let now = start
      const settings = defaultTtl === undefined ? {} : { defaultTtl }
      const container = aContainer(anEngine({ now: () => now }), settings)
      container.execute(['a'], upsertOf('x', 'a', ttl === undefined ? {} : { ttl }))
      now = start + ((seconds ?? 1_000_000) + 1) * 1_000 - 1
      expect(container.find(['a'], 'x')).toBeDefined()
      now += 1
      expect(container.find(['a'], 'x') === undefined).toBe(seconds !== null)
      expect(container.execute(['b'], upsertOf('other', 'b', { ttl: -1 })).status).toBe(201)
      expect(container.documentCount).toBe(seconds === null ? 2 : 1)
    },
  )

  it.each<[string, (container: ReturnType<typeof aContainer>) => unknown]>([
    ['a write', (container) => container.execute(['b'], upsertOf('kept', 'b', { round: 2 }))],
    ['a read', (container) => container.execute(['b'], { kind: 'read', id: 'kept' })],
    ['a batch', (container) => container.batch(['b'], [{ kind: 'read', id: 'kept' }])],
    [
      'a refused write',
      (container) => refusalOf(() => container.execute(['b'], { kind: 'delete', id: 'n' })),
    ],
  ])('drops expired documents at %s, and records that in the journal', (_name, access) => {
    let now = start
    const told: JournalRecord[] = []
    const journal = {
      ...noJournal,
      append: (records: readonly JournalRecord[]) => told.push(...records),
    }
    const container = aContainer(anEngine({ now: () => now, journal }), { defaultTtl: 10 }, 3)
    container.execute(['b'], upsertOf('kept', 'b', { ttl: -1 }))
    for (let index = 0; index < 50; index += 1) container.execute([`k${index}`], upsertOf('x', `k${index}`))
    now += 11_000
    told.length = 0
    access(container)
    expect(container.documentCount).toBe(1)
    const deleted = told.flatMap((record) =>
      record.kind === 'document' && record.value === null ? [record.number] : [],
    )
    expect(deleted.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => index + 2))
    expect(container.partitions.flatMap((partition) => [...partition.changes.after(0)])).toHaveLength(1)
  })

  it('drops expired documents in a container that is not used, while another one is used', () => {
    let now = start
    const engine = anEngine({ now: () => now })
    const forgotten = aContainer(engine, { defaultTtl: 1 })
    engine.createContainer('db', { id: 'busy', partitionKey: { paths: ['/pk'] } })
    for (let index = 0; index < 1_000; index += 1) forgotten.execute(['a'], upsertOf(`o${index}`, 'a'))
    now += 2_000
    for (let access = 0; access < 20; access += 1) engine.container('db', 'busy')
    expect(forgotten.documentCount).toBe(0)
  })

  it('follows a change of the container’s setting', () => {
    let now = start
    const container = aContainer(anEngine({ now: () => now }))
    container.execute(['a'], upsertOf('x', 'a', { ttl: 1 }))
    now += 5_000
    expect(container.find(['a'], 'x')).toBeDefined()
    container.redefine({ ...container.definition, defaultTtl: -1 })
    container.purgeExpired()
    expect(container.documentCount).toBe(0)
  })

  it('drops expired documents after a split', () => {
    let now = start
    const container = aContainer(anEngine({ now: () => now }), { defaultTtl: 1 })
    for (let index = 0; index < 20; index += 1) container.execute([`k${index}`], upsertOf('x', `k${index}`))
    container.splitPartition('0')
    now += 2_000
    container.purgeExpired()
    expect(container.documentCount).toBe(0)
  })

  it('lets a batch create an expired document again, with another number', () => {
    let now = start
    const container = aContainer(anEngine({ now: () => now }), { defaultTtl: 1 })
    const before = container.execute(['a'], upsertOf('x', 'a')).version
    now += 2_000
    const again = container.batch(['a'], [{ kind: 'create', document: { id: 'x', pk: 'a' } }])
    expect(again.kind).toBe('committed')
    expect(container.find(['a'], 'x')?.fields.number).toBe((before?.fields.number ?? 0) + 1)
    expect(container.documentCount).toBe(1)
  })
})

function aVersion(number: number, ts: number, ttl: number | null): DocumentVersion {
  const home = { keyText: '["a"]', epk: '', owner: { rid: '', memory: null, evict: () => undefined } }
  const head = { id: String(number), number, lsn: number, place: 0, origin: 0, ts, ttl, bytes: 2 }
  return new DocumentVersion(home, head, '{}')
}

describe('the expiry queue', () => {
  const actions = fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant('add' as const), ttl: fc.option(fc.integer({ min: 1, max: 30 })) }),
      fc.record({ kind: fc.constant('remove' as const), at: fc.nat(50) }),
      fc.record({
        kind: fc.constant('pass' as const),
        seconds: fc.nat(12),
        count: fc.integer({ min: 1, max: 4 }),
      }),
    ),
    { maxLength: 80 },
  )

  it('returns exactly the documents that are due, after any additions and removals', () => {
    fc.assert(
      fc.property(actions, fc.constantFrom(null, -1, 7), (steps, defaultTtl) => {
        const queue = new ExpiryQueue(defaultTtl)
        const live = new Set<DocumentVersion>()
        let now = 0
        const forget = (version: DocumentVersion): void => {
          queue.remove(version)
          live.delete(version)
        }
        for (const [number, step] of steps.entries()) {
          if (step.kind === 'add') {
            const version = aVersion(number, now, step.ttl)
            queue.add(version)
            live.add(version)
          } else if (step.kind === 'remove') {
            const version = [...live][step.at]
            if (version !== undefined) forget(version)
          } else {
            now += step.seconds
            for (let due = queue.due(now, step.count); due.length > 0; due = queue.due(now, step.count)) {
              expect(due.length).toBeLessThanOrEqual(step.count)
              for (const version of due) {
                expect(live.has(version)).toBe(true)
                expect(expiresAt(version, defaultTtl) ?? Infinity).toBeLessThanOrEqual(now)
                forget(version)
              }
            }
            const left = [...live].map((version) => expiresAt(version, defaultTtl) ?? Infinity)
            expect(left.filter((second) => second <= now)).toEqual([])
          }
        }
      }),
      { numRuns: 200 },
    )
  })
})
