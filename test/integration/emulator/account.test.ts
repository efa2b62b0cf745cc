import type { CosmosClient } from '@azure/cosmos'
import { beforeEach, describe, expect, it } from 'vitest'
import { doors, type Door } from './doors.js'

describe.each(doors)('the account through the SDK, %s', (_name, open) => {
  let door: Door
  let client: CosmosClient

  beforeEach(async () => {
    door = await open()
    client = door.client()
  })

  it('describes the account by the address that the client used', async () => {
    const { resource } = await client.getDatabaseAccount()
    expect(resource?.writableLocations).toHaveLength(1)
    expect(resource?.consistencyPolicy).toBe('Session')
  })

  it('is read once or twice, not before every request', async () => {
    const { container } = await orders(client)
    const before = door.stats().requests
    for (let index = 0; index < 20; index += 1) await container.items.upsert({ id: `o${index}`, pk: 'a' })
    expect(door.stats().requests - before).toBe(20)
  })

  it('creates, lists and deletes databases and containers', async () => {
    const { database, container } = await orders(client)
    expect((await client.databases.createIfNotExists({ id: 'shop' })).statusCode).toBe(200)
    expect((await database.containers.createIfNotExists({ id: 'orders' })).statusCode).toBe(200)
    await expect(client.databases.create({ id: 'shop' })).rejects.toMatchObject({ code: 409 })
    expect((await client.databases.readAll().fetchAll()).resources.map(({ id }) => id)).toEqual(['shop'])
    expect((await database.containers.readAll().fetchAll()).resources.map(({ id }) => id)).toEqual(['orders'])
    await container.items.create({ id: 'o1', pk: 'a' })
    await container.delete()
    await expect(container.read()).rejects.toMatchObject({ code: 404 })
    const again = (await database.containers.create({ id: 'orders', partitionKey: '/pk' })).container
    expect((await again.item('o1', 'a').read()).statusCode).toBe(404)
    await database.delete()
    await expect(database.read()).rejects.toMatchObject({ code: 404 })
  })

  it('fills in the service’s defaults and keeps the given settings', async () => {
    const { database } = await orders(client)
    const { resource } = await database.containers.create({ id: 'c', partitionKey: '/a/b', defaultTtl: 60 })
    expect(resource).toMatchObject({
      id: 'c',
      partitionKey: { paths: ['/a/b'], kind: 'Hash', version: 2 },
      defaultTtl: 60,
      indexingPolicy: { indexingMode: 'consistent' },
    })
    expect(Buffer.from(resource?._rid ?? '', 'base64')).toHaveLength(8)
  })

  it('changes a container’s time to live, but not its key', async () => {
    const { container } = await orders(client)
    const { resource } = await container.read()
    if (resource?.partitionKey === undefined) throw new Error('the container has no partition key')
    const replaced = await container.replace({ ...resource, defaultTtl: 10 })
    expect(replaced.resource).toMatchObject({ defaultTtl: 10 })
    const moved = container.replace({ id: 'orders', partitionKey: { paths: ['/other'] } })
    await expect(moved).rejects.toMatchObject({ code: 400 })
  })

  it('rejects another key with 401', async () => {
    const stranger = door.client({ key: Buffer.from('another key').toString('base64') })
    await expect(stranger.databases.readAll().fetchAll()).rejects.toMatchObject({ code: 401 })
  })

  it('gives a container as many ranges as its throughput needs', async () => {
    const { database } = await orders(client)
    const { container } = await database.containers.create({
      id: 'wide',
      partitionKey: '/pk',
      throughput: 21_000,
    })
    expect((await container.readPartitionKeyRanges().fetchAll()).resources).toHaveLength(4)
  })

  it('refuses a read of a session that has seen later writes than the store has', async () => {
    const { container } = await orders(client)
    await container.items.create({ id: 'o1', pk: 'a' })
    const before = door.stats().refusals
    // The SDK drops the refused token and asks again, so only the refusal is visible.
    await container.item('o1', 'a').read({ sessionToken: '0:-1#999' })
    expect(door.stats().refusals).toBe(before + 1)
    const reached = await container.item('o1', 'a').read({ sessionToken: '0:-1#1' })
    expect(reached.statusCode).toBe(200)
    expect(door.stats().refusals).toBe(before + 1)
  })

  it('lets the SDK keep a session over many writes', async () => {
    const session = door.client({ consistencyLevel: 'Session' })
    const { container } = await orders(session)
    for (let index = 0; index < 5; index += 1) {
      await container.items.upsert({ id: 'o1', pk: 'a', index })
      expect((await container.item('o1', 'a').read<{ index: number }>()).resource?.index).toBe(index)
    }
  })
})

async function orders(client: CosmosClient): Promise<{
  database: ReturnType<CosmosClient['database']>
  container: ReturnType<ReturnType<CosmosClient['database']>['container']>
}> {
  const { database } = await client.databases.createIfNotExists({ id: 'shop' })
  const { container } = await database.containers.createIfNotExists({ id: 'orders', partitionKey: '/pk' })
  return { database, container }
}
