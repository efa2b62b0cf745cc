import { describe, expect, it } from 'vitest'
import {
  acquire,
  checkpoint,
  RefusedLeaseError,
  type Lease,
  type LeaseStore,
  type LeaseWrite,
} from '../../lease-store/index.js'
import { aNewLease } from '../support/a-lease.js'
import type { CosmosWorld, WorldOptions } from '../support/cosmos-world.js'

const self = { instanceName: 'a', incarnation: 'a-1' }

async function created(store: LeaseStore, leaseToken = '0'): Promise<Lease> {
  const outcome = await store.create(aNewLease({ leaseToken }))
  if (outcome.kind !== 'created') throw new Error(`lease ${leaseToken} exists`)
  return outcome.lease
}

function written(outcome: LeaseWrite): Lease {
  if (outcome.kind !== 'written') throw new Error(outcome.kind)
  return outcome.lease
}

const tokens = async (store: LeaseStore): Promise<string[]> =>
  (await store.list()).leases.map((lease) => lease.leaseToken).sort()

/** What every lease store must do. */
export function leaseStoreSuite(name: string, open: (options?: WorldOptions) => Promise<CosmosWorld>): void {
  describe(`the lease store (${name})`, () => {
    it('stores a created lease and refuses to create it twice (B96, B101, B122, B375)', async () => {
      const store = await (await open()).leaseStore()
      expect((await store.list()).leases).toEqual([])
      expect(await store.read('0')).toBeNull()
      const lease = await created(store)
      expect(lease).toMatchObject({ ...aNewLease(), owner: null, incarnation: null, timestampMs: null })
      expect(await store.create(aNewLease({ continuationToken: '"9"' }))).toEqual({ kind: 'alreadyExists' })
      expect(await store.read('0')).toMatchObject({ continuationToken: null, etag: lease.etag })
      await created(store, '1')
      expect(await tokens(store)).toEqual(['0', '1'])
    })

    it('writes and deletes only with the current etag, and returns the next one (B148, B155)', async () => {
      const store = await (await open()).leaseStore()
      const first = await created(store)
      const second = written(await store.replace(acquire(first, self, 1)))
      expect(second.etag).not.toBe(first.etag)
      const third = written(await store.replace(checkpoint(second, '"7"', 2)))
      expect(third).toMatchObject({
        owner: 'a',
        incarnation: 'a-1',
        continuationToken: '"7"',
        timestampMs: 2,
      })
      expect(await store.replace(acquire(second, self, 3))).toEqual({ kind: 'conflict' })
      expect(await store.delete(second)).toEqual({ kind: 'conflict' })
      const { document: _stored, ...fields } = third
      expect(await store.read('0')).toMatchObject(fields)
    })

    it('lets only one of two instances acquire a lease (B129)', async () => {
      const world = await open()
      const stores = [await world.leaseStore(), await world.leaseStore()] as const
      const lease = await created(stores[0])
      const outcomes = await Promise.all(
        stores.map((store, index) => store.replace(acquire(lease, { ...self, incarnation: `${index}` }, 1))),
      )
      expect(outcomes.map((outcome) => outcome.kind).sort()).toEqual(['conflict', 'written'])
    })

    it('reports a deleted lease as not found (B154)', async () => {
      const store = await (await open()).leaseStore()
      const lease = await created(store)
      expect(await store.delete(lease)).toEqual({ kind: 'deleted' })
      expect(await store.read('0')).toBeNull()
      expect(await store.replace(acquire(lease, self, 1))).toEqual({ kind: 'notFound' })
      expect(await store.delete(lease)).toEqual({ kind: 'notFound' })
    })

    it('returns the time of the store with the leases, by the clock that stamps them', async () => {
      const world = await open()
      const { clock } = world
      const store = await world.leaseStore()
      await clock.advance(90_000)
      const wholeSeconds = Math.floor(clock.now() / 1_000) * 1_000
      expect(await created(store)).toMatchObject({ storedAtMs: wholeSeconds })
      await clock.advance(30_000)
      const { leases, storeTimeMs } = await store.list()
      expect(storeTimeMs).toBe(wholeSeconds + 30_000)
      expect(leases).toMatchObject([{ storedAtMs: wholeSeconds }])
    })

    it('keeps deployment units apart (B134)', async () => {
      const world = await open()
      const [one, other] = [await world.leaseStore('unit'), await world.leaseStore('unit2')]
      await created(one, '0')
      await created(other, '1')
      expect([await tokens(one), await tokens(other)]).toEqual([['0'], ['1']])
      await one.initialization.markDone()
      expect(await other.initialization.doneAtMs()).toBeNull()
    })

    it('works in a container partitioned by /partitionKey (B97)', async () => {
      const store = await (await open({ leasePartitioning: '/partitionKey' })).leaseStore()
      const lease = written(await store.replace(acquire(await created(store), self, 1)))
      expect(await store.read('0')).toMatchObject({ owner: 'a', etag: lease.etag })
      expect(await store.initialization.tryLock(30)).toBe(true)
      await store.initialization.unlock()
      expect(await store.initialization.tryLock(30)).toBe(true)
      expect(await store.delete(lease)).toEqual({ kind: 'deleted' })
    })

    it('completes an old lease, keeps its unknown fields, and refuses an unknown version', async () => {
      const world = await open()
      const store = await world.leaseStore()
      const lease = await created(store)
      const documentId = String(lease.document['id'])
      const { resource } = await world.leaseContainer
        .item(documentId, documentId)
        .read<Record<string, unknown>>()
      const stored: Record<string, unknown> = { ...resource, later: { a: 1 } }
      const { FeedRange: _unsaid, ...old } = stored
      await world.leaseContainer.items.upsert(old)
      const completed = await store.read('0')
      expect(completed).toMatchObject({ feedRange: { min: '', max: 'FF' } })
      if (completed === null) throw new Error('the lease is gone')
      expect(written(await store.replace(acquire(completed, self, 1))).document).toMatchObject({
        later: { a: 1 },
      })
      await world.leaseContainer.items.upsert({ ...old, version: 7 })
      await expect(store.list()).rejects.toThrow(RefusedLeaseError)
      await expect(store.list()).rejects.toThrow(documentId)
    })
  })
  initializationSuite(name, open)
}

function initializationSuite(name: string, open: (options?: WorldOptions) => Promise<CosmosWorld>): void {
  describe(`the initialization of a deployment unit (${name})`, () => {
    it('is done once an instance marks it, and keeps the time of the first mark (B91, B92)', async () => {
      const world = await open()
      const { initialization } = await world.leaseStore()
      expect(await initialization.doneAtMs()).toBeNull()
      await world.clock.advance(70_000)
      const doneAtMs = Math.floor(world.clock.now() / 1_000) * 1_000
      await initialization.markDone()
      await world.clock.advance(70_000)
      await initialization.markDone()
      expect(await initialization.doneAtMs()).toBe(doneAtMs)
    })

    it('is locked by one instance until that instance unlocks it (B93, B95)', async () => {
      const world = await open()
      const [mine, theirs] = [await world.leaseStore(), await world.leaseStore()]
      expect(await mine.initialization.tryLock(30)).toBe(true)
      expect(await theirs.initialization.tryLock(30)).toBe(false)
      await theirs.initialization.unlock()
      expect(await theirs.initialization.tryLock(30)).toBe(false)
      await mine.initialization.unlock()
      expect(await theirs.initialization.tryLock(30)).toBe(true)
    })

    it.each([-1, null])('can be locked again when the lock expires (container TTL %j)', async (leaseTtl) => {
      const world = await open({ leaseTtl })
      const [mine, theirs] = [await world.leaseStore(), await world.leaseStore()]
      expect(await mine.initialization.tryLock(30)).toBe(true)
      await world.clock.advance(29_000)
      expect(await theirs.initialization.tryLock(30)).toBe(false)
      await world.clock.advance(4_000)
      expect(await theirs.initialization.tryLock(30)).toBe(true)
      await mine.initialization.unlock()
      expect(await mine.initialization.tryLock(30)).toBe(false)
    })
  })
}
