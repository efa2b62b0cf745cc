import {
  ChangeFeedMode,
  ChangeFeedPolicy,
  ChangeFeedRetentionTimeSpan,
  ChangeFeedStartFrom,
  type ChangeFeedIteratorOptions,
  type ChangeFeedPullModelIterator,
  type Container,
  type Database,
} from '@azure/cosmos'
import { open as openStore } from 'lmdb'
import { beforeEach, describe, expect, it } from 'vitest'
import { createInProcessCosmos, type InProcessCosmos } from '../../../src/emulator/index.js'
import { VirtualClock } from '../../../src/platform/index.js'
import { doors, type Door } from './doors.js'
import { scratchDirectory } from '../../support/scratch-directory.js'

interface Version {
  readonly id: string
  readonly pk: string
  readonly round?: number
  readonly _etag: string
}

interface Change {
  readonly current: Partial<Version>
  readonly previous?: Version
  readonly metadata: {
    readonly lsn: number
    readonly crts: number
    readonly operationType: 'create' | 'replace' | 'delete'
    readonly previousImageLSN?: number
    readonly timeToLiveExpired?: boolean
    readonly id?: string
    readonly partitionKey?: Readonly<Record<string, unknown>>
  }
}

type Iterator = ChangeFeedPullModelIterator<Change>
type Start = ChangeFeedIteratorOptions['changeFeedStartFrom']

const outside = 'You must read the change feed from within the retention period.'
const retention = (minutes: number): ChangeFeedPolicy =>
  new ChangeFeedPolicy(ChangeFeedRetentionTimeSpan.fromMinutes(minutes))

function feed(container: Container, from: unknown = ChangeFeedStartFrom.Now(), maxItemCount = 10): Iterator {
  return container.items.getChangeFeedIterator<Change>({
    changeFeedMode: ChangeFeedMode.AllVersionsAndDeletes,
    maxItemCount,
    changeFeedStartFrom: from as NonNullable<Start>,
  })
}

/** Returns all changes, page by page, until the feed answers that nothing is new. */
async function pagesOf(iterator: Iterator): Promise<Change[][]> {
  const pages: Change[][] = []
  while (true) {
    const page = await iterator.readNext()
    if (page.statusCode === 304) return pages
    pages.push(page.result)
  }
}

const drained = async (iterator: Iterator): Promise<Change[]> => (await pagesOf(iterator)).flat()

const short = ({ metadata, current }: Change): string =>
  `${metadata.operationType} ${metadata.id ?? current.id ?? ''} ${current.round ?? '-'}`

describe.each(doors)('the feed of all versions and deletes through the SDK, %s', (_name, open) => {
  let clock: VirtualClock
  let door: Door
  let database: Database
  let container: Container

  beforeEach(async () => {
    clock = new VirtualClock()
    door = await open({ partitionCount: 2, clock })
    database = (await door.client().databases.create({ id: 'shop' })).database
    container = await created({ id: 'orders', changeFeedPolicy: retention(10) })
  })

  async function created(settings: {
    id: string
    changeFeedPolicy?: ChangeFeedPolicy
    defaultTtl?: number
  }): Promise<Container> {
    return (await database.containers.create({ partitionKey: '/pk', ...settings })).container
  }

  /** Returns an iterator that has read every change so far, so it next returns only later changes. */
  async function standing(of = container, from?: unknown): Promise<Iterator> {
    const iterator = feed(of, from)
    expect(await drained(iterator)).toEqual([])
    return iterator
  }

  it('shows every version with the previous one, and deletes with id and key', async () => {
    await container.items.create({ id: 'before', pk: 'a', round: 0 })
    const iterator = await standing()
    const { resource: first } = await container.items.create({ id: 'o', pk: 'a', round: 1 })
    const { resource: second } = await container.items.upsert({ id: 'o', pk: 'a', round: 2 })
    await container.item('o', 'a').patch([{ op: 'incr', path: '/round', value: 1 }])
    await container.item('o', 'a').delete()
    const changes = await drained(iterator)
    expect(changes.map(short)).toEqual(['create o 1', 'replace o 2', 'replace o 3', 'delete o -'])
    const [create, replace, patch, deletion] = changes
    const crts = clock.now() / 1000
    expect(create).toEqual({ current: first, metadata: { lsn: 2, crts, operationType: 'create' } })
    expect(replace).toEqual({
      current: second,
      previous: first,
      metadata: { lsn: 3, crts, operationType: 'replace', previousImageLSN: 2 },
    })
    expect(deletion).toEqual({
      current: {},
      previous: patch?.current,
      metadata: {
        lsn: 5,
        crts,
        operationType: 'delete',
        previousImageLSN: 4,
        timeToLiveExpired: false,
        id: 'o',
        partitionKey: { pk: 'a' },
      },
    })
  })

  it('resumes from a token, and answers with an etag even when nothing is new', async () => {
    const iterator = feed(container)
    const idle = await iterator.readNext()
    expect(idle.statusCode).toBe(304)
    await drained(iterator)
    for (let round = 0; round < 6; round += 1) await container.items.upsert({ id: 'o', pk: 'a', round })
    const few = feed(container, ChangeFeedStartFrom.Continuation(idle.continuationToken), 2)
    const first = await few.readNext()
    expect(first.result.length).toBeLessThanOrEqual(2)
    const rest = feed(container, ChangeFeedStartFrom.Continuation(first.continuationToken), 2)
    const changes = [...first.result, ...(await drained(rest))]
    expect(changes.map(({ current }) => current.round)).toEqual([0, 1, 2, 3, 4, 5])
  })

  it('never cuts a transaction, and shows each of its steps', async () => {
    const iterator = feed(container, ChangeFeedStartFrom.Now('one'), 3)
    await pagesOf(iterator)
    const create = (id: string) =>
      ({ operationType: 'Create', resourceBody: { id, pk: 'one', round: 0 } }) as const
    await container.items.batch(
      [
        ...Array.from({ length: 8 }, (_, index) => create(`t${index}`)),
        { operationType: 'Upsert', resourceBody: { id: 't0', pk: 'one', round: 1 } },
        { operationType: 'Delete', id: 't1' },
        { ...create('t1'), resourceBody: { id: 't1', pk: 'one', round: 2 } },
      ],
      'one',
    )
    await container.items.create({ id: 'after', pk: 'one' })
    const pages = await pagesOf(iterator)
    expect(pages.map((page) => page.length)).toEqual([11, 1])
    expect(pages[0]?.slice(-3).map(short)).toEqual(['replace t0 1', 'delete t1 -', 'create t1 2'])
    expect(new Set(pages[0]?.map(({ metadata }) => metadata.lsn)).size).toBe(1)
    await container.items.batch([create('t5'), create('never')], 'one')
    expect(await drained(iterator)).toEqual([])
  })

  it('reads one key, and reads parts of ranges without loss or repetition', async () => {
    const ofKey = await standing(container, ChangeFeedStartFrom.Now('k3'))
    const { resource } = await container.read()
    const bounds = ['', '0A', '12', '20', '2B', 'FF']
    const parts = bounds.slice(1).map((maxExclusive, index) => ({
      minInclusive: bounds[index],
      maxExclusive,
      continuationToken: '"0"',
    }))
    for (let index = 0; index < 40; index += 1) {
      await container.items.create({ id: `o${index}`, pk: `k${index}` })
    }
    await container.item('o3', 'k3').delete()
    expect((await drained(ofKey)).map(short)).toEqual(['create o3 -', 'delete o3 -'])
    const seen: string[] = []
    for (const part of parts) {
      const token = JSON.stringify({ rid: resource?._rid, Continuation: [part] })
      const changes = await drained(feed(container, ChangeFeedStartFrom.Continuation(token), 3))
      expect(changes.length).toBeLessThan(41)
      seen.push(...changes.map(short))
    }
    const all = Array.from({ length: 40 }, (_, index) => `create o${index} -`)
    expect([...seen].sort()).toEqual([...all, 'delete o3 -'].sort())
  })

  it('follows a split without losing or repeating a change', async () => {
    const iterator = feed(container, ChangeFeedStartFrom.Now(), 3)
    await pagesOf(iterator)
    for (let index = 0; index < 20; index += 1)
      await container.items.upsert({ id: `o${index}`, pk: `k${index}` })
    const before = (await iterator.readNext()).result
    door.engine.container('shop', 'orders').splitPartition('1')
    await container.item('o7', 'k7').delete()
    const changes = [...before, ...(await drained(iterator))].map(short)
    const all = Array.from({ length: 20 }, (_, index) => `create o${index} -`)
    expect([...changes].sort()).toEqual([...all, 'delete o7 -'].sort())
  })

  it('follows splits and a merge during writes without loss, repetition or cut transactions', async () => {
    const keys = Array.from({ length: 8 }, (_, index) => `k${index}`)
    const expected: string[] = []
    const iterator = feed(container, ChangeFeedStartFrom.Now(), 3)
    await pagesOf(iterator)
    const seen: Change[][] = []
    const writeRound = async (round: number): Promise<void> => {
      for (const pk of keys) {
        const names = [`${pk}-a`, `${pk}-b`, `${pk}-c`]
        const upserts = names.map((id) => ({
          operationType: 'Upsert' as const,
          resourceBody: { id, pk, round },
        }))
        const deleted = { operationType: 'Delete' as const, id: `${pk}-c` }
        await container.items.batch([...upserts, deleted], pk)
        const kind = round === 0 ? 'create' : 'replace'
        expected.push(`${kind} ${pk}-a ${round}`, `${kind} ${pk}-b ${round}`)
        expected.push(`create ${pk}-c ${round}`, `delete ${pk}-c -`)
      }
    }
    const repartitions: readonly (() => Promise<unknown>)[] = [
      () => door.splitPartition(container, '0'),
      () => door.splitPartition(container, '1'),
      () => door.mergePartitions(container, ['2', '3']),
      () => door.splitPartition(container, '6'),
    ]
    await writeRound(0)
    for (const [index, repartition] of repartitions.entries()) {
      // Some earlier changes are read later, so that positions of the old ranges are carried over.
      seen.push((await iterator.readNext()).result)
      await repartition()
      await writeRound(index + 1)
    }
    seen.push(...(await pagesOf(iterator)))

    expect(seen.flat().map(short).sort()).toEqual([...expected].sort())
    for (const page of seen) {
      const sizes = new Map<string, number>()
      for (const { current, previous, metadata } of page) {
        const transaction = `${current.pk ?? previous?.pk ?? ''} ${metadata.lsn}`
        sizes.set(transaction, (sizes.get(transaction) ?? 0) + 1)
        if (metadata.operationType === 'delete') {
          expect(previous).toMatchObject({ id: metadata.id, ...metadata.partitionKey })
        }
      }
      expect(new Set(sizes.values())).toEqual(new Set(page.length === 0 ? [] : [4]))
    }
  })

  it('rejects a start from the beginning or from a time', async () => {
    await container.items.create({ id: 'o', pk: 'a' })
    for (const start of [ChangeFeedStartFrom.Beginning(), ChangeFeedStartFrom.Time(new Date(clock.now()))]) {
      await expect(feed(container, start).readNext()).rejects.toMatchObject({ code: 400, message: outside })
    }
  })

  it('forgets changes older than the retention, and rejects a token from before them', async () => {
    const late = await feed(container, ChangeFeedStartFrom.Now('a')).readNext()
    await container.items.create({ id: 'old', pk: 'a' })
    const middle = await feed(container, ChangeFeedStartFrom.Now('a')).readNext()
    await clock.advance(599_000)
    await container.items.create({ id: 'new', pk: 'a' })
    const from = (token: string): Iterator => feed(container, ChangeFeedStartFrom.Continuation(token))
    expect((await drained(from(late.continuationToken))).map(short)).toEqual(['create old -', 'create new -'])
    await clock.advance(1_000)
    await expect(from(late.continuationToken).readNext()).rejects.toMatchObject({
      code: 400,
      message: outside,
    })
    expect((await drained(from(middle.continuationToken))).map(short)).toEqual(['create new -'])
  })

  it('shows the expiry of a document without waiting for a write', async () => {
    const expiring = await created({ id: 'expiring', changeFeedPolicy: retention(10), defaultTtl: 5 })
    const iterator = await standing(expiring)
    const { resource } = await expiring.items.create({ id: 'o', pk: 'a' })
    await clock.advance(5_000)
    expect((await drained(iterator)).map(short)).toEqual(['create o -'])
    await clock.advance(1_000)
    const [gone, ...more] = await drained(iterator)
    expect(more).toEqual([])
    expect(gone).toMatchObject({
      current: {},
      previous: resource,
      metadata: { operationType: 'delete', timeToLiveExpired: true, id: 'o', partitionKey: { pk: 'a' } },
    })
    expect(door.engine.container('shop', 'expiring').documentCount).toBe(0)
  })

  it('shows the expiry of a document before a new document with the same id', async () => {
    const expiring = await created({ id: 'expiring', changeFeedPolicy: retention(10), defaultTtl: 5 })
    const iterator = await standing(expiring)
    await expiring.items.create({ id: 'o', pk: 'a', round: 1 })
    await clock.advance(6_000)
    await expiring.items.upsert({ id: 'o', pk: 'a', round: 2 })
    const changes = await drained(iterator)
    expect(changes.map(short)).toEqual(['create o 1', 'delete o -', 'create o 2'])
    expect(changes.map(({ metadata }) => metadata.timeToLiveExpired)).toEqual([undefined, true, undefined])
  })

  it('is available only while the container has a policy', async () => {
    const plain = await created({ id: 'plain' })
    await plain.items.create({ id: 'before', pk: 'a' })
    await expect(feed(plain).readNext()).rejects.toMatchObject({ code: 400 })
    expect(door.engine.container('shop', 'plain').history).toBeNull()
    const definition = { id: 'plain', partitionKey: { paths: ['/pk'] } }
    await plain.replace({ ...definition, changeFeedPolicy: retention(5) })
    expect((await plain.read()).resource?.changeFeedPolicy).toEqual({ retentionDuration: 5 })
    const iterator = await standing(plain)
    await plain.item('before', 'a').delete()
    expect((await drained(iterator)).map(short)).toEqual(['delete before -'])
    await plain.replace(definition)
    await expect(feed(plain).readNext()).rejects.toMatchObject({ code: 400 })
  })

  it('rejects an invalid policy', async () => {
    const policy = Object.assign(retention(1), { retentionDuration: -1 })
    await expect(created({ id: 'wrong', changeFeedPolicy: policy })).rejects.toMatchObject({ code: 400 })
  })
})

describe('the change history of a container on disk', () => {
  let dataDirectory: string
  const clock = new VirtualClock()

  beforeEach(() => {
    dataDirectory = scratchDirectory()
  })

  async function reopened<T>(
    work: (container: Container, cosmos: InProcessCosmos) => Promise<T>,
  ): Promise<T> {
    const cosmos = createInProcessCosmos({ dataDirectory, clock, partitionCount: 2 })
    const { database } = await cosmos.client().databases.createIfNotExists({ id: 'shop' })
    const definition = { id: 'orders', partitionKey: '/pk', changeFeedPolicy: retention(10), defaultTtl: -1 }
    const { container } = await database.containers.createIfNotExists(definition)
    try {
      return await work(container, cosmos)
    } finally {
      await cosmos.close()
    }
  }

  async function keptKeys(): Promise<readonly string[]> {
    const store = openStore<string, string>({ path: dataDirectory, encoding: 'string' })
    const keys = [...store.getKeys()].filter((key) => key.startsWith('history/'))
    await store.close()
    return keys
  }

  it('survives restarts and splits, and keeps its limits', async () => {
    const token = await reopened(async (container, cosmos) => {
      const iterator = feed(container)
      await drained(iterator)
      const { continuationToken } = await iterator.readNext()
      for (let round = 0; round < 10; round += 1) {
        await container.items.upsert({ id: `o${round % 5}`, pk: `k${round % 5}`, round })
      }
      await container.item('o1', 'k1').delete()
      await container.items.create({ id: 'brief', pk: 'k2', ttl: 1 })
      cosmos.engine.container('shop', 'orders').splitPartition('0')
      return continuationToken
    })
    const read = (): Promise<Change[]> =>
      reopened(async (container) => drained(feed(container, ChangeFeedStartFrom.Continuation(token), 2)))
    const changes = await read()
    expect(changes).toHaveLength(12)
    expect(await read()).toEqual(changes)
    await clock.advance(2_000)
    const ended = await read()
    expect(ended.map(short)).toContain('delete brief -')
    expect(await read()).toEqual(ended)
    await clock.advance(600_000)
    await expect(read()).rejects.toMatchObject({ message: outside })
    await expect(read()).rejects.toMatchObject({ message: outside })
    await reopened(async (container) => {
      await container.items.create({ id: 'last', pk: 'a' })
    })
    expect(await keptKeys()).toHaveLength(2)
    await reopened(async (container) => {
      await container.items.create({ id: 'very last', pk: 'a' })
      await container.delete()
    })
    expect(await keptKeys()).toEqual([])
  })
})
