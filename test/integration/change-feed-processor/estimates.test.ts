import { describe, expect, it } from 'vitest'
import type { LeaseStore } from '../../../lease-store/index.js'
import {
  ChangeFeedEstimator,
  ChangeFeedProcessor,
  type LeaseEstimate,
} from '../../../src/change-feed-processor/index.js'
import { seededRandom } from '../../../src/platform/index.js'
import { cosmosWorld, doors, type CosmosWorld } from '../../support/cosmos-world.js'
import { intercepted, storeError } from '../../support/intercepted.js'
import { processorWorld } from '../../support/processor-world.js'

async function estimatorOf(world: CosmosWorld, leases?: LeaseStore): Promise<ChangeFeedEstimator> {
  return new ChangeFeedEstimator({
    monitoredContainer: world.feed(),
    leaseContainer: leases ?? (await world.leaseStore()),
    processorName: 'unit',
  })
}

async function estimatesOf(estimator: ChangeFeedEstimator): Promise<LeaseEstimate[]> {
  const found: LeaseEstimate[] = []
  for await (const estimate of estimator.leases()) found.push(estimate)
  return found.sort((left, right) => (left.leaseToken < right.leaseToken ? -1 : 1))
}

describe.each(doors)('the backlog of a processor, on %s', (door) => {
  it('is 0 when all is read, and then counts new changes (B319, B320, B321, B322, B293)', async () => {
    const world = await processorWorld(door, { partitionCount: 2 })
    const one = await world.instance('one', { startFrom: 'now' })
    await one.processor.start()
    for (let id = 0; id < 30; id += 1) await world.put(`read-${id}`)
    await world.clock.advance(20_000)
    const bystander = await estimatorOf(world)
    expect(await estimatesOf(bystander)).toMatchObject([
      { leaseToken: '0', owner: 'one', estimatedLag: 0 },
      { leaseToken: '1', owner: 'one', estimatedLag: 0 },
    ])
    await one.processor.stop()
    for (let id = 0; id < 12; id += 1) await world.put(`waiting-${id}`)
    const estimates = await estimatesOf(bystander)
    expect(estimates.map(({ owner }) => owner)).toEqual([null, null])
    for (const { estimatedLag } of estimates) expect(estimatedLag).toBeGreaterThan(0)
    expect(await bystander.total()).toBe(12)
    expect(await (await estimatorOf(world)).total()).toBe(12)
  })

  it('of all versions counts each version and each deletion (B339)', async () => {
    const world = await cosmosWorld(door, { keepsVersions: true })
    const processor = new ChangeFeedProcessor(
      {
        monitoredContainer: world.feed(),
        leaseContainer: await world.leaseStore(),
        processorName: 'unit',
        instanceName: 'one',
        mode: 'allVersionsAndDeletes',
        onChanges: () => undefined,
      },
      { clock: world.clock, random: seededRandom(1) },
    )
    await processor.start()
    await world.put('kept')
    await world.clock.advance(20_000)
    await processor.stop()
    const estimator = await estimatorOf(world)
    expect(await estimatesOf(estimator)).toMatchObject([{ estimatedLag: 0, oldestAgeMs: null }])
    await world.remove('kept')
    await world.clock.advance(7_000)
    expect(await estimatesOf(estimator)).toMatchObject([{ estimatedLag: 1, oldestAgeMs: 7_000 }])
    for (const total of [1, 2, 3]) await world.put('again', { total })
    expect(await estimator.total()).toBe(4)
  })

  it('can be estimated again, also after a failed estimate (B308, B312)', async () => {
    const world = await processorWorld(door)
    const one = await world.instance('one')
    await one.processor.start()
    await world.clock.advance(20_000)
    await one.processor.stop()
    const failing = intercepted(await world.leaseStore(), 'list', [() => Promise.reject(storeError(503))])
    const estimator = await estimatorOf(world, failing)
    await expect(estimator.total()).rejects.toThrow('status 503')
    await world.put('1')
    expect([await estimator.total(), await estimator.total()]).toEqual([1, 1])
  })

  it('is estimated although the partition of one of two leases answers 410 (B334)', async () => {
    const world = await processorWorld(door, { partitionCount: 2 })
    const one = await world.instance('one')
    await one.processor.start()
    for (let id = 0; id < 10; id += 1) await world.put(`${id}`)
    await world.clock.advance(20_000)
    await one.processor.stop()
    const estimator = new ChangeFeedEstimator({
      monitoredContainer: intercepted(world.feed(), 'readNext', [() => Promise.reject(storeError(410))]),
      leaseContainer: await world.leaseStore(),
      processorName: 'unit',
    })
    expect((await estimatesOf(estimator)).map(({ estimatedLag }) => estimatedLag).sort()).toEqual([0, 1])
  })
})

describe('an estimator', () => {
  it('finds the leases of a unit by its name, in containers of the SDK (B295, B302)', async () => {
    const world = await cosmosWorld('SDK in process', { partitionCount: 2 })
    const { monitoredContainer, leaseContainer } = world
    for (const [processorName, lag] of [
      ['unit', 2],
      ['other', 0],
    ] as const) {
      if (processorName === 'unit') {
        const processor = new ChangeFeedProcessor(
          {
            monitoredContainer,
            leaseContainer,
            processorName,
            instanceName: 'one',
            startFrom: 'beginning',
            onChanges: () => undefined,
          },
          { clock: world.clock },
        )
        await processor.start()
        await processor.stop()
      }
      const estimator = new ChangeFeedEstimator({ monitoredContainer, leaseContainer, processorName })
      expect(await estimator.total()).toBe(lag)
    }
  })

  it('accepts a lease store beside a container or a feed (B296, B301, B309, B310)', async () => {
    const world = await processorWorld('engine ports')
    const one = await world.instance('one', { startFrom: 'now' })
    await one.processor.start()
    await one.processor.stop()
    await world.put('1')
    const leaseContainer = await world.leaseStore()
    for (const monitoredContainer of [world.monitoredContainer, world.feed()]) {
      const estimator = new ChangeFeedEstimator({ monitoredContainer, leaseContainer, processorName: 'unit' })
      expect(await estimator.total()).toBe(1)
    }
  })

  it.each([
    ['no place for leases (B303)', { leaseContainer: undefined }, ['leaseContainer']],
    ['no monitored container (B304)', { monitoredContainer: undefined }, ['monitoredContainer']],
    ['nothing', null, ['monitoredContainer', 'leaseContainer', 'processorName']],
  ])('reports every missing part when it is given %s', async (_name, given, missing) => {
    const world = await cosmosWorld('SDK in process')
    const { monitoredContainer, leaseContainer } = world
    const all = { monitoredContainer, leaseContainer, processorName: 'unit' }
    const options: unknown = given === null ? {} : { ...all, ...given }
    await expect(new ChangeFeedEstimator(options as typeof all).total()).rejects.toMatchObject({
      problems: missing.map((name) => expect.stringMatching(new RegExp(`^${name} is missing`)) as string),
    })
  })

  it('refuses a lease container beside a feed that is no container (B305)', async () => {
    const { leaseContainer, ...world } = await cosmosWorld('engine ports')
    const options = { monitoredContainer: world.feed(), leaseContainer, processorName: 'unit' }
    await expect(new ChangeFeedEstimator(options).total()).rejects.toThrow(
      /leases in a Container are named after the monitored Container/,
    )
  })
})
