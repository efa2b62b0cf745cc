import { describe, expect, it, vi } from 'vitest'
import type { ChangeFeed, ChangePage, FeedPosition } from '../../../src/change-feed-processor/index.js'
import { enginePorts } from '../../../src/engine-ports/index.js'
import { decodeDelivered } from '../../../src/sas/model/delivered/decode-delivered.js'
import { jobDocumentId } from '../../../src/sas/model/document-ids.js'
import type { StateDocument, StateStore } from '../../../src/sas/store/state-store.js'
import { aJob } from '../../support/a-job.js'
import { deferred } from '../../support/deferred.js'
import { attachedProcess } from '../../support/local-door.js'

const beginning: FeedPosition = { feedRange: { min: '', max: 'FF' }, start: { kind: 'beginning' } }
const options = { maxItemCount: 10, signal: new AbortController().signal }

function job(jobId: string): StateDocument {
  return { ...aJob(), id: jobDocumentId(jobId), pk: jobId, jobId }
}

async function create(store: StateStore, jobId: string): Promise<void> {
  const { kind } = await store.apply(jobId, [{ kind: 'create', document: job(jobId) }])
  if (kind !== 'applied') throw new Error(`the write ended with ${kind}`)
}

/** Reads to the end of the feed, and returns the position there. */
async function endOf(feed: ChangeFeed): Promise<FeedPosition> {
  for (let position = beginning; ;) {
    const { next, isDrained } = await feed.readNext(position, options)
    position = next[0] ?? position
    if (isDrained) return position
  }
}

function jobsIn({ changes }: ChangePage): readonly unknown[] {
  return changes.map((change) => {
    const decoded = decodeDelivered(change)
    return decoded.kind === 'job' ? decoded.job.jobId : decoded.kind
  })
}

/** An attached process that has read everything, and a function that returns the bytes that it has sent. */
async function pausing() {
  const process = await attachedProcess()
  const feed = process.ports.changeFeed()
  const news: (string | null)[] = []
  let heard = deferred<string | null>()
  process.ports.watch((rangeId) => {
    news.push(rangeId)
    heard.resolve(rangeId)
    heard = deferred()
  })
  const end = await endOf(feed)
  const sent = (): number => process.door.dialed.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0)
  /** Resolves with the next news of a write. */
  const nextNews = (): Promise<string | null> => heard.promise
  /** Expects the page after `end`. Resolves when the store knows. */
  const expectPage = async (): Promise<void> => {
    feed.expect?.(end, options)
    await process.ports.state.read({ pk: 'none', id: 'none' })
    process.charges.length = 0
  }
  return { ...process, feed, end, news, nextNews, sent, expectPage }
}

describe('a reader that pauses', () => {
  it('has its next page with the news of a write by others, without a request', async () => {
    const { feed, end, beside, charges, nextNews, sent, expectPage } = await pausing()
    await expectPage()
    const news = nextNews()
    await create(beside, 'a')
    expect(await news).toBe('0')
    const before = sent()
    charges.length = 0
    const page = await feed.readNext(end, options)
    expect(jobsIn(page)).toEqual(['a'])
    expect(sent()).toBe(before)
    // The store has counted the page already.
    expect(charges).toEqual([])
    expect(jobsIn(await feed.readNext(page.next[0] ?? end, options))).toEqual([])
  })

  it('is charged for the page once', async () => {
    const { feed, end, beside, charges, nextNews, expectPage } = await pausing()
    await expectPage()
    const news = nextNews()
    await create(beside, 'a')
    await news
    await feed.readNext(end, options)
    expect(charges).toEqual(['feed.read'])
  })

  it('expects a page once, although several readers of the process pause at the same place', async () => {
    const { feed, end, sent, ports, expectPage } = await pausing()
    await expectPage()
    const before = sent()
    feed.expect?.(end, options)
    feed.expect?.(end, options)
    await ports.state.read({ pk: 'none', id: 'none' })
    const once = sent()
    await ports.state.read({ pk: 'none', id: 'none' })
    expect(once - before).toBe(sent() - once)
  })

  it('finds the jobs that its own process has written in the page', async () => {
    const { feed, end, ports, beside, nextNews, received, expectPage } = await pausing()
    await expectPage()
    await create(ports.state, 'own')
    const before = received()
    const news = nextNews()
    await create(beside, 'other')
    await news
    expect(jobsIn(await feed.readNext(end, options))).toEqual(['own', 'other'])
    // The own job is named, and not sent back.
    expect(received() - before).toBeLessThan(1.5 * JSON.stringify(job('other')).length + 1_000)
  })

  it('reads also what was written after the page, if it hears of that before it reads', async () => {
    const { feed, end, beside, news, nextNews, expectPage } = await pausing()
    await expectPage()
    for (const jobId of ['a', 'b']) {
      const heard = nextNews()
      await create(beside, jobId)
      await heard
    }
    expect(news).toEqual(['0', '0'])
    expect(jobsIn(await feed.readNext(end, options))).toEqual(['a', 'b'])
  })

  it('reads also a write of the same turn that the page lacks', async () => {
    const { feed, end, beside, news, expectPage } = await pausing()
    await expectPage()
    await Promise.all([create(beside, 'a'), create(beside, 'b')])
    await expect.poll(() => news).toEqual(['0', '0'])
    expect(jobsIn(await feed.readNext(end, options))).toEqual(['a', 'b'])
  })

  it('gets no page while a later write is on its way to the disk, so that the news need not wait', async () => {
    const { feed, end, cosmos, beside, nextNews, expectPage, received } = await pausing()
    await expectPage()
    const [first, second] = [deferred(), deferred()]
    const settled = vi.spyOn(cosmos.engine, 'settled').mockImplementation(() => first.promise)
    const writes = [create(beside, 'a')]
    settled.mockImplementation(() => second.promise)
    writes.push(create(beside, 'b'))
    const before = received()
    const news = nextNews()
    first.resolve()
    expect(await news).toBe('0')
    expect(received() - before).toBeLessThan(100)
    second.resolve()
    settled.mockRestore()
    await Promise.all(writes)
    expect(jobsIn(await feed.readNext(end, options))).toEqual(['a', 'b'])
  })

  it('gets no page of a container that has replaced its own', async () => {
    const { feed, end, cosmos, door, beside, news, expectPage } = await pausing()
    await expectPage()
    const { engine } = cosmos
    const disk = deferred()
    const settled = vi.spyOn(engine, 'settled').mockImplementation(() => disk.promise)
    const write = create(beside, 'a')
    engine.deleteContainer('stepward', 'state')
    const partitionKey = { paths: ['/pk'], kind: 'Hash', version: 2 }
    engine.createContainer('stepward', { id: 'state', partitionKey, defaultTtl: -1 })
    settled.mockRestore()
    const other = enginePorts(engine, 'stepward').stateStore('state')
    for (let number = 0; number < 20; number += 1) await create(other, `other-${number}`)
    disk.resolve()
    await write
    await expect.poll(() => news.length > 0 || door.dialed.at(-1)?.destroyed).toBe(true)
    const failures = async () => {
      const failed = await feed.readNext(end, options).catch((error: unknown) => (error as Error).cause)
      return String(failed)
    }
    expect(await failures()).toMatch(/was lost|deleted and created again/u)
    await expect.poll(failures).toContain('deleted and created again')
  })

  it('gets no page that it does not expect any more, because it has asked for one', async () => {
    const { feed, end, beside, nextNews, received, expectPage } = await pausing()
    await expectPage()
    await feed.readNext(end, options)
    const before = received()
    const news = nextNews()
    await create(beside, 'a')
    await news
    expect(received() - before).toBeLessThan(100)
    expect(jobsIn(await feed.readNext(end, options))).toEqual(['a'])
  })

  it('asks for the page if it reads another place, or another number of changes', async () => {
    const { feed, end, beside, nextNews, expectPage } = await pausing()
    await expectPage()
    const news = nextNews()
    await create(beside, 'a')
    await news
    expect(jobsIn(await feed.readNext(end, { ...options, maxItemCount: 5 }))).toEqual(['a'])
    await create(beside, 'b')
    expect(jobsIn(await feed.readNext(end, options))).toEqual(['a', 'b'])
  })

  it('asks for the page if the connection was lost since', async () => {
    const { feed, end, beside, door, nextNews, ports, expectPage } = await pausing()
    await expectPage()
    const news = nextNews()
    await create(beside, 'a')
    await news
    const lost = nextNews()
    for (const socket of door.accepted) socket.destroy()
    expect(await lost).toBeNull()
    await create(ports.state, 'b')
    expect(jobsIn(await feed.readNext(end, options))).toEqual(['a', 'b'])
  })
})
