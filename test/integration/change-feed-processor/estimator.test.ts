import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LeaseStore } from '../../../lease-store/index.js'
import {
  ChangeFeedEstimator,
  type Change,
  type LeaseEstimate,
} from '../../../src/change-feed-processor/index.js'
import { lagOf } from '../../../src/change-feed-processor/estimator.js'
import { TelemetryRecorder } from '../../../src/telemetry/index.js'
import { aNewLease } from '../../support/a-lease.js'
import { cosmosWorld, doors, type CosmosWorld } from '../../support/cosmos-world.js'
import { intercepted, storeError } from '../../support/intercepted.js'

function aChange(lsn: number): Change {
  return { id: 'a', _etag: '"1"', _ts: 0, _lsn: lsn }
}

async function estimatorOf(
  world: CosmosWorld,
  leaseStore?: LeaseStore,
): Promise<{ estimator: ChangeFeedEstimator; telemetry: TelemetryRecorder }> {
  const telemetry = new TelemetryRecorder()
  const estimator = new ChangeFeedEstimator({
    monitoredContainer: world.feed(),
    leaseContainer: leaseStore ?? (await world.leaseStore()),
    processorName: 'unit',
    telemetry,
  })
  return { estimator, telemetry }
}

async function estimatesOf(estimator: ChangeFeedEstimator): Promise<LeaseEstimate[]> {
  const found: LeaseEstimate[] = []
  for await (const estimate of estimator.leases()) found.push(estimate)
  return found
}

/** A lease of the whole feed that was checkpointed at its present end. */
async function caughtUp(world: CosmosWorld): Promise<void> {
  const { signal } = new AbortController()
  const from = { feedRange: { min: '', max: 'FF' }, start: { kind: 'now' } } as const
  const { next } = await world.feed().readNext(from, { maxItemCount: 1, signal })
  const start = next[0]?.start
  if (start?.kind !== 'continuation') throw new Error('the feed gave no position')
  const store = await world.leaseStore()
  await store.create(aNewLease({ continuationToken: start.token, firstPosition: null }))
}

describe('lag by LSN', () => {
  it.each(['0:12345', '0:-1#12345', '0:-1#12345#Region1=1#Region2=2'])(
    'is computed from session token %s (B297, B298, B299)',
    (token) => {
      expect(lagOf({ changes: [aChange(12_340)], sessionToken: token })).toBe(6)
      expect(lagOf({ changes: [], sessionToken: token })).toBe(0)
    },
  )

  it.each([null, '', '0', '0:', '0:x#y'])('is 1, not 0, when session token %j has no LSN', (token) => {
    expect(lagOf({ changes: [], sessionToken: token })).toBe(1)
  })

  it('is 1 for a change with LSN 0, and never negative', () => {
    expect(lagOf({ changes: [aChange(0)], sessionToken: '0:7' })).toBe(1)
    expect(lagOf({ changes: [aChange(9)], sessionToken: '0:7' })).toBe(0)
  })

  it('counts every LSN from the first waiting change to the last (B288)', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (first, more) => {
        const sessionToken = `3:1#${first + 1 + more}`
        expect(lagOf({ changes: [aChange(first + 1)], sessionToken })).toBe(more + 1)
      }),
    )
  })
})

describe.each(doors)('ChangeFeedEstimator through %s', (door) => {
  it('finds no leases before the first start, and a total of 0 (B28)', async () => {
    const { estimator } = await estimatorOf(await cosmosWorld(door))
    expect(await estimatesOf(estimator)).toEqual([])
    expect(await estimator.total()).toBe(0)
  })

  it('reports number and age of the waiting changes (B31, B32, B287, B292, B311)', async () => {
    const world = await cosmosWorld(door)
    for (let done = 0; done < 10; done += 1) await world.put(`done-${done}`)
    await caughtUp(world)
    const { estimator, telemetry } = await estimatorOf(world)
    expect(await estimatesOf(estimator)).toMatchObject([
      { leaseToken: '0', owner: null, estimatedLag: 0, oldestAgeMs: null },
    ])
    await world.put('waiting-0')
    await world.clock.advance(42_000)
    for (let waiting = 1; waiting < 10; waiting += 1) await world.put(`waiting-${waiting}`)
    const [estimate] = await estimatesOf(estimator)
    expect(estimate).toMatchObject({ estimatedLag: 10, oldestAgeMs: 42_000 })
    expect(estimate?.requestCharge).toBeGreaterThan(0)
    expect(await estimator.total()).toBe(10)
    expect(telemetry.of('lag.estimated').at(-1)).toMatchObject({ processorName: 'unit', estimatedLag: 10 })
  })

  it('estimates 1 for a lease without a continuation token (B29, B30, B289, B290)', async () => {
    const world = await cosmosWorld(door)
    for (let waiting = 0; waiting < 5; waiting += 1) await world.put(`waiting-${waiting}`)
    await world.clock.advance(3_000)
    const store = await world.leaseStore()
    await store.create(aNewLease({ leaseToken: '0', firstPosition: { kind: 'beginning' } }))
    await store.create(aNewLease({ leaseToken: 'foreign', firstPosition: null }))
    const { estimator } = await estimatorOf(world)
    expect(await estimatesOf(estimator)).toMatchObject([
      { leaseToken: '0', estimatedLag: 1, oldestAgeMs: 3_000 },
      { leaseToken: 'foreign', estimatedLag: 1, oldestAgeMs: null },
    ])
    expect(await estimator.total()).toBe(2)
  })

  it('estimates 1 for a range that was split while no instance read it (B33, F-P10)', async () => {
    const world = await cosmosWorld(door)
    await caughtUp(world)
    for (let waiting = 0; waiting < 5; waiting += 1) await world.put(`waiting-${waiting}`)
    world.split('0')
    const { estimator } = await estimatorOf(world)
    expect(await estimatesOf(estimator)).toMatchObject([{ estimatedLag: 1, oldestAgeMs: null }])
  })
})

describe('ChangeFeedEstimator', () => {
  it('estimates 1 when the range answers 410, and throws any other error (B294, F-P10)', async () => {
    const world = await cosmosWorld('engine ports')
    await caughtUp(world)
    const failingWith = (code: number): ChangeFeedEstimator =>
      new ChangeFeedEstimator({
        monitoredContainer: intercepted(world.feed(), 'readNext', [() => Promise.reject(storeError(code))]),
        leaseContainer: leases,
        processorName: 'unit',
      })
    const leases = await world.leaseStore()
    expect(await failingWith(410).total()).toBe(1)
    await expect(failingWith(429).total()).rejects.toThrow('status 429')
  })

  it('reports every lease of a unit with many leases (B286, B291)', async () => {
    const world = await cosmosWorld('engine ports')
    const store = await world.leaseStore()
    for (let token = 0; token < 60; token += 1)
      await store.create(aNewLease({ leaseToken: String(token), firstPosition: null }))
    const { estimator } = await estimatorOf(world)
    expect(new Set((await estimatesOf(estimator)).map(({ leaseToken }) => leaseToken)).size).toBe(60)
    expect(await estimator.total()).toBe(60)
  })

  it('names a lease version that it does not know, and options that are missing', async () => {
    const world = await cosmosWorld('SDK in process')
    const created = await (await world.leaseStore()).create(aNewLease())
    if (created.kind !== 'created') throw new Error(created.kind)
    await world.leaseContainer.items.upsert({ ...created.lease.document, version: 9 })
    const { monitoredContainer, leaseContainer } = world
    const options = { monitoredContainer, leaseContainer, processorName: 'unit' }
    await expect(new ChangeFeedEstimator(options).total()).rejects.toThrow(
      /version is 9, but this release knows only 0 and 1/,
    )
    const lacking = { ...options, processorName: undefined } as unknown as typeof options
    await expect(new ChangeFeedEstimator(lacking).total()).rejects.toMatchObject({
      problems: [
        'processorName is missing; it must be a text without / \\ ? #, because it becomes part of document ids',
      ],
    })
  })

  it('rejects with 404 when the lease container does not exist (B27)', async () => {
    const world = await cosmosWorld('SDK in process')
    const missing = world.leaseContainer.database.container('missing')
    const { monitoredContainer } = world
    const estimator = new ChangeFeedEstimator({
      monitoredContainer,
      leaseContainer: missing,
      processorName: 'unit',
    })
    await expect(estimator.total()).rejects.toMatchObject({ code: 404 })
  })
})
