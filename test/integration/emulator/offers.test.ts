import {
  ChangeFeedStartFrom,
  type ChangeFeedIteratorOptions,
  type Container,
  type Database,
  type OfferDefinition,
} from '@azure/cosmos'
import { beforeEach, describe, expect, it } from 'vitest'
import { createInProcessCosmos } from '../../../src/emulator/index.js'
import { doors, type Door } from './doors.js'
import { scratchDirectory } from '../../support/scratch-directory.js'

function offerContent(manual: number): unknown {
  return { offerThroughput: manual }
}

/** Reads the offer, changes its content, and sends it back, as users of the SDK do. */
async function buy(
  owner: Pick<Container | Database, 'readOffer'>,
  content: Record<string, unknown>,
  initialHeaders: Record<string, string> = {},
): Promise<OfferDefinition | undefined> {
  const { resource, offer } = await owner.readOffer()
  if (resource === undefined) throw new Error('there is no offer')
  const changed = { ...resource, content: { ...resource.content, ...content } }
  return (await offer.replace(changed as never, { initialHeaders })).resource
}

async function rangeCount(container: Container): Promise<number> {
  return (await container.readPartitionKeyRanges().fetchAll()).resources.length
}

describe.each(doors)('the throughput of a container through the SDK, %s', (_name, open) => {
  let door: Door
  let database: Database

  beforeEach(async () => {
    door = await open({ partitionCount: 2 })
    database = (await door.client().databases.create({ id: 'shop' })).database
  })

  async function create(
    id: string,
    more: { throughput?: number; maxThroughput?: number } = {},
  ): Promise<Container> {
    return (await database.containers.create({ id, partitionKey: '/pk', ...more })).container
  }

  it.each([
    [400, 1],
    [6_000, 1],
    [6_100, 2],
    [25_100, 5],
  ])('of %i RU/s gives it as many ranges as the service does: %i', async (throughput, count) => {
    const container = await create('c', { throughput })
    expect(await rangeCount(container)).toBe(count)
    const { resource } = await container.readOffer()
    expect(resource).toMatchObject({ offerVersion: 'V2', content: offerContent(throughput) })
    const { resource: described } = await container.read()
    expect(resource).toMatchObject({ resource: described?._self, offerResourceId: described?._rid })
    expect(resource?.content?.offerAutopilotSettings).toBeUndefined()
  })

  it('with autoscale gives ranges by its maximum', async () => {
    const container = await create('c', { maxThroughput: 21_000 })
    expect(await rangeCount(container)).toBe(3)
    expect((await container.readOffer()).resource?.content).toMatchObject({
      offerAutopilotSettings: { maxThroughput: 21_000 },
      offerThroughput: 2_100,
    })
  })

  it('is 400 RU/s by default, with the configured number of partitions', async () => {
    const container = await create('c')
    expect(await rangeCount(container)).toBe(2)
    expect((await container.readOffer()).resource).toMatchObject({ content: offerContent(400) })
  })

  it('splits partitions when raised, keeps them when lowered, and loses no changes', async () => {
    const container = await create('c', { throughput: 400 })
    for (let index = 0; index < 20; index += 1)
      await container.items.create({ id: `${index}`, pk: `${index}` })
    const beginning: unknown = ChangeFeedStartFrom.Beginning()
    const iterator = container.items.getChangeFeedIterator({
      maxItemCount: 3,
      changeFeedStartFrom: beginning as NonNullable<ChangeFeedIteratorOptions['changeFeedStartFrom']>,
    })
    const first = (await iterator.readNext()).count
    expect(first).toBe(3)
    expect(await buy(container, offerContent(35_000) as Record<string, unknown>)).toMatchObject({
      content: offerContent(35_000),
    })
    expect(await rangeCount(container)).toBe(4)
    await buy(container, { offerThroughput: 1_000 })
    expect(await rangeCount(container)).toBe(4)
    expect((await container.readOffer()).resource).toMatchObject({ content: offerContent(1_000) })
    let seen = first
    for (let page = await iterator.readNext(); page.statusCode !== 304; page = await iterator.readNext()) {
      seen += page.count
    }
    expect(seen).toBe(20)
  })

  it.each([
    ['too little', 300],
    ['no step of 100', 450],
    ['too much', 1_000_100],
    ['no number', Number.NaN],
  ])('is rejected if it is %s', async (_case, throughput) => {
    const container = await create('c', { throughput: 400 })
    await expect(buy(container, { offerThroughput: throughput })).rejects.toMatchObject({ code: 400 })
    expect((await container.readOffer()).resource).toMatchObject({ content: offerContent(400) })
    if (Number.isNaN(throughput)) return
    await expect(create('d', { throughput })).rejects.toMatchObject({ code: 400 })
    await expect(database.container('d').read()).rejects.toMatchObject({ code: 404 })
  })

  it('cannot be set below a hundredth of its highest value', async () => {
    const container = await create('c', { throughput: 60_000 })
    await expect(buy(container, { offerThroughput: 500 })).rejects.toMatchObject({ code: 400 })
    expect(await buy(container, { offerThroughput: 600 })).toMatchObject({ content: offerContent(600) })
  })

  it('changes between manual and autoscale only with the migration header', async () => {
    const container = await create('c', { throughput: 400 })
    const autoscale = { offerAutopilotSettings: { maxThroughput: 12_000 } }
    await expect(buy(container, autoscale)).rejects.toMatchObject({ code: 400 })
    const after = await buy(container, autoscale, { 'x-ms-cosmos-migrate-offer-to-autopilot': 'true' })
    expect(after).toMatchObject({ content: autoscale })
    expect(await rangeCount(container)).toBe(2)
  })

  it('cannot be replaced under an old etag', async () => {
    const container = await create('c', { throughput: 400 })
    const { resource } = await container.readOffer()
    await buy(container, { offerThroughput: 500 })
    const condition = { 'if-match': String(resource?._etag) }
    await expect(buy(container, { offerThroughput: 600 }, condition)).rejects.toMatchObject({ code: 412 })
  })

  it('comes from its database if the container has none of its own', async () => {
    const { database: shared } = await door.client().databases.create({ id: 'shared', throughput: 400 })
    const { container } = await shared.containers.create({ id: 'c', partitionKey: '/pk' })
    const { container: own } = await shared.containers.create({
      id: 'o',
      partitionKey: '/pk',
      throughput: 500,
    })
    expect((await container.readOffer()).resource).toBeUndefined()
    expect((await own.readOffer()).resource).toMatchObject({ content: offerContent(500) })
    expect(await buy(shared, { offerThroughput: 20_000 })).toMatchObject({ content: offerContent(20_000) })
    expect([await rangeCount(container), await rangeCount(own)]).toEqual([2, 1])
    expect((await database.readOffer()).resource).toBeUndefined()
  })

  it('is listed and read as an offer, which is deleted with its container', async () => {
    const client = door.client()
    const container = await create('c', { throughput: 700 })
    await create('d', { throughput: 800 })
    const { resource } = await container.readOffer()
    expect((await client.offer(String(resource?.id)).read()).resource).toEqual(resource)
    expect((await client.offers.readAll().fetchAll()).resources).toHaveLength(2)
    await container.delete()
    await expect(client.offer(String(resource?.id)).read()).rejects.toMatchObject({ code: 404 })
    await database.delete()
    expect((await client.offers.readAll().fetchAll()).resources).toEqual([])
  })
})

describe('an offer on disk', () => {
  it('survives a restart, and stays deleted after a delete', async () => {
    const dataDirectory = scratchDirectory()
    const before = createInProcessCosmos({ dataDirectory })
    const { database } = await before.client().databases.create({ id: 'shop' })
    const { container } = await database.containers.create({
      id: 'c',
      partitionKey: '/pk',
      throughput: 400,
    })
    const { container: gone } = await database.containers.create({ id: 'gone', partitionKey: '/pk' })
    await buy(container, { offerThroughput: 11_000 })
    await gone.delete()
    const { resources: kept } = await before.client().offers.readAll().fetchAll()
    await before.close()
    const after = createInProcessCosmos({ dataDirectory })
    expect((await after.client().offers.readAll().fetchAll()).resources).toEqual(kept)
    expect(kept).toMatchObject([{ content: offerContent(11_000) }])
    expect(await rangeCount(after.client().database('shop').container('c'))).toBe(2)
    await after.close()
  })
})
