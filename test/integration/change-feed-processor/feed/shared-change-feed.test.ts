import { describe, expect, it } from 'vitest'
import type { ChangeFeed, ChangePage, FeedPosition } from '../../../../src/change-feed-processor/index.js'
import { SharedChangeFeed } from '../../../../src/change-feed-processor/internal.js'
import { cosmosWorld, type CosmosWorld } from '../../../support/cosmos-world.js'
import { deferred } from '../../../support/deferred.js'

const whole = { min: '', max: 'FF' }
const beginning: FeedPosition = { feedRange: whole, start: { kind: 'beginning' } }
const live = new AbortController().signal

interface Shared {
  readonly world: CosmosWorld
  readonly feed: SharedChangeFeed
  /** The signals of the requests that reached the store. */
  readonly requests: AbortSignal[]
  /** Headers that are added to every answer. */
  readonly headers: Record<string, string>
  /** Holds back the answers of later requests until the returned function is called. */
  hold(): () => void
}

async function sharedFeed(bounds: { maxBytes?: number; maxAgeMs?: number } = {}): Promise<Shared> {
  const world = await cosmosWorld('engine ports')
  const inner = world.feed()
  const requests: AbortSignal[] = []
  const headers: Record<string, string> = {}
  let gate: Promise<void> | undefined
  const counted: ChangeFeed = {
    physicalRanges: () => inner.physicalRanges(),
    partitionKeyPaths: () => inner.partitionKeyPaths(),
    readAllVersions: (from, options) => inner.readAllVersions(from, options),
    readNext: async (from, options) => {
      requests.push(options.signal)
      const page = await inner.readNext(from, options)
      await gate
      return { ...page, headers: { ...page.headers, ...headers } }
    },
  }
  const hold = (): (() => void) => {
    const { promise, resolve } = deferred()
    gate = promise
    return () => {
      gate = undefined
      resolve()
    }
  }
  return {
    world,
    feed: new SharedChangeFeed({ feed: counted, clock: world.clock, ...bounds }),
    requests,
    headers,
    hold,
  }
}

function read(feed: ChangeFeed, from: FeedPosition, maxItemCount = 100, signal = live): Promise<ChangePage> {
  return feed.readNext(from, { maxItemCount, signal })
}

const ids = ({ changes }: ChangePage): string[] => changes.map(({ id }) => id)

function next({ next: [position] }: ChangePage): FeedPosition {
  if (position === undefined) throw new Error('no position')
  return position
}

/** Returns the end of the feed, which holds one document, and forgets the requests so far. */
async function endOf({ world, feed, requests }: Shared): Promise<FeedPosition> {
  await world.put('0')
  const end = next(await read(feed, beginning))
  requests.length = 0
  return end
}

describe('a shared change feed', () => {
  it('sends one request for readers that ask for the same page together, and counts it once', async () => {
    const shared = await sharedFeed()
    const end = await endOf(shared)
    await shared.world.put('1')
    const pages = await Promise.all([1, 2, 3, 4].map(() => read(shared.feed, end)))
    expect(pages.map(ids)).toEqual([['1'], ['1'], ['1'], ['1']])
    expect(shared.requests).toHaveLength(1)
    expect(pages.filter(({ charge }) => charge > 0)).toHaveLength(1)
  })

  it('reports the waits of a throttled request only to the reader that caused it', async () => {
    const shared = await sharedFeed()
    const end = await endOf(shared)
    await shared.world.put('1')
    shared.headers['x-ms-throttle-retry-count'] = '3'
    const pages = await Promise.all([1, 2].map(() => read(shared.feed, end)))
    expect(pages.map(({ headers }) => headers['x-ms-throttle-retry-count'])).toEqual(['3', undefined])
  })

  it('takes a reader that is behind to the end of the known pages without a request', async () => {
    const shared = await sharedFeed()
    const end = await endOf(shared)
    let ahead = end
    for (const id of ['1', '2', '1', '3']) {
      await shared.world.put(id)
      ahead = next(await read(shared.feed, ahead))
    }
    const sent = shared.requests.length
    const behind = await read(shared.feed, end)
    expect(ids(behind)).toEqual(['2', '1', '3'])
    expect(behind).toMatchObject({ charge: 0, isFollowed: false, next: [ahead] })
    expect(shared.requests).toHaveLength(sent)
    await shared.world.put('4')
    expect(ids(await read(shared.feed, next(behind)))).toEqual(['4'])
  })

  it('returns at most the requested number of changes, and says that more are known', async () => {
    const shared = await sharedFeed()
    const end = await endOf(shared)
    for (const id of ['1', '2', '3', '4', '5']) await shared.world.put(id)
    let ahead = next(await read(shared.feed, end, 2))
    for (const _ of ['3 and 4', '5']) ahead = next(await read(shared.feed, ahead, 2))
    const sent = shared.requests.length
    const first = await read(shared.feed, end, 2)
    expect([ids(first), first.isFollowed]).toEqual([['1', '2'], true])
    const second = await read(shared.feed, next(first), 2)
    expect([ids(second), second.isFollowed]).toEqual([['3', '4'], true])
    const third = await read(shared.feed, next(second), 2)
    expect([ids(third), third.isFollowed]).toEqual([['5'], false])
    expect(shared.requests).toHaveLength(sent)
  })

  it('asks the store again instead of repeating that nothing is new', async () => {
    const shared = await sharedFeed()
    const end = await endOf(shared)
    expect(await read(shared.feed, end)).toMatchObject({ isDrained: true })
    await shared.world.put('1')
    expect(ids(await read(shared.feed, end))).toEqual(['1'])
  })

  it('asks again for a reader that joined a request which was answered before the reader asked', async () => {
    const shared = await sharedFeed()
    const end = await endOf(shared)
    const release = shared.hold()
    const early = read(shared.feed, end)
    await shared.world.put('1')
    const late = [read(shared.feed, end), read(shared.feed, end)]
    release()
    expect(await early).toMatchObject({ isDrained: true })
    expect((await Promise.all(late)).map(ids)).toEqual([['1'], ['1']])
    expect(shared.requests).toHaveLength(2)
  })

  it('returns an earlier empty answer to a reader that accepts its age', async () => {
    const shared = await sharedFeed()
    const { clock } = shared.world
    const end = await endOf(shared)
    const within = (emptyWithinMs: number): Promise<ChangePage> =>
      shared.feed.readNext(end, { maxItemCount: 100, signal: live, emptyWithinMs })
    await within(500)
    await clock.advance(500)
    expect(await within(500)).toMatchObject({
      ...{ isDrained: true, charge: 0 },
      begunAtMs: clock.monotonic() - 500,
    })
    expect(shared.requests).toHaveLength(1)
    await shared.world.put('1')
    expect(ids(await within(499))).toEqual(['1'])
    // The answer from before the change belongs to a position before the change.
    expect(ids(await within(5_000))).toEqual(['1'])
    expect(shared.requests).toHaveLength(2)
  })

  it('lets a reader join an earlier request whose age it accepts', async () => {
    const shared = await sharedFeed()
    const end = await endOf(shared)
    const release = shared.hold()
    const readers = [0, 20, 10].map((emptyWithinMs) =>
      shared.feed.readNext(end, { maxItemCount: 100, signal: live, emptyWithinMs }),
    )
    await shared.world.clock.advance(10)
    release()
    // The first causes the request, the last two join it, and all get an empty page.
    const beganMs = shared.world.clock.monotonic() - 10
    const began = (await Promise.all(readers)).map(({ begunAtMs }) => begunAtMs)
    expect(began).toEqual([undefined, beganMs, beganMs])
    expect(shared.requests).toHaveLength(1)
  })

  it('ends a request only when all its readers have given up', async () => {
    const shared = await sharedFeed()
    const end = await endOf(shared)
    await shared.world.put('1')
    const release = shared.hold()
    const [one, other] = [new AbortController(), new AbortController()]
    const given = expect(read(shared.feed, end, 100, one.signal)).rejects.toThrow('aborted')
    const waiting = read(shared.feed, end, 100, other.signal)
    one.abort()
    await given
    expect(shared.requests[0]?.aborted).toBe(false)
    other.abort()
    await expect(waiting).rejects.toThrow('aborted')
    expect(shared.requests[0]?.aborted).toBe(true)
    const fresh = read(shared.feed, end)
    release()
    expect(ids(await fresh)).toEqual(['1'])
    expect(shared.requests).toHaveLength(2)
  })

  it('sends a new request for a reader that asks after another one has given up', async () => {
    const shared = await sharedFeed()
    const end = await endOf(shared)
    await shared.world.put('1')
    const release = shared.hold()
    const [one, other] = [new AbortController(), new AbortController()]
    const given = expect(read(shared.feed, end, 100, one.signal)).rejects.toThrow('aborted')
    const waiting = read(shared.feed, end, 100, other.signal)
    one.abort()
    await given
    const again = read(shared.feed, end)
    expect(shared.requests).toHaveLength(2)
    release()
    expect([await again, await waiting].map(ids)).toEqual([['1'], ['1']])
  })

  it('reports a split to every reader', async () => {
    const shared = await sharedFeed()
    const end = await endOf(shared)
    shared.world.split('0')
    const together = await Promise.all([read(shared.feed, end), read(shared.feed, end)])
    expect([...together, await read(shared.feed, end)].map((page) => page.next.length)).toEqual([2, 2, 2])
  })

  it('forgets pages that are too old or too large in total', async () => {
    const bounds = { maxBytes: 20_000, maxAgeMs: 1_000 }
    const shared = await sharedFeed(bounds)
    const end = await endOf(shared)
    await shared.world.put('1', { text: 'x'.repeat(3_000) })
    const first = next(await read(shared.feed, end))
    await read(shared.feed, end)
    expect(shared.requests).toHaveLength(1)
    for (const id of ['2', '3']) {
      await shared.world.put(id, { text: 'x'.repeat(3_000) })
      await read(shared.feed, id === '2' ? first : next(await read(shared.feed, first)))
    }
    const sent = shared.requests.length
    await read(shared.feed, end)
    expect(shared.requests).toHaveLength(sent + 1)
    await shared.world.clock.advance(1_001)
    await read(shared.feed, end)
    expect(shared.requests).toHaveLength(sent + 2)
  })

  it('calls a reader once before the pages are dropped that it has not read', async () => {
    const shared = await sharedFeed({ maxBytes: 30_000 })
    const end = await endOf(shared)
    let calls = 0
    const onPagesWaiting = (): void => void (calls += 1)
    const away = (from: FeedPosition) =>
      shared.feed.readNext(from, { maxItemCount: 100, signal: live, onPagesWaiting })
    let [here, there] = [end, next(await away(end))]
    const called: number[] = []
    // A document takes nearly 7,000 bytes in memory.
    for (const id of ['1', '2', '3', '4', '5', '6']) {
      await shared.world.put(id, { text: 'x'.repeat(3_000) })
      here = next(await read(shared.feed, here))
      called.push(calls)
      if (id === '4') there = next(await away(there))
    }
    expect(called).toEqual([0, 0, 1, 1, 1, 1])
    expect(shared.requests).toHaveLength(7)
    expect(ids(await away(there))).toEqual(['5', '6'])
    expect(shared.requests).toHaveLength(7)
  })

  it.each(['other pages than its own', 'none, because it has ended'] as const)(
    'does not call a reader for which the kept pages are %s',
    async (what) => {
      const shared = await sharedFeed({ maxBytes: 30_000 })
      const end = await endOf(shared)
      let calls = 0
      const onPagesWaiting = (): void => void (calls += 1)
      const ending = new AbortController()
      const maxItemCount = what === 'other pages than its own' ? 50 : 100
      await shared.feed.readNext(end, { maxItemCount, signal: ending.signal, onPagesWaiting })
      if (maxItemCount === 100) ending.abort()
      let here = end
      for (const id of ['1', '2', '3', '4', '5', '6']) {
        await shared.world.put(id, { text: 'x'.repeat(3_000) })
        here = next(await read(shared.feed, here))
      }
      expect(calls).toBe(0)
    },
  )
})
