import { describe, expect, it } from 'vitest'
import type { Container, ItemOperation, JsonObject } from '../../../../../src/emulator/engine/index.js'
import { aContainer, anEngine, refusalOf, upsertOf } from '../an-engine.js'

const byMail = { uniqueKeyPolicy: { uniqueKeys: [{ paths: ['/mail'] }] } }

function aUniqueContainer(settings: JsonObject = byMail): Container {
  return aContainer(anEngine(), settings)
}

const replaceOf = (id: string, more: JsonObject): ItemOperation => ({
  kind: 'replace',
  id,
  document: { id, pk: 'a', ...more },
})

const patchOf = (id: string, mail: string): ItemOperation => ({
  kind: 'patch',
  id,
  patch: { steps: [{ kind: 'set', path: ['mail'], from: [], value: mail }] },
})

function statuses(container: Container, operations: readonly ItemOperation[]): unknown {
  const result = container.batch(['a'], operations)
  if (result.kind === 'rolledBack') return [result.failedAt, result.refusal.status]
  return result.results.map(({ status }) => status)
}

describe('a unique key', () => {
  it.each<[string, ItemOperation]>([
    ['create', { kind: 'create', document: { id: 'y', pk: 'a', mail: 'm' } }],
    ['upsert that inserts', upsertOf('y', 'a', { mail: 'm' })],
    ['upsert that replaces', upsertOf('z', 'a', { mail: 'm' })],
    ['replace', replaceOf('z', { mail: 'm' })],
    ['patch', patchOf('z', 'm')],
  ])('rejects a %s with a value of another document', (_name, operation) => {
    const container = aUniqueContainer()
    container.execute(['a'], upsertOf('x', 'a', { mail: 'm' }))
    const before = container.execute(['a'], upsertOf('z', 'a', { mail: 'n' })).version
    const refusal = refusalOf(() => container.execute(['a'], operation))
    expect(refusal.status).toBe(409)
    expect(refusal.message).toContain("unique key values of 'x'")
    expect(container.find(['a'], 'z')).toBe(before)
    expect(container.find(['a'], 'y')).toBeUndefined()
  })

  it('applies within a partition key only', () => {
    const container = aUniqueContainer()
    container.execute(['a'], upsertOf('x', 'a', { mail: 'm' }))
    expect(container.execute(['b'], upsertOf('y', 'b', { mail: 'm' })).status).toBe(201)
  })

  it('lets a document keep its own value, give it up, and take a free one', () => {
    const container = aUniqueContainer()
    container.execute(['a'], upsertOf('x', 'a', { mail: 'm' }))
    expect(container.execute(['a'], replaceOf('x', { mail: 'm', more: 1 })).status).toBe(200)
    container.execute(['a'], replaceOf('x', { mail: 'other' }))
    expect(container.execute(['a'], upsertOf('y', 'a', { mail: 'm' })).status).toBe(201)
    container.execute(['a'], { kind: 'delete', id: 'x' })
    expect(container.execute(['a'], upsertOf('z', 'a', { mail: 'other' })).status).toBe(201)
  })

  it('treats a missing value as null, and distinguishes values of different types', () => {
    const container = aUniqueContainer()
    container.execute(['a'], upsertOf('none', 'a'))
    expect(refusalOf(() => container.execute(['a'], upsertOf('null', 'a', { mail: null }))).status).toBe(409)
    const kinds = ['1', 1, true, 'true', { a: 1, b: 2 }, [['a', 1]], 'null']
    for (const [index, mail] of kinds.entries()) {
      expect(container.execute(['a'], upsertOf(`k${index}`, 'a', { mail })).status).toBe(201)
    }
    const sameObject = upsertOf('again', 'a', { mail: { b: 2, a: 1 } })
    expect(refusalOf(() => container.execute(['a'], sameObject)).status).toBe(409)
  })

  it('compares the values of all its paths together, apart from other unique keys', () => {
    const container = aUniqueContainer({
      uniqueKeyPolicy: { uniqueKeys: [{ paths: ['/name/first', '/name/last'] }, { paths: ['/phone'] }] },
    })
    const person = (id: string, first: string, last: string, phone: number): ItemOperation =>
      upsertOf(id, 'a', { name: { first, last }, phone })
    container.execute(['a'], person('x', 'Ada', 'Byron', 1))
    expect(container.execute(['a'], person('y', 'Ada', 'King', 2)).status).toBe(201)
    expect(refusalOf(() => container.execute(['a'], person('z', 'Ada', 'King', 3))).status).toBe(409)
    expect(refusalOf(() => container.execute(['a'], person('z', 'Eva', 'King', 1))).status).toBe(409)
  })

  it('includes the effects of earlier operations in a batch', () => {
    const container = aUniqueContainer()
    const mail = (id: string, value: string): ItemOperation => upsertOf(id, 'a', { mail: value })
    expect(statuses(container, [mail('x', '1'), mail('y', '1')])).toEqual([1, 409])
    expect(statuses(container, [mail('x', '1'), mail('y', '2')])).toEqual([201, 201])
    // The two documents exchange their values.
    expect(statuses(container, [mail('x', '3'), mail('y', '1'), mail('x', '2')])).toEqual([200, 200, 200])
    expect(statuses(container, [{ kind: 'delete', id: 'x' }, mail('z', '2')])).toEqual([204, 201])
    expect(statuses(container, [mail('w', '1')])).toEqual([0, 409])
    expect(statuses(container, [mail('w', '3')])).toEqual([201])
  })

  it('frees the values of a batch that was rolled back', () => {
    const container = aUniqueContainer()
    const failing = [upsertOf('x', 'a', { mail: 'm' }), { kind: 'delete', id: 'none' } as const]
    expect(statuses(container, failing)).toEqual([1, 404])
    expect(container.execute(['a'], upsertOf('y', 'a', { mail: 'm' })).status).toBe(201)
  })

  it('ignores expired documents', () => {
    let now = Date.UTC(2026, 0, 1)
    const container = aContainer(anEngine({ now: () => now }), { ...byMail, defaultTtl: -1 })
    container.execute(['a'], upsertOf('x', 'a', { mail: 'm', ttl: 1 }))
    now += 2_000
    expect(container.execute(['a'], upsertOf('y', 'a', { mail: 'm' })).status).toBe(201)
    expect(refusalOf(() => container.execute(['a'], upsertOf('z', 'a', { mail: 'm' }))).status).toBe(409)
  })

  it('keeps a value for its new document when the expired one is dropped', () => {
    let now = Date.UTC(2026, 0, 1)
    const container = aContainer(anEngine({ now: () => now }), { ...byMail, defaultTtl: -1 })
    // One access drops fewer documents than these. The expired one with the new document’s value is last.
    for (let index = 0; index < 600; index += 1) {
      container.execute(['a'], upsertOf(`o${index}`, 'a', { mail: index, ttl: 1 }))
    }
    now += 2_000
    expect(container.execute(['a'], upsertOf('new', 'a', { mail: 599 })).status).toBe(201)
    for (let access = 0; access < 3; access += 1) container.purgeExpired()
    expect(container.documentCount).toBe(1)
    expect(refusalOf(() => container.execute(['a'], upsertOf('z', 'a', { mail: 599 }))).status).toBe(409)
  })

  it('still applies after a split', () => {
    const container = aUniqueContainer()
    container.execute(['a'], upsertOf('x', 'a', { mail: 'm' }))
    container.splitPartition('0')
    expect(refusalOf(() => container.execute(['a'], upsertOf('y', 'a', { mail: 'm' }))).status).toBe(409)
  })

  it('cannot be changed', () => {
    const container = aUniqueContainer()
    const { definition } = container
    expect(refusalOf(() => container.redefine({ ...definition, uniqueKeys: [['/phone']] })).status).toBe(403)
    expect(refusalOf(() => container.redefine({ ...definition, uniqueKeys: [] })).status).toBe(403)
    container.redefine({ ...definition, defaultTtl: 5 })
    expect(container.resource()['uniqueKeyPolicy']).toEqual(byMail.uniqueKeyPolicy)
  })

  it.each<[string, unknown]>([
    ['no list', {}],
    ['no paths', [{}]],
    ['an empty key', [{ paths: [] }]],
    ['a path without slash', [{ paths: ['mail'] }]],
    ['a path into all elements', [{ paths: ['/mails/*'] }]],
    ['too many paths', [{ paths: Array.from({ length: 17 }, (_, index) => `/p${index}`) }]],
    ['too many keys', Array.from({ length: 11 }, (_, index) => ({ paths: [`/p${index}`] }))],
  ])('is rejected in a policy with %s', (_name, uniqueKeys) => {
    expect(refusalOf(() => aUniqueContainer({ uniqueKeyPolicy: { uniqueKeys } })).status).toBe(400)
  })
})
