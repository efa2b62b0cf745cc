import { ChangeFeedPolicy, ChangeFeedRetentionTimeSpan, type Container } from '@azure/cosmos'
import { describe, expect, it } from 'vitest'
import { cosmosErrorKind } from '../../../../lease-store/internal.js'
import { FeedError, type FeedPosition } from '../../../../src/change-feed-processor/index.js'
import { CosmosChangeFeed } from '../../../../src/change-feed-processor/internal.js'
import { createInProcessCosmos, type InProcessCosmos } from '../../../../src/emulator/index.js'
import { storeError } from '../../../support/intercepted.js'

/** What the SDK's plugins see of a request; the SDK does not publish it. */
interface PluginRequest {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, unknown>>
}

interface PluginAnswer {
  result?: unknown
  readonly headers: Record<string, string | undefined>
}

type Plugin = (
  request: PluginRequest,
  diagnostics: unknown,
  next: (request: PluginRequest) => Promise<PluginAnswer>,
) => Promise<PluginAnswer>

/** Handles one request for a page of the feed. */
type Fault = (answer: () => Promise<PluginAnswer>) => Promise<PluginAnswer>

const beginning: FeedPosition = { feedRange: { min: '', max: 'FF' }, start: { kind: 'beginning' } }
const { signal } = new AbortController()
const reading = { maxItemCount: 1, signal }

interface Faulty {
  readonly cosmos: InProcessCosmos
  readonly container: Container
  readonly feed: CosmosChangeFeed
  readonly faults: Fault[]
  /** Paths of all requests of the feed's client, in order. */
  readonly requests: string[]
  /** The time that each request for a page of the feed sent, if any. */
  readonly times: (string | undefined)[]
  /** The mode of each. */
  readonly modes: unknown[]
  /** All headers of each. */
  readonly headers: Readonly<Record<string, unknown>>[]
  readonly charges: [string, number][]
}

/** The real SDK, with faults between it and the service, and a container with documents 1 and 2. */
async function faulty(): Promise<Faulty> {
  const cosmos = createInProcessCosmos()
  const { database } = await cosmos.client().databases.create({ id: 'shop' })
  await database.containers.create({ id: 'orders', partitionKey: '/id' })
  const faults: Fault[] = []
  const requests: string[] = []
  const times: (string | undefined)[] = []
  const modes: unknown[] = []
  const headers: Readonly<Record<string, unknown>>[] = []
  const plugin: Plugin = (context, _diagnostics, next) => {
    requests.push(`${context.method ?? ''} ${context.path ?? ''}`)
    const isFeed = context.headers?.['A-IM'] !== undefined
    if (isFeed) {
      times.push(context.headers['If-Modified-Since']?.toString())
      modes.push(context.headers['A-IM'])
      headers.push({ ...context.headers })
    }
    const answer = (): Promise<PluginAnswer> => next(context)
    const fault = isFeed ? faults.shift() : undefined
    return fault === undefined ? answer() : fault(answer)
  }
  const withPlugin: object = { plugins: [{ on: 'request', plugin }] }
  const noRetries = { retryOptions: { maxRetryAttemptCount: 0 } }
  const client = cosmos.client({ ...withPlugin, connectionPolicy: noRetries })
  const container = client.database('shop').container('orders')
  for (const id of ['1', '2']) await container.items.create({ id })
  requests.length = 0
  const charges: [string, number][] = []
  const feed = new CosmosChangeFeed({ container, onCharge: (...charge) => charges.push(charge) })
  return { cosmos, container, feed, faults, requests, times, modes, headers, charges }
}

const failing =
  (code: number, headers: Readonly<Record<string, string>> = {}): Fault =>
  () =>
    Promise.reject(storeError(code, { headers, substatus: Number(headers['x-ms-substatus'] ?? 0) }))

async function idsFrom(feed: CosmosChangeFeed, from: FeedPosition): Promise<string[]> {
  const page = await feed.readNext(from, reading)
  const [next] = page.next
  if (page.isDrained || next === undefined) return []
  return [...page.changes.map((change) => change.id), ...(await idsFrom(feed, next))]
}

describe('the feed through the SDK', () => {
  it('reads the container’s properties only at the start, and then only pages', async () => {
    const { feed, requests, charges } = await faulty()
    expect(await idsFrom(feed, beginning)).toEqual(['1', '2'])
    const containerReads = requests.filter((request) => request.endsWith('/colls/orders'))
    // One for the resource id, one by the iterator.
    expect(containerReads).toHaveLength(2)
    expect(charges).toHaveLength(3)
    expect(charges.every(([operation, charge]) => operation === 'feed.read' && charge > 0)).toBe(true)
  })

  it('asks once from a second before the start time, and then from its position', async () => {
    const { feed, times } = await faulty()
    const atMs = Date.UTC(2026, 0, 1, 12, 0, 0, 700)
    await idsFrom(feed, { ...beginning, start: { kind: 'time', atMs } })
    expect(times.slice(0, 2)).toEqual(['Thu, 01 Jan 2026 11:59:59 GMT', undefined])
  })

  it('reports the fraction of request units that the SDK cuts off', async () => {
    const { feed, faults } = await faulty()
    faults.push(async (answer) => {
      const response = await answer()
      response.headers['x-ms-request-charge'] = '2.83'
      return response
    })
    expect((await feed.readNext(beginning, reading)).charge).toBe(2.83)
  })

  it.each([
    ['410 of a kind the SDK does not know', failing(410, { 'x-ms-substatus': '1008' }), 'gone'],
    ['410 without sub-status', failing(410), 'gone'],
    ['429', failing(429, { 'x-ms-retry-after-ms': '77' }), 'throttled'],
    ['404/1002', failing(404, { 'x-ms-substatus': '1002' }), 'sessionNotAvailable'],
  ] as [string, Fault, string][])('keeps its position through %s', async (_name, fault, kind) => {
    const { feed, faults } = await faulty()
    const first = await feed.readNext(beginning, reading)
    const [next] = first.next
    if (next === undefined) throw new Error('no position')
    // There are many because the SDK retries some of them itself.
    faults.push(...Array.from({ length: 1_000 }, () => fault))
    const error: unknown = await feed.readNext(next, reading).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(FeedError)
    expect(cosmosErrorKind(error)).toMatchObject({ kind })
    faults.length = 0
    expect(await idsFrom(feed, next)).toEqual(['2'])
  })

  it('rejects a page without an etag instead of starting over', async () => {
    const { feed, faults } = await faulty()
    faults.push(async (answer) => {
      const response = await answer()
      response.headers['etag'] = undefined
      return response
    })
    await expect(feed.readNext(beginning, reading)).rejects.toThrow(/without an etag/)
    expect(await idsFrom(feed, beginning)).toEqual(['1', '2'])
  })

  it('does not wait for an aborted read, and discards its late answer', async () => {
    const { feed, faults } = await faulty()
    let answerNow: (() => void) | undefined
    faults.push(async (answer) => {
      await new Promise<void>((resolve) => (answerNow = resolve))
      return answer()
    })
    const aborting = new AbortController()
    const aborted = feed.readNext(beginning, { maxItemCount: 1, signal: aborting.signal })
    const rejected = expect(aborted).rejects.toThrow(/aborted/)
    while (answerNow === undefined) await new Promise(setImmediate)
    aborting.abort()
    await rejected
    answerNow()
    expect(await idsFrom(feed, beginning)).toEqual(['1', '2'])
  })

  it.each([
    ['a body without documents', {}, /could not be read/],
    ['no body', null, /the page announced 1 changes and contained 0/],
    [
      'something that is not a document',
      { Documents: ['text'] },
      /change 0 of the page cannot be understood/,
    ],
    ['a document without a position', { Documents: [{ id: 'x', _etag: '"e"', _ts: 1 }] }, /"x".*no _lsn/],
  ])('refuses a page with %s, and skips none of its changes (B195, B398)', async (_name, result, refusal) => {
    const { feed, faults } = await faulty()
    faults.push(async (answer) => Object.assign(await answer(), { result }))
    const error: unknown = await feed.readNext(beginning, reading).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(FeedError)
    expect(error).toMatchObject({ message: expect.stringMatching(refusal) as string })
    expect(await idsFrom(feed, beginning)).toEqual(['1', '2'])
  })

  it('discards an iterator that has failed (pitfall 2)', async () => {
    const { feed, faults, requests } = await faulty()
    const first = await feed.readNext(beginning, reading)
    const [next] = first.next
    if (next === undefined) throw new Error('no position')
    faults.push(failing(429))
    await expect(feed.readNext(next, reading)).rejects.toBeInstanceOf(FeedError)
    requests.length = 0
    expect(await idsFrom(feed, next)).toEqual(['2'])
    // Only a new iterator reads the container.
    expect(requests.filter((request) => request.endsWith('/colls/orders'))).toHaveLength(1)
  })

  it('reports a split, although the iterator hides it (pitfall 1, B196)', async () => {
    const { cosmos, container, feed } = await faulty()
    const first = await feed.readNext(beginning, reading)
    const [next] = first.next
    if (next === undefined) throw new Error('no position')
    await cosmos.splitPartition(container)
    const split = await feed.readNext(next, reading)
    expect(split.next.map(({ feedRange }) => feedRange)).toMatchObject([{ min: '' }, { max: 'FF' }])
  })

  it('sends the etag of a page to get the changes after it (B200, B201)', async () => {
    const { container, feed, headers } = await faulty()
    const first = await feed.readNext(beginning, reading)
    const [next] = first.next
    if (next === undefined) throw new Error('no position')
    const { etag } = first.headers
    expect(next.start).toEqual({ kind: 'continuation', token: etag })
    // The feed that has read the page, and a new one.
    for (const reader of [feed, new CosmosChangeFeed({ container })]) await reader.readNext(next, reading)
    expect(headers.map((sent) => sent['If-None-Match'])).toEqual([undefined, etag, etag])
  })

  it('requests a partition by its id, and a part of one by its bounds as well (B202, B203)', async () => {
    const { feed, headers } = await faulty()
    await feed.readNext(beginning, reading)
    await feed.readNext({ ...beginning, feedRange: { min: '10', max: '20' } }, reading)
    const names = ['x-ms-documentdb-partitionkeyrangeid', 'x-ms-start-epk', 'x-ms-end-epk']
    expect(headers.map((sent) => names.map((name) => sent[name]))).toEqual([
      ['0', undefined, undefined],
      ['0', '10', '20'],
    ])
  })

  it('names the wire format of versions in the first request and in later ones (B399, B400)', async () => {
    const { cosmos, feed, headers } = await faulty()
    const database = cosmos.client().database('shop')
    await database.container('orders').delete()
    await database.containers.create({
      id: 'orders',
      partitionKey: '/id',
      changeFeedPolicy: new ChangeFeedPolicy(ChangeFeedRetentionTimeSpan.fromMinutes(60)),
    })
    const first = await feed.readAllVersions({ ...beginning, start: { kind: 'now' } }, reading)
    const [next] = first.next
    if (next === undefined) throw new Error('no position')
    await feed.readAllVersions(next, reading)
    const forms = headers.map((sent) => sent['x-ms-cosmos-changefeed-wire-format-version'])
    expect(forms).toHaveLength(2)
    for (const form of forms) expect(form).toMatch(/^\d{4}-\d{2}-\d{2}$/)
  })

  it.each([
    ['is gone (B196)', '1002'],
    ['is about to be split (B197)', '1007'],
  ])('continues at its position after a 410 that says that the partition %s', async (_name, substatus) => {
    const { feed, faults } = await faulty()
    const first = await feed.readNext(beginning, reading)
    const [next] = first.next
    if (next === undefined) throw new Error('no position')
    faults.push(failing(410, { 'x-ms-substatus': substatus }))
    const page = await feed.readNext(next, reading).catch(() => feed.readNext(next, reading))
    expect(page.changes.map(({ id }) => id)).toEqual(['2'])
    expect(page.next.map(({ feedRange }) => feedRange)).toEqual([beginning.feedRange])
  })

  it('requests each mode with an iterator of its own (pitfall 10)', async () => {
    const { feed, modes } = await faulty()
    await feed.readNext(beginning, reading)
    const now: FeedPosition = { ...beginning, start: { kind: 'now' } }
    await expect(feed.readAllVersions(now, reading)).rejects.toThrow(/changeFeedPolicy/)
    expect(modes).toEqual(['Incremental Feed', 'Full-Fidelity Feed'])
  })

  it('reports that another container of the same name has replaced its own', async () => {
    const { cosmos, feed } = await faulty()
    await feed.readNext(beginning, reading)
    const database = cosmos.client().database('shop')
    await database.container('orders').delete()
    await database.containers.create({ id: 'orders', partitionKey: '/id' })
    const error: unknown = await feed.readNext(beginning, reading).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ message: expect.stringMatching(/not for the current container/) as string })
    expect(cosmosErrorKind(error)).toEqual({ kind: 'other' })
  })

  it('names the container that is missing', async () => {
    const { container } = await faulty()
    const missing = new CosmosChangeFeed({ container: container.database.container('none') })
    const error: unknown = await missing.readNext(beginning, reading).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ message: expect.stringContaining('none') as string })
    expect(cosmosErrorKind(error)).toEqual({ kind: 'notFound' })
  })
})
