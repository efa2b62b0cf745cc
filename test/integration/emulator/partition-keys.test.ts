import {
  ChangeFeedStartFrom,
  PartitionKeyBuilder,
  type ChangeFeedIteratorOptions,
  type Container,
  type PartitionKey,
} from '@azure/cosmos'
import { beforeEach, describe, expect, it } from 'vitest'
import { doors, type Door } from './doors.js'

const doorsAndVersions = doors.flatMap(([name, open]) =>
  ([1, 2] as const).map((version) => [name, version, open] as const),
)

describe.each(doorsAndVersions)('a partition key through the SDK, %s, hash %i', (_name, hash, open) => {
  let door: Door

  beforeEach(async () => {
    door = await open({ partitionCount: 5 })
  })

  async function containerWith(...paths: string[]): Promise<Container> {
    const { database } = await door.client().databases.createIfNotExists({ id: 'shop' })
    const kind = paths.length > 1 ? 'MultiHash' : 'Hash'
    const partitionKey = { paths, kind, version: kind === 'Hash' ? hash : 2 } as never
    return (await database.containers.create({ id: 'orders', partitionKey })).container
  }

  async function idsOf(container: Container, partitionKey: PartitionKey): Promise<string[]> {
    const { resources } = await container.items
      .query<{ id: string }>('SELECT * FROM c', { partitionKey })
      .fetchAll()
    return resources.map(({ id }) => id).sort()
  }

  async function changedIds(container: Container, partitionKey: PartitionKey): Promise<string[]> {
    const start: unknown = ChangeFeedStartFrom.Beginning(partitionKey)
    const iterator = container.items.getChangeFeedIterator({
      changeFeedStartFrom: start as NonNullable<ChangeFeedIteratorOptions['changeFeedStartFrom']>,
    })
    const ids: string[] = []
    for await (const page of iterator.getAsyncIterator()) {
      if (page.statusCode === 304) break
      ids.push(...(page.result as { id: string }[]).map(({ id }) => id))
    }
    return ids.sort()
  }

  it('distinguishes values of every type, including null and missing ones', async () => {
    const container = await containerWith('/k')
    const values = ['1', 1, -1, 1.5, true, false, 'true', null, 'null', '', '{}', 'é\u{1f98a}', 1e300]
    for (const k of values) await container.items.create({ id: 'x', k })
    await container.items.create({ id: 'x' })
    for (const k of values) {
      expect((await container.item('x', k).read<{ k: unknown }>()).resource?.k).toBe(k)
      expect(await idsOf(container, k as PartitionKey)).toEqual(['x'])
    }
    const missing = new PartitionKeyBuilder().addNoneValue().build()
    for (const none of [undefined, missing]) {
      const { resource } = await container.item('x', none).read<object>()
      expect(resource).toBeDefined()
      expect(resource).not.toHaveProperty('k')
    }
    expect(door.stats().documents).toBe(values.length + 1)
  })

  it('treats −0 as 0, because JSON clients write the same for both', async () => {
    const container = await containerWith('/k')
    await container.items.create({ id: 'x', k: -0 })
    expect((await container.item('x', 0).read()).statusCode).toBe(200)
    expect((await container.item('x', -0).read()).statusCode).toBe(200)
    await expect(container.items.create({ id: 'x', k: 0 })).rejects.toMatchObject({ code: 409 })
  })

  it('counts as missing if it is a list or an object', async () => {
    const container = await containerWith('/k')
    await container.items.create({ id: 'list', k: [1] })
    await container.items.create({ id: 'object', k: { a: 1 } })
    const none = new PartitionKeyBuilder().addNoneValue().build()
    expect((await container.item('list', none).read<{ k: unknown }>()).resource?.k).toEqual([1])
    expect((await container.item('object', none).read<{ k: unknown }>()).resource?.k).toEqual({ a: 1 })
  })

  it('is rejected if it is longer than 2 KB', async () => {
    const container = await containerWith('/k')
    expect((await container.items.create({ id: 'x', k: 'k'.repeat(2_048) })).statusCode).toBe(201)
    await expect(container.items.create({ id: 'x', k: 'k'.repeat(2_049) })).rejects.toMatchObject({
      code: 400,
    })
  })

  describe('with several levels', () => {
    let container: Container

    beforeEach(async () => {
      container = await containerWith('/tenant', '/user', '/session')
      for (const tenant of ['t1', 't2', null]) {
        for (const user of ['u1', 7]) {
          for (const session of ['s1', 's2']) {
            const id = [tenant, user, session].join('-')
            await container.items.create({ id, tenant, user, session })
          }
        }
      }
      await container.items.create({ id: 'no session', tenant: 't1', user: 'u1' })
    })

    it('reads, replaces and deletes a document by all levels', async () => {
      const item = container.item('t1-7-s1', ['t1', 7, 's1'])
      expect((await item.read<{ user: unknown }>()).resource?.user).toBe(7)
      const changed = { id: 't1-7-s1', tenant: 't1', user: 7, session: 's1', total: 1 }
      expect((await item.replace(changed)).statusCode).toBe(200)
      expect((await item.delete()).statusCode).toBe(204)
      const missing = new PartitionKeyBuilder().addValue('t1').addValue('u1').addNoneValue().build()
      expect((await container.item('no session', missing).read()).statusCode).toBe(200)
      expect((await container.item('t1-7-s1', ['t1', '7', 's1']).read()).statusCode).toBe(404)
    })

    it('is rejected for one document if levels are missing', async () => {
      const replaced = container.item('t1-7-s1', ['t1', 7]).replace({ id: 't1-7-s1' })
      await expect(replaced).rejects.toMatchObject({ code: 400, substatus: 1001 })
    })

    it.each<[string, PartitionKey, string[]]>([
      ['the first level', ['t1'], ['no session', 't1-7-s1', 't1-7-s2', 't1-u1-s1', 't1-u1-s2']],
      ['the first level, null', [null], ['-7-s1', '-7-s2', '-u1-s1', '-u1-s2']],
      ['two levels', ['t2', 7], ['t2-7-s1', 't2-7-s2']],
      ['all levels', ['t2', 7, 's2'], ['t2-7-s2']],
      ['an unused key', ['t3'], []],
      ['a value of another kind', ['t2', '7'], []],
    ])('selects documents and changes by %s', async (_level, key, expected) => {
      expect(await idsOf(container, key)).toEqual(expected)
      expect(await changedIds(container, key)).toEqual(expected)
    })

    it('keeps a query within its prefix even if the filter names another key', async () => {
      const query = "SELECT * FROM c WHERE c.tenant = 't2' AND c.user = 'u1' AND c.session = 's1'"
      const iterator = container.items.query(query, { partitionKey: ['t1'] })
      expect((await iterator.fetchAll()).resources).toEqual([])
    })

    it('pages through the documents of a prefix without loss', async () => {
      const iterator = container.items.query<{ id: string }>('SELECT * FROM c', {
        partitionKey: ['t1'],
        maxItemCount: 2,
      })
      const ids: string[] = []
      while (iterator.hasMoreResults()) {
        const { resources } = await iterator.fetchNext()
        ids.push(...resources.map(({ id }) => id))
      }
      expect(ids.sort()).toEqual(await idsOf(container, ['t1']))
    })
  })

  it('finds its range in a bulk request, for which the client hashes, also after a split', async () => {
    const container = await containerWith('/k')
    await door.splitPartition(container, '2')
    const creates = Array.from({ length: 40 }, (_, index) => ({
      operationType: 'Create' as const,
      partitionKey: index % 2 === 0 ? `k${index}` : index,
      resourceBody: { id: `o${index}`, k: index % 2 === 0 ? `k${index}` : index },
    }))
    const results = await container.items.executeBulkOperations(creates)
    expect(results.map(({ response }) => response?.statusCode)).toEqual(creates.map(() => 201))
    expect(await idsOf(container, 'k0')).toEqual(['o0'])
    expect(await idsOf(container, 39)).toEqual(['o39'])
  })

  it('deletes all its documents and no others', async () => {
    const container = await containerWith('/k')
    for (let index = 0; index < 230; index += 1) {
      door.engine.container('shop', 'orders').execute(['a'], {
        kind: 'create',
        document: { id: `o${index}`, k: 'a' },
      })
    }
    await container.items.create({ id: 'o0', k: 'b' })
    expect((await container.deleteAllItemsForPartitionKey('a')).statusCode).toBe(200)
    expect(await idsOf(container, 'a')).toEqual([])
    expect(await changedIds(container, 'a')).toEqual([])
    expect(await idsOf(container, 'b')).toEqual(['o0'])
    expect((await container.deleteAllItemsForPartitionKey('unused')).statusCode).toBe(200)
    expect((await container.items.create({ id: 'o0', k: 'a' })).statusCode).toBe(201)
  })

  it('is rejected for a delete if levels are missing', async () => {
    const container = await containerWith('/tenant', '/user')
    await container.items.create({ id: 'x', tenant: 't', user: 'u' })
    const partly = container.deleteAllItemsForPartitionKey(['t'])
    await expect(partly).rejects.toMatchObject({ code: 400 })
    expect(door.stats().documents).toBe(1)
    await container.deleteAllItemsForPartitionKey(['t', 'u'])
    expect(door.stats().documents).toBe(0)
  })
})
