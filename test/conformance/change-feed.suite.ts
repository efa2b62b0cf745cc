import { describe, expect, it } from 'vitest'
import type { FeedRange } from '../../lease-store/index.js'
import type {
  ChangeFeed,
  ChangePage,
  FeedPosition,
  FeedStart,
} from '../../src/change-feed-processor/index.js'
import type { CosmosWorld, WorldOptions } from '../support/cosmos-world.js'

const whole: FeedRange = { min: '', max: 'FF' }
const beginning: FeedStart = { kind: 'beginning' }
const { signal } = new AbortController()
const reading = { maxItemCount: 100, signal }

function read(feed: ChangeFeed, from: FeedPosition, maxItemCount = 100): Promise<ChangePage> {
  return feed.readNext(from, { maxItemCount, signal })
}

const ids = (page: ChangePage): string[] => page.changes.map((change) => change.id)

function onlyNext(page: ChangePage): FeedPosition {
  const [next, ...others] = page.next
  if (next === undefined || others.length > 0) throw new Error(`${page.next.length} positions`)
  return next
}

/** Reads from these positions, through splits, until all are drained. Returns every id. */
async function drain(feed: ChangeFeed, from: readonly FeedPosition[], maxItemCount = 100): Promise<string[]> {
  const found: string[] = []
  let open = [...from]
  for (let reads = 0; open.length > 0; reads += 1) {
    if (reads > 200) throw new Error('the feed does not end')
    const pages = await Promise.all(open.map((position) => read(feed, position, maxItemCount)))
    found.push(...pages.flatMap(ids))
    open = pages.filter((page) => !page.isDrained).flatMap((page) => page.next)
  }
  return found
}

/** What every change feed must do. */
export function changeFeedSuite(name: string, open: (options?: WorldOptions) => Promise<CosmosWorld>): void {
  describe(`the change feed (${name})`, () => {
    it('lists its physical ranges in order, without gaps or overlaps', async () => {
      const ranges = await (await open({ partitionCount: 3 })).feed().physicalRanges()
      expect(ranges.map((range) => range.id)).toEqual(['0', '1', '2'])
      expect([ranges[0]?.min, ranges[2]?.max]).toEqual(['', 'FF'])
      expect(ranges.slice(1).map((range) => range.min)).toEqual(ranges.slice(0, 2).map((range) => range.max))
    })

    it('reads from the beginning and continues after the last page (B57)', async () => {
      const world = await open()
      const feed = world.feed()
      await world.put('1')
      await world.put('2')
      const first = await read(feed, { feedRange: whole, start: beginning })
      expect(ids(first)).toEqual(['1', '2'])
      expect(first).toMatchObject({ next: [{ feedRange: whole, start: { kind: 'continuation' } }] })
      expect(first.charge).toBeGreaterThan(0)
      expect(first.sessionToken).not.toBeNull()
      expect(first.changes[0]).toMatchObject({ pk: '1', _lsn: expect.any(Number) as number })
      const second = await read(feed, onlyNext(first))
      expect(second).toMatchObject({ changes: [], isDrained: true })
      await world.put('3')
      expect(ids(await read(feed, onlyNext(second)))).toEqual(['3'])
    })

    it('returns an empty page and a position to continue from for an empty container (B66)', async () => {
      const world = await open()
      const feed = world.feed()
      const first = await read(feed, { feedRange: whole, start: beginning })
      expect(first).toMatchObject({ changes: [], isDrained: true })
      await world.put('1')
      expect(ids(await read(feed, onlyNext(first)))).toEqual(['1'])
    })

    it('returns positions that survive JSON and from which another reader continues (B60)', async () => {
      const world = await open({ keepsVersions: true })
      for (const id of ['1', '2']) await world.put(id)
      const { next } = await read(world.feed(), { feedRange: whole, start: beginning }, 1)
      const kept = JSON.parse(JSON.stringify(next)) as readonly FeedPosition[]
      expect(kept).toEqual(next)
      expect(await drain(world.feed(), kept)).toEqual(['2'])
    })

    it('cuts a range where the new partitions begin, and keeps its outer bounds (B187, B359)', async () => {
      const world = await open()
      const feedRange = { min: '0A', max: '2E' }
      for (const id of Array.from({ length: 30 }, (_, index) => `d${index}`)) await world.put(id)
      const feed = world.feed()
      const before = await drain(feed, [{ feedRange, start: beginning }])
      world.split('0')
      for (const { id } of await feed.physicalRanges()) world.split(id)
      const cuts = (await world.feed().physicalRanges()).slice(1).map(({ min }) => min)
      let toRead: readonly FeedPosition[] = [{ feedRange, start: beginning }]
      const parts: FeedPosition[] = []
      const found: string[] = []
      for (let reads = 0; toRead.length > 0; reads += 1) {
        if (reads > 50 || toRead.length > 50) throw new Error('the feed does not end')
        const pages = await Promise.all(toRead.map(async (from) => ({ from, page: await read(feed, from) })))
        found.push(...pages.flatMap(({ page }) => ids(page)))
        const done = pages.filter(({ page }) => page.isDrained && page.next.length === 1)
        parts.push(...done.map(({ from }) => from))
        toRead = pages.filter((one) => !done.includes(one)).flatMap(({ page }) => page.next)
      }
      const within = cuts.filter((cut) => cut > feedRange.min && cut < feedRange.max)
      const bounds = [feedRange.min, ...within, feedRange.max]
      expect(within.length).toBeGreaterThan(1)
      expect(parts.map(({ feedRange: { min } }) => min).sort()).toEqual(bounds.slice(0, -1))
      expect(parts.map(({ feedRange: { max } }) => max).sort()).toEqual(bounds.slice(1))
      expect(found.sort()).toEqual(before.sort())
    })

    it('returns only the latest version of a document, at its new place', async () => {
      const world = await open()
      for (const id of ['1', '2', '1']) await world.put(id)
      expect(ids(await read(world.feed(), { feedRange: whole, start: beginning }))).toEqual(['2', '1'])
    })

    it('returns at most the requested number of changes, and then the rest (B68)', async () => {
      const world = await open()
      const all = ['1', '2', '3', '4', '5']
      for (const id of all) await world.put(id)
      const first = await read(world.feed(), { feedRange: whole, start: beginning }, 2)
      expect(ids(first)).toEqual(['1', '2'])
      expect(await drain(world.feed(), first.next, 2)).toEqual(['3', '4', '5'])
    })

    it('returns only later changes when it is read from now on (B58)', async () => {
      const world = await open()
      await world.put('1')
      const first = await read(world.feed(), { feedRange: whole, start: { kind: 'now' } })
      expect(first).toMatchObject({ changes: [], isDrained: true })
      await world.put('2')
      expect(ids(await read(world.feed(), onlyNext(first)))).toEqual(['2'])
    })

    it('returns every change after a start time, to the second (B59)', async () => {
      const world = await open()
      await world.put('1')
      await world.clock.advance(60_500)
      const atMs = world.clock.now()
      await world.put('2')
      await world.clock.advance(60_000)
      const feed = world.feed()
      const first = await read(feed, { feedRange: whole, start: { kind: 'time', atMs } })
      expect(ids(first)).toEqual(['2'])
      await world.put('1')
      expect(await drain(feed, first.next)).toEqual(['1'])
    })

    it('returns the same page for the same position every time', async () => {
      const world = await open()
      for (const id of ['1', '2', '3']) await world.put(id)
      const feed = world.feed()
      const start = { feedRange: whole, start: beginning }
      const first = await read(feed, start, 1)
      const second = await read(feed, onlyNext(first), 1)
      expect([await read(feed, start, 1), await read(feed, onlyNext(first), 1)].map(ids)).toEqual([
        ['1'],
        ['2'],
      ])
      expect(ids(await read(feed, onlyNext(second), 1))).toEqual(['3'])
    })

    it('can be read in ranges smaller than the physical ones (B61)', async () => {
      const world = await open({ partitionCount: 2 })
      const all = Array.from({ length: 40 }, (_, index) => `d${index}`)
      for (const id of all) await world.put(id)
      const cuts = ['', '0F', '20', '3F', 'FF']
      const parts = cuts.slice(1).map((max, index) => ({ min: cuts[index] ?? '', max }))
      const feed = world.feed()
      const found = await Promise.all(
        parts.map((feedRange) => drain(feed, [{ feedRange, start: beginning }], 3)),
      )
      expect(found.flat().sort()).toEqual(all.sort())
      expect(found.every((part) => part.length > 0)).toBe(true)
    })

    it.each(['beginning', 'continuation', 'now', 'time'] as const)(
      'reports that a range was split and continues in its children (from %s) (B70, B395)',
      async (from) => {
        const world = await open()
        const [old, fresh] = [1, 2].map((round) =>
          Array.from({ length: 20 }, (_, index) => `r${round}-${index}`),
        )
        for (const id of old ?? []) await world.put(id)
        await world.clock.advance(5_000)
        const feed = world.feed()
        const read0 = await read(feed, { feedRange: whole, start: beginning })
        const start: FeedStart = {
          beginning,
          continuation: onlyNext(read0).start,
          now: { kind: 'now' } as const,
          time: { kind: 'time', atMs: world.clock.now() } as const,
        }[from]
        world.split('0')
        const first = await read(feed, { feedRange: whole, start })
        const bounds = first.next.map((position) => position.feedRange)
        expect(bounds).toHaveLength(2)
        expect(bounds).toMatchObject([{ min: '', max: bounds[1]?.min }, { max: 'FF' }])
        for (const id of fresh ?? []) await world.put(id)
        const found = [...ids(first), ...(await drain(world.feed(), first.next))]
        const expected = from === 'beginning' ? [...(old ?? []), ...(fresh ?? [])] : (fresh ?? [])
        expect(found.sort()).toEqual([...expected].sort())
      },
    )

    it('rejects an aborted read and consumes nothing (B64)', async () => {
      const world = await open()
      await world.put('1')
      const feed = world.feed()
      const start = { feedRange: whole, start: beginning }
      const aborted = feed.readNext(start, { maxItemCount: 1, signal: AbortSignal.abort() })
      await expect(aborted).rejects.toThrow()
      expect(ids(await read(feed, start))).toEqual(['1'])
    })

    it('knows the paths of the partition key', async () => {
      expect(await (await open()).feed().partitionKeyPaths()).toEqual(['/pk'])
    })

    describe('in the mode of all versions and deletes', () => {
      it('returns every change from now on with its previous version, page by page', async () => {
        const world = await open({ keepsVersions: true })
        await world.put('1', { total: 0 })
        const feed = world.feed()
        const none = await feed.readAllVersions({ feedRange: whole, start: { kind: 'now' } }, reading)
        expect(none).toMatchObject({ changes: [], isDrained: true })
        await world.put('2', { total: 1 })
        await world.put('2', { total: 2 })
        await world.remove('2')
        const [from] = none.next
        if (from === undefined) throw new Error('no position')
        const first = await feed.readAllVersions(from, { ...reading, maxItemCount: 2 })
        expect(first.changes).toMatchObject([
          { current: { id: '2', total: 1 }, metadata: { operationType: 'create' } },
          {
            current: { total: 2 },
            previous: { total: 1 },
            metadata: { operationType: 'replace', previousImageLSN: first.changes[0]?.metadata.lsn },
          },
        ])
        const [then] = first.next
        if (then === undefined) throw new Error('no position')
        const second = await feed.readAllVersions(then, reading)
        expect(second.changes).toMatchObject([
          {
            current: {},
            previous: { total: 2 },
            metadata: {
              operationType: 'delete',
              id: '2',
              partitionKey: { pk: '2' },
              timeToLiveExpired: false,
            },
          },
        ])
        expect(ids(await read(feed, from))).toEqual([])
      })

      it('rejects a start at the beginning or at a time', async () => {
        const feed = (await open({ keepsVersions: true })).feed()
        for (const start of [beginning, { kind: 'time', atMs: 0 } as const])
          await expect(feed.readAllVersions({ feedRange: whole, start }, reading)).rejects.toThrow(
            /retention/,
          )
      })

      it('continues in the children of a split', async () => {
        const world = await open({ keepsVersions: true })
        const feed = world.feed()
        const { next } = await feed.readAllVersions({ feedRange: whole, start: { kind: 'now' } }, reading)
        for (const id of ['1', '2', '3', '4']) await world.put(id)
        world.split('0')
        const [from] = next
        if (from === undefined) throw new Error('no position')
        const split = await feed.readAllVersions(from, reading)
        expect(split.next).toHaveLength(2)
        const children = await Promise.all(split.next.map((child) => feed.readAllVersions(child, reading)))
        const found = [split, ...children].flatMap(({ changes }) =>
          changes.map(({ current }) => current['id']),
        )
        expect(found.sort()).toEqual(['1', '2', '3', '4'])
      })
    })
  })
}
