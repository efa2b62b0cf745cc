import {
  BulkOperationType,
  ChangeFeedStartFrom,
  type ChangeFeedIteratorOptions,
  type ChangeFeedPullModelIterator,
  type Container,
  type JSONObject,
} from '@azure/cosmos'
import { beforeEach, describe, expect, it } from 'vitest'
import { createInProcessCosmos } from '../../../src/emulator/index.js'
import { doors, ordersIn, type Door } from './doors.js'
import { scratchDirectory } from '../../support/scratch-directory.js'

interface Changed {
  readonly id: string
  readonly pk: string
  readonly round: number
}

const names = { database: 'shop', container: 'orders' }

async function write(container: Container, count: number, round = 0): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await container.items.upsert({ id: `o${index}`, pk: `k${index}`, round })
  }
}

async function drained(iterator: ChangeFeedPullModelIterator<Changed>): Promise<Changed[]> {
  const changes: Changed[] = []
  while (true) {
    const page = await iterator.readNext()
    if (page.statusCode === 304) return changes
    changes.push(...page.result)
  }
}

/** Returns an iterator from the beginning, or from a token. */
function feed(container: Container, token?: string): ChangeFeedPullModelIterator<Changed> {
  const start: unknown =
    token === undefined ? ChangeFeedStartFrom.Beginning() : ChangeFeedStartFrom.Continuation(token)
  return container.items.getChangeFeedIterator<Changed>({
    maxItemCount: 4,
    changeFeedStartFrom: start as NonNullable<ChangeFeedIteratorOptions['changeFeedStartFrom']>,
  })
}

describe.each(doors)('a split or a merge through the SDK, %s', (_name, open) => {
  let door: Door
  let container: Container

  beforeEach(async () => {
    door = await open({ partitionCount: 2 })
    container = await ordersIn(door)
  })

  async function ranges(): Promise<unknown[]> {
    const { resources } = await container.readPartitionKeyRanges().fetchAll()
    return resources.map((range) => [range.id, (range as { parents?: unknown }).parents])
  }

  it('takes the fullest range by default, and accepts an SDK container or its name', async () => {
    const isRight = (pk: string): boolean =>
      door.engine.container('shop', 'orders').locate([pk]).partition.id === '1'
    const keys = Array.from({ length: 30 }, (_, index) => `k${index}`).filter(isRight)
    for (const pk of keys) await container.items.create({ id: pk, pk })
    const children = await door.splitPartition(container)
    expect(children.map(({ id }) => id)).toEqual(['2', '3'])
    expect(children[0]?.max).toBe(children[1]?.min)
    await door.splitPartition(names, '0')
    expect(await ranges()).toEqual([
      ['4', ['0']],
      ['5', ['0']],
      ['2', ['1']],
      ['3', ['1']],
    ])
    await door.mergePartitions(names, ['5', '2'])
    expect(await ranges()).toContainEqual(['6', ['0', '1', '2', '5']])
  })

  it('refuses an unknown range or container in the service’s form', async () => {
    await expect(door.splitPartition(names, '9')).rejects.toMatchObject({ status: 410, substatus: 1002 })
    await expect(door.splitPartition({ ...names, container: 'none' })).rejects.toMatchObject({ status: 404 })
    await door.splitPartition(names, '0')
    await expect(door.mergePartitions(names, ['2', '1'])).rejects.toMatchObject({ status: 400 })
  })

  it('lets an iterator continue without loss or repetition', async () => {
    await write(container, 30)
    const iterator = feed(container)
    const seen = (await iterator.readNext()).result.map(({ id, round }) => `${id}@${round}`)
    const follow = async (): Promise<void> => {
      seen.push(...(await drained(iterator)).map(({ id, round }) => `${id}@${round}`))
    }
    await door.splitPartition(names, '0')
    await write(container, 10, 1)
    await follow()
    await door.mergePartitions(names, ['3', '1'])
    await write(container, 20, 2)
    await follow()
    await door.mergePartitions(names, ['2', '4'])
    await write(container, 30, 3)
    await follow()
    const newest = Array.from({ length: 30 }, (_, index) => `o${index}@3`)
    expect(seen.filter((one) => one.endsWith('@3')).sort()).toEqual([...newest].sort())
    expect(seen.filter((one) => one.endsWith('@2'))).toHaveLength(20)
    expect(new Set(seen).size).toBe(seen.length)
  })

  it('keeps earlier tokens valid', async () => {
    await write(container, 20)
    const iterator = feed(container)
    await drained(iterator)
    const { continuationToken } = await iterator.readNext()
    await write(container, 12, 1)
    await door.mergePartitions(names, ['0', '1'])
    await door.splitPartition(names)
    const again = feed(container, continuationToken)
    const changes = await drained(again)
    expect(changes.map(({ round }) => round)).toEqual(Array.from({ length: 12 }, () => 1))
  })

  it('serves sessions of a client that knows the old ranges, without a refusal', async () => {
    const session = door.client({ consistencyLevel: 'Session' }).database('shop').container('orders')
    await write(session, 12)
    const before = door.stats().refusals
    const changes = [
      () => door.splitPartition(names, '0'),
      () => door.splitPartition(names, '1'),
      () => door.mergePartitions(names, ['3', '4']),
    ]
    for (const [index, change] of changes.entries()) {
      const round = index + 1
      await change()
      expect((await session.item('o1', 'k1').read<Changed>()).resource?.round).toBe(round - 1)
      await write(session, 12, round)
      expect((await session.item('o1', 'k1').read<Changed>()).resource?.round).toBe(round)
      const { resources } = await session.items.query('SELECT VALUE c.round FROM c').fetchAll()
      expect(resources).toEqual(Array.from({ length: 12 }, () => round))
    }
    expect(door.stats().refusals).toBe(before)
  })

  it('keeps etags valid as conditions', async () => {
    const { item, etag } = await container.items.create({ id: 'x', pk: 'a' })
    await door.splitPartition(names, '0')
    await door.splitPartition(names, '1')
    await door.mergePartitions(names, ['3', '4'])
    const accessCondition = { type: 'IfMatch', condition: etag }
    await item.replace({ id: 'x', pk: 'a', round: 1 }, { accessCondition })
    const late = item.replace({ id: 'x', pk: 'a', round: 2 }, { accessCondition })
    await expect(late).rejects.toMatchObject({ code: 412 })
  })

  it('lets a session continue with the token of a parent range', async () => {
    const { item, headers } = await container.items.create({ id: 'x', pk: 'a' })
    const [parent] = String(headers['x-ms-session-token']).split(':')
    await door.mergePartitions(names, ['0', '1'])
    const behind = door.stats().refusals
    const read = await item.read({ sessionToken: String(headers['x-ms-session-token']) })
    expect(read.statusCode).toBe(200)
    expect(read.headers['x-ms-session-token']).toMatch(/^2:-1#/u)
    expect(door.stats().refusals).toBe(behind)
    await item.read({ sessionToken: `${parent}:-1#99` })
    expect(door.stats().refusals).toBe(behind + 1)
  })

  it('lets bulk requests continue', async () => {
    const bulk = async (): Promise<unknown[]> => {
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- clients still use it
      const results = await container.items.bulk(bulkUpserts(30))
      return results.map(({ statusCode }) => statusCode)
    }
    expect(new Set(await bulk())).toEqual(new Set([201]))
    await door.splitPartition(names, '1')
    expect(new Set(await bulk())).toEqual(new Set([200]))
    await door.mergePartitions(names, ['0', '2'])
    expect(new Set(await bulk())).toEqual(new Set([200]))
    expect((await drained(feed(container))).map(({ id }) => id)).toHaveLength(30)
  })
})

function bulkUpserts(
  count: number,
  round = 0,
): { operationType: 'Upsert'; partitionKey: string; resourceBody: Changed & JSONObject }[] {
  return Array.from({ length: count }, (_, index) => ({
    operationType: BulkOperationType.Upsert,
    partitionKey: `k${index}`,
    resourceBody: { id: `o${index}`, pk: `k${index}`, round },
  }))
}

describe('the SDK’s bulk executor', () => {
  // It waits some seconds after a 410, so one door is enough.
  it('continues after a split', async () => {
    const door = createInProcessCosmos({ partitionCount: 2 })
    const container = await ordersIn(door)
    await container.items.executeBulkOperations(bulkUpserts(30))
    await door.splitPartition(names, '1')
    const before = door.stats().refusals
    const results = await container.items.executeBulkOperations(bulkUpserts(30, 1))
    expect(door.stats().refusals).toBeGreaterThan(before)
    expect(new Set(results.map((result) => result.response?.statusCode))).toEqual(new Set([200]))
    const { resources } = await container.items.query('SELECT VALUE c.round FROM c').fetchAll()
    expect(resources).toEqual(Array.from({ length: 30 }, () => 1))
  })
})

describe('a split or a merge on disk', () => {
  let dataDirectory: string

  beforeEach(() => {
    dataDirectory = scratchDirectory()
  })

  it('survives a restart, with every position in the feed', async () => {
    const before = createInProcessCosmos({ dataDirectory, partitionCount: 2 })
    const container = await ordersIn(before)
    await write(container, 25)
    // Both sides have the same LSNs, so places in the log have changed. They must be kept as well.
    await before.mergePartitions(names, ['0', '1'])
    const iterator = feed(container)
    const first = await iterator.readNext()
    const rest = await drained(iterator)
    await before.close()

    const after = createInProcessCosmos({ dataDirectory })
    const restored = await ordersIn(after)
    const resumed = await drained(feed(restored, first.continuationToken))
    expect(resumed.map(({ id }) => id).sort()).toEqual(rest.map(({ id }) => id).sort())
    expect(first.result.length + resumed.length).toBe(25)
    await after.splitPartition(restored)
    await after.close()

    const last = createInProcessCosmos({ dataDirectory })
    const { partitions, documentCount } = last.engine.container('shop', 'orders')
    expect(partitions.map(({ identity }) => [identity.id, identity.parents])).toEqual([
      ['3', ['0', '1', '2']],
      ['4', ['0', '1', '2']],
    ])
    expect(documentCount).toBe(25)
    await last.close()
  })
})
