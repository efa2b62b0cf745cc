import { noJournal } from '../../../src/emulator/engine/index.js'
import { describe, expect, it } from 'vitest'
import { type FeedRange, type NewLease, renew } from '../../../lease-store/index.js'
import { enginePorts } from '../../../src/engine-ports/index.js'
import type { CosmosEngine } from '../../../src/emulator/internal.js'
import { VirtualClock } from '../../../src/platform/index.js'
import { anEngine } from '../emulator/engine/an-engine.js'

const whole: FeedRange = { min: '', max: 'FF' }
const signal = new AbortController().signal

function setUp(clock = new VirtualClock()): { engine: CosmosEngine; ports: ReturnType<typeof enginePorts> } {
  const engine = anEngine({ now: () => clock.now() })
  engine.createDatabase('db')
  engine.createContainer('db', { id: 'jobs', partitionKey: { paths: ['/pk'] }, defaultTtl: -1 }, 2)
  engine.createContainer('db', { id: 'leases', partitionKey: { paths: ['/id'] }, defaultTtl: -1 })
  return { engine, ports: enginePorts(engine, 'db') }
}

describe('change feed port on the engine', () => {
  it('lists its physical ranges without gap or overlap', async () => {
    const ranges = await setUp().ports.changeFeed('jobs').physicalRanges()
    expect(ranges.map(({ id }) => id)).toEqual(['0', '1'])
    expect(ranges[0]).toMatchObject({ min: '', max: ranges[1]?.min })
    expect(ranges[1]?.max).toBe('FF')
  })

  it('reads from the beginning, from now and from the end of a page', async () => {
    const { engine, ports } = setUp()
    const container = engine.container('db', 'jobs')
    const { partition } = container.locate(['a'])
    container.execute(['a'], { kind: 'upsert', document: { id: 'one', pk: 'a' } })
    const feed = ports.changeFeed('jobs')
    const options = { maxItemCount: 10, signal }
    const now = await feed.readNext({ feedRange: partition.range, start: { kind: 'now' } }, options)
    expect(now).toMatchObject({ changes: [], isDrained: true })
    const first = await feed.readNext({ feedRange: partition.range, start: { kind: 'beginning' } }, options)
    expect(first.changes).toMatchObject([{ id: 'one', _lsn: 1 }])
    container.execute(['a'], { kind: 'upsert', document: { id: 'two', pk: 'a' } })
    const [next] = first.next
    if (next === undefined) throw new Error('a page says where to go on')
    expect((await feed.readNext(next, options)).changes).toMatchObject([{ id: 'two', _lsn: 2 }])
  })

  it('answers a read of a split range with its parts, each at the position of the whole', async () => {
    const { engine, ports } = setUp()
    const container = engine.container('db', 'jobs')
    for (let index = 0; index < 20; index += 1) {
      container.execute([`k${index}`], { kind: 'upsert', document: { id: 'x', pk: `k${index}` } })
    }
    const feed = ports.changeFeed('jobs')
    const options = { maxItemCount: 3, signal }
    const [range] = await feed.physicalRanges()
    if (range === undefined) throw new Error('a container has ranges')
    const feedRange = { min: range.min, max: range.max }
    const seen: string[] = []
    const first = await feed.readNext({ feedRange, start: { kind: 'beginning' } }, options)
    seen.push(...first.changes.map(({ pk }) => String(pk)))
    container.splitPartition(range.id)
    const queue = [...first.next]
    for (let position = queue.shift(); position !== undefined; position = queue.shift()) {
      const page = await feed.readNext(position, options)
      seen.push(...page.changes.map(({ pk }) => String(pk)))
      expect(page.next).toHaveLength(
        position.feedRange.max === range.max && position.feedRange.min === range.min ? 2 : 1,
      )
      if (!page.isDrained) queue.push(...page.next)
    }
    const documents = container
      .partitionsIn(feedRange)
      .reduce((sum, { documents: { size } }) => sum + size, 0)
    expect(seen).toHaveLength(documents)
    expect(new Set(seen).size).toBe(documents)
  })

  it('rejects a foreign position and an aborted read with a FeedError', async () => {
    const feed = setUp().ports.changeFeed('jobs')
    const foreign = { feedRange: whole, start: { kind: 'continuation' as const, token: 'soon' } }
    await expect(feed.readNext(foreign, { maxItemCount: 1, signal })).rejects.toMatchObject({
      name: 'FeedError',
      cause: { status: 400 },
    })
    const aborted = { maxItemCount: 1, signal: AbortSignal.abort() }
    const beginning = { feedRange: whole, start: { kind: 'beginning' as const } }
    await expect(feed.readNext(beginning, aborted)).rejects.toMatchObject({ name: 'FeedError' })
  })
})

describe('state store port on the engine', () => {
  const document = (id: string, more = {}): { id: string; pk: string } => ({ id, pk: 'job', ...more })

  it('applies all writes of a group, or names the write that conflicts', async () => {
    const store = setUp().ports.stateStore('jobs')
    const created = await store.apply('job', [
      { kind: 'create', document: document('a') },
      { kind: 'create', document: document('b') },
    ])
    if (created.kind !== 'applied') throw new Error('nothing stood in its way')
    expect(created.physicalRangeId).toMatch(/^[01]$/u)
    const [ifMatch = ''] = created.etags
    const replace = { kind: 'replace' as const, document: document('a', { round: 1 }), ifMatch }
    expect(await store.apply('job', [replace])).toMatchObject({ kind: 'applied' })
    const lost = [{ kind: 'create' as const, document: document('c') }, replace]
    expect(await store.apply('job', lost)).toEqual({ kind: 'conflict', id: 'a', reason: 'changed' })
    expect(await store.read(document('c'))).toBeNull()
    const exists = await store.apply('job', [{ kind: 'create', document: document('b') }])
    expect(exists).toEqual({ kind: 'conflict', id: 'b', reason: 'exists' })
    const missing = await store.apply('job', [{ ...replace, document: document('none') }])
    expect(missing).toEqual({ kind: 'conflict', id: 'none', reason: 'missing' })
  })

  it('stores a copy of each document, and returns a copy', async () => {
    const store = setUp().ports.stateStore('jobs')
    const mine = { ...document('a'), list: [1] }
    await store.apply('job', [{ kind: 'create', document: mine }])
    mine.list.push(2)
    const read = await store.read(mine)
    expect(read).toMatchObject({ list: [1] })
    Object.assign(read ?? {}, { list: [] })
    expect(await store.read(mine)).toMatchObject({ list: [1] })
  })

  it('rejects a document of another partition with StoreRefused', async () => {
    const store = setUp().ports.stateStore('jobs')
    const astray = { kind: 'create' as const, document: { id: 'x', pk: 'elsewhere' } }
    await expect(store.apply('job', [astray])).rejects.toMatchObject({ name: 'StoreRefused' })
  })

  it('lists overdue steps of all partitions, up to the given limit', async () => {
    const { engine, ports } = setUp()
    const store = ports.stateStore('jobs')
    const put = (pk: string, id: string, completeByMs: number | null): unknown =>
      engine
        .container('db', 'jobs')
        .execute([pk], { kind: 'upsert', document: { id, pk, type: 'sas.step', schema: 1, completeByMs } })
    for (let index = 0; index < 6; index += 1) put(`k${index}`, 's', (index + 1) * 10)
    put('k0', 'open', null)
    const overdue = await store.listOverdue({ afterMs: 0, beforeMs: 40, pickUpWithinMs: 60_000 }, 10)
    expect(overdue.map(({ dueMs }) => dueMs)).toEqual([10, 20, 30])
    expect(await store.listOverdue({ afterMs: 0, beforeMs: 100, pickUpWithinMs: 60_000 }, 2)).toHaveLength(2)
  })
})

describe('ports of an engine whose disk fails', () => {
  it('neither acknowledge nor return a document that the journal could not store', async () => {
    const journal = {
      ...noJournal,
      append: () => undefined,
      settled: () => Promise.reject(new Error('disk full')),
    }
    const engine = anEngine({ journal })
    engine.createDatabase('db')
    engine.createContainer('db', { id: 'jobs', partitionKey: { paths: ['/pk'] } })
    const store = enginePorts(engine, 'db').stateStore('jobs')
    const write = { kind: 'create' as const, document: { id: 'x', pk: 'a' } }
    expect(await store.apply('a', [write])).toMatchObject({ kind: 'unknownOutcome' })
    await expect(store.read(write.document)).rejects.toMatchObject({ name: 'StoreUnavailable' })
    const feed = enginePorts(engine, 'db').changeFeed('jobs')
    const beginning = { feedRange: whole, start: { kind: 'beginning' as const } }
    await expect(feed.readNext(beginning, { maxItemCount: 1, signal })).rejects.toThrow('disk full')
  })
})

describe('lease store port on the engine', () => {
  const names = { leaseContainer: 'leases', monitoredContainer: 'jobs', processorName: 'unit' }
  const newLease: NewLease = {
    leaseToken: '0',
    feedRange: whole,
    continuationToken: null,
    firstPosition: { kind: 'beginning' },
    mode: 'Incremental Feed',
  }

  it('creates a lease once, and replaces or deletes it only on its etag', async () => {
    const clock = new VirtualClock()
    const { ports } = setUp(clock)
    const [one, other] = [ports.leaseStore(names), ports.leaseStore(names)]
    const created = await one.create(newLease)
    if (created.kind !== 'created') throw new Error('the lease exists')
    expect(await other.create(newLease)).toEqual({ kind: 'alreadyExists' })
    await clock.advance(5_000)
    const taken = await other.replace({ ...created.lease, owner: 'other' })
    expect(taken).toMatchObject({ kind: 'written', lease: { owner: 'other', storedAtMs: clock.now() } })
    expect(await one.replace(renew(created.lease, clock.now()))).toEqual({ kind: 'conflict' })
    expect(await one.delete(created.lease)).toEqual({ kind: 'conflict' })
    const listing = await one.list()
    expect(listing.storeTimeMs).toBe(clock.now())
    expect(listing.leases).toMatchObject([{ leaseToken: '0', owner: 'other' }])
    const current = await one.read('0')
    if (current === null) throw new Error('the lease is there')
    expect(await one.delete(current)).toEqual({ kind: 'deleted' })
    expect(await one.delete(current)).toEqual({ kind: 'notFound' })
    expect(await one.replace(current)).toEqual({ kind: 'notFound' })
  })

  it('lists the leases of its own unit only', async () => {
    const { ports } = setUp()
    await ports.leaseStore(names).create(newLease)
    const stranger = ports.leaseStore({ ...names, processorName: 'unit2' })
    expect((await stranger.list()).leases).toEqual([])
  })

  it('gives the lock to one instance until that unlocks it or its time is over', async () => {
    const clock = new VirtualClock()
    const { ports } = setUp(clock)
    const [one, other] = [ports.leaseStore(names).initialization, ports.leaseStore(names).initialization]
    expect(await one.tryLock(10)).toBe(true)
    expect(await other.tryLock(10)).toBe(false)
    await other.unlock()
    expect(await other.tryLock(10)).toBe(false)
    await one.unlock()
    expect(await other.tryLock(10)).toBe(true)
    await clock.advance(11_000)
    expect(await one.tryLock(10)).toBe(true)
    expect(await one.doneAtMs()).toBeNull()
    await one.markDone()
    await other.markDone()
    expect(await other.doneAtMs()).not.toBeNull()
  })

  it('removes an expired lock from a container without time to live', async () => {
    const clock = new VirtualClock()
    const { engine, ports } = setUp(clock)
    engine.createContainer('db', { id: 'plain', partitionKey: { paths: ['/id'] } })
    const plain = { ...names, leaseContainer: 'plain' }
    const [one, other] = [ports.leaseStore(plain).initialization, ports.leaseStore(plain).initialization]
    expect(await one.tryLock(10)).toBe(true)
    await clock.advance(11_000)
    expect(await other.tryLock(10)).toBe(false)
    await clock.advance(2_000)
    expect(await other.tryLock(10)).toBe(true)
  })
})
