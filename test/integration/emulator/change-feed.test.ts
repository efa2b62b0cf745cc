import {
  ChangeFeedStartFrom,
  type ChangeFeedIteratorOptions,
  type ChangeFeedPullModelIterator,
  type Container,
} from '@azure/cosmos'
import { beforeEach, describe, expect, it } from 'vitest'
import { doors, ordersIn, type Door } from './doors.js'

interface Changed {
  readonly id: string
  readonly pk: string
  readonly round?: number
  readonly _lsn: number
}

type Start = ChangeFeedIteratorOptions['changeFeedStartFrom']

describe.each(doors)('the change feed through the SDK, %s', (_name, open) => {
  let door: Door
  let container: Container

  beforeEach(async () => {
    door = await open({ partitionCount: 3 })
    container = await ordersIn(door)
  })

  function feed(changeFeedStartFrom: unknown, maxItemCount = 10): ChangeFeedPullModelIterator<Changed> {
    return container.items.getChangeFeedIterator<Changed>({
      maxItemCount,
      changeFeedStartFrom: changeFeedStartFrom as NonNullable<Start>,
    })
  }

  /** Returns all changes until the feed answers that nothing is new. */
  async function drained(iterator: ChangeFeedPullModelIterator<Changed>): Promise<Changed[]> {
    const changes: Changed[] = []
    while (true) {
      const page = await iterator.readNext()
      if (page.statusCode === 304) return changes
      changes.push(...page.result)
    }
  }

  async function write(count: number, round = 0): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      await container.items.upsert({ id: `o${index}`, pk: `k${index}`, round })
    }
  }

  it('shows each document once, in its latest version, across all ranges', async () => {
    await write(40)
    await write(20, 1)
    const changes = await drained(feed(ChangeFeedStartFrom.Beginning()))
    expect(new Set(changes.map(({ id }) => id)).size).toBe(40)
    expect(changes).toHaveLength(40)
    expect(changes.filter(({ round }) => round === 1)).toHaveLength(20)
    expect(changes.every(({ _lsn }) => _lsn > 0)).toBe(true)
  })

  it('spreads documents over the physical partitions', async () => {
    await write(60)
    const ranges = await container.getFeedRanges()
    expect(ranges).toHaveLength(3)
    for (const range of ranges) {
      const changes = await drained(feed(ChangeFeedStartFrom.Beginning(range)))
      expect(changes.length).toBeGreaterThan(5)
    }
  })

  it('continues where it stopped, and shows no change twice', async () => {
    await write(10)
    const iterator = feed(ChangeFeedStartFrom.Beginning(), 3)
    expect(await drained(iterator)).toHaveLength(10)
    await container.items.upsert({ id: 'o3', pk: 'k3', round: 9 })
    expect((await drained(iterator)).map(({ id, round }) => [id, round])).toEqual([['o3', 9]])
    expect(await drained(iterator)).toEqual([])
  })

  it('starts from now', async () => {
    await write(5)
    const iterator = feed(ChangeFeedStartFrom.Now())
    expect(await drained(iterator)).toEqual([])
    await write(1, 1)
    expect(await drained(iterator)).toHaveLength(1)
  })

  it('starts from a time', async () => {
    await write(5)
    const { resource } = await container.item('o0', 'k0').read<{ _ts: number }>()
    const writtenAt = new Date((resource?._ts ?? 0) * 1000)
    expect(await drained(feed(ChangeFeedStartFrom.Time(writtenAt)))).toHaveLength(5)
    const later = new Date(writtenAt.getTime() + 3_600_000)
    expect(await drained(feed(ChangeFeedStartFrom.Time(later)))).toEqual([])
  })

  it('resumes from an earlier token', async () => {
    await write(10)
    const first = feed(ChangeFeedStartFrom.Beginning(), 4)
    const page = await first.readNext()
    const resumed = await drained(feed(ChangeFeedStartFrom.Continuation(page.continuationToken), 4))
    expect(resumed).toHaveLength(10 - page.count)
  })

  it('reads one partition key', async () => {
    await write(10)
    await container.items.upsert({ id: 'second', pk: 'k3' })
    const changes = await drained(feed(ChangeFeedStartFrom.Beginning('k3')))
    expect(changes.map(({ id }) => id)).toEqual(['o3', 'second'])
  })

  it('reads parts of a range by hand-made tokens without losing changes between them', async () => {
    await write(60)
    const { resource } = await container.read()
    const bounds = ['', '0A', '12', '20', '2B', 'FF']
    const seen: string[] = []
    for (const [index, maxExclusive] of bounds.slice(1).entries()) {
      const minInclusive = bounds[index]
      const token = JSON.stringify({
        rid: resource?._rid,
        Continuation: [{ minInclusive, maxExclusive, continuationToken: '' }],
      })
      const changes = await drained(feed(ChangeFeedStartFrom.Continuation(token), 7))
      expect(changes.length).toBeLessThan(60)
      seen.push(...changes.map(({ id }) => id))
    }
    expect([...seen].sort()).toEqual(Array.from({ length: 60 }, (_, index) => `o${index}`).sort())
  })

  it('never cuts a transaction', async () => {
    const bodies = Array.from({ length: 20 }, (_, index) => ({ id: `t${index}`, pk: 'one' }))
    await container.items.batch(
      bodies.map((resourceBody) => ({ operationType: 'Create' as const, resourceBody })),
      'one',
    )
    await container.items.create({ id: 'after', pk: 'one' })
    const page = await feed(ChangeFeedStartFrom.Beginning('one'), 5).readNext()
    expect(page.result).toHaveLength(20)
    expect(new Set(page.result.map(({ _lsn }) => _lsn)).size).toBe(1)
  })

  it('answers with an etag even when nothing is new', async () => {
    const page = await feed(ChangeFeedStartFrom.Beginning()).readNext()
    expect(page.statusCode).toBe(304)
    const { Continuation } = JSON.parse(page.continuationToken) as {
      Continuation: { continuationToken: string }[]
    }
    expect(Continuation.map(({ continuationToken }) => continuationToken)).toEqual(['"0"', '"0"', '"0"'])
  })

  it('follows a split without losing or repeating a change', async () => {
    await write(30)
    const iterator = feed(ChangeFeedStartFrom.Beginning(), 4)
    const before = (await iterator.readNext()).result
    door.engine.container('shop', 'orders').splitPartition('1')
    await container.items.upsert({ id: 'late', pk: 'k1' })
    const after = await drained(iterator)
    const ids = [...before, ...after].map(({ id }) => id)
    expect(ids).toHaveLength(31)
    expect(new Set(ids).size).toBe(31)
  })
})
