import type { Container, ContainerDefinition } from '@azure/cosmos'
import { beforeEach, describe, expect, it } from 'vitest'
import { VirtualClock } from '../../../src/platform/index.js'
import { doors, type Door } from './doors.js'

describe.each(doors)('time to live through the SDK, %s', (_name, open) => {
  let door: Door
  let clock: VirtualClock

  beforeEach(async () => {
    clock = new VirtualClock()
    door = await open({ clock })
  })

  async function containerWith(settings: Partial<ContainerDefinition>): Promise<Container> {
    const { database } = await door.client().databases.createIfNotExists({ id: 'shop' })
    const definition = { id: 'orders', partitionKey: '/pk', ...settings } as never
    return (await database.containers.create(definition)).container
  }

  it('expires documents after the container’s time or their own', async () => {
    const container = await containerWith({ defaultTtl: 100 })
    await container.items.create({ id: 'default', pk: 'a' })
    await container.items.create({ id: 'shorter', pk: 'a', ttl: 10 })
    await container.items.create({ id: 'never', pk: 'a', ttl: -1 })
    await clock.advance(11_000)
    expect((await container.item('shorter', 'a').read()).statusCode).toBe(404)
    expect((await container.item('default', 'a').read()).statusCode).toBe(200)
    await clock.advance(90_000)
    const { resources } = await container.items.readAll<{ id: string }>().fetchAll()
    expect(resources.map(({ id }) => id)).toEqual(['never'])
  })

  it('lets an expired document be created again', async () => {
    const container = await containerWith({ defaultTtl: -1 })
    await container.items.create({ id: 'lock', pk: 'a', ttl: 5 })
    await expect(container.items.create({ id: 'lock', pk: 'a' })).rejects.toMatchObject({ code: 409 })
    await clock.advance(6_000)
    expect((await container.items.create({ id: 'lock', pk: 'a' })).statusCode).toBe(201)
  })

  it('ignores a document’s time in a container without one', async () => {
    const container = await containerWith({})
    await container.items.create({ id: 'stays', pk: 'a', ttl: 1 })
    await clock.advance(60_000)
    expect((await container.item('stays', 'a').read()).statusCode).toBe(200)
  })

  it('never ends early, although times are stored in whole seconds', async () => {
    const container = await containerWith({ defaultTtl: -1 })
    await clock.advance(900)
    await container.items.create({ id: 'brief', pk: 'a', ttl: 1 })
    await clock.advance(999)
    expect((await container.item('brief', 'a').read()).statusCode).toBe(200)
    await clock.advance(1_000)
    expect((await container.item('brief', 'a').read()).statusCode).toBe(404)
  })

  it('counts from the last change', async () => {
    const container = await containerWith({ defaultTtl: 10 })
    await container.items.upsert({ id: 'kept', pk: 'a' })
    await clock.advance(8_000)
    await container.items.upsert({ id: 'kept', pk: 'a' })
    await clock.advance(8_000)
    expect((await container.item('kept', 'a').read()).statusCode).toBe(200)
  })

  it('hides expired documents from the feed, and removes them without a write', async () => {
    const container = await containerWith({ defaultTtl: 10 })
    for (let index = 0; index < 20; index += 1) await container.items.create({ id: `o${index}`, pk: 'a' })
    await clock.advance(11_000)
    const page = await container.items.getChangeFeedIterator({ maxItemCount: 50 }).readNext()
    expect(page.count).toBe(0)
    expect(door.stats().documents).toBe(0)
  })

  it('rejects an invalid time', async () => {
    const container = await containerWith({ defaultTtl: 10 })
    await expect(container.items.create({ id: 'x', pk: 'a', ttl: 0 })).rejects.toMatchObject({ code: 400 })
    await expect(containerWith({ id: 'odd', defaultTtl: 0 })).rejects.toMatchObject({ code: 400 })
  })
})
