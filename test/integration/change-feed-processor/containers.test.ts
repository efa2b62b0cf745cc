import { describe, expect, it } from 'vitest'
import {
  ChangeFeedProcessor,
  type ChangeFeedProcessorOptions,
} from '../../../src/change-feed-processor/index.js'
import { seededRandom } from '../../../src/platform/index.js'
import { TelemetryRecorder } from '../../../src/telemetry/index.js'
import { cosmosWorld, type CosmosWorld } from '../../support/cosmos-world.js'

interface Order {
  readonly pk: string
  readonly total: number
}

function optionsFor(world: CosmosWorld, delivered: number[]): ChangeFeedProcessorOptions<Order> {
  return {
    monitoredContainer: world.monitoredContainer,
    leaseContainer: world.leaseContainer,
    processorName: 'orders',
    instanceName: 'one',
    onChanges: (orders) => {
      delivered.push(...orders.map((order) => order.total))
    },
  }
}

function timeOf({ clock }: CosmosWorld) {
  return { clock, random: seededRandom(1) }
}

describe('a change feed processor on containers of the SDK', () => {
  it('delivers changes, is disposed of, and reports its charges (B237, B254, B259)', async () => {
    const world = await cosmosWorld('SDK in process')
    const telemetry = new TelemetryRecorder()
    const delivered: number[] = []
    {
      await using processor = new ChangeFeedProcessor(
        { ...optionsFor(world, delivered), telemetry },
        timeOf(world),
      )
      await processor.start()
      await world.put('1', { total: 5 })
      await world.clock.advance(1_000)
    }
    expect(delivered).toEqual([5])
    const { resources } = await world.leaseContainer.items
      .query<{ id: string; Owner?: string | null; version?: number }>('SELECT * FROM c')
      .fetchAll()
    const rids = /_[A-Za-z0-9+-]+=*_[A-Za-z0-9+-]+=*/
    expect(resources.map(({ id }) => id.replace(rids, '_db_container')).sort()).toEqual([
      'orders127.0.0.1_db_container..0',
      'orders127.0.0.1_db_container.info',
    ])
    expect(resources.find(({ id }) => id.endsWith('..0'))).toMatchObject({ Owner: null, version: 0 })
    const operations = new Set(telemetry.of('store.charged').map((event) => event.operation))
    expect(operations).toEqual(
      new Set([
        'lease.readMarker',
        'lease.lock',
        'lease.list',
        'feed.read',
        'lease.create',
        'lease.markDone',
        'lease.unlock',
        'lease.replace',
      ]),
    )
  })

  it('makes few requests while nothing changes', async () => {
    const world = await cosmosWorld('SDK in process')
    const telemetry = new TelemetryRecorder()
    const processor = new ChangeFeedProcessor({ ...optionsFor(world, []), telemetry }, timeOf(world))
    await processor.start()
    await world.clock.advance(60_000)
    const before = telemetry.of('store.charged').length
    await world.clock.advance(600_000)
    const counts: Record<string, number> = {}
    for (const { operation } of telemetry.of('store.charged').slice(before))
      counts[operation] = (counts[operation] ?? 0) + 1
    await processor.stop()
    expect(counts['lease.replace']).toBeLessThanOrEqual(600 / 13 + 1)
    expect(counts['lease.list']).toBeLessThanOrEqual(600 / 15 + 1)
    expect(counts['lease.readMarker']).toBe(counts['lease.list'])
    expect(counts['feed.read']).toBeLessThanOrEqual(600 / 5 + 1)
    expect(Object.keys(counts)).toHaveLength(4)
  })

  it('can be stopped and started again after a failed start (B210)', async () => {
    const world = await cosmosWorld('SDK in process')
    const { database } = world.monitoredContainer
    const delivered: number[] = []
    const leaseContainer = database.container('later')
    const processor = new ChangeFeedProcessor(
      { ...optionsFor(world, delivered), leaseContainer },
      timeOf(world),
    )
    await expect(processor.start()).rejects.toThrow(/leaseContainer "later" does not exist/)
    await processor.stop()
    await database.containers.create({ id: 'later', partitionKey: '/id', defaultTtl: -1 })
    await Promise.all([processor.start(), processor.start()])
    await world.put('1', { total: 5 })
    await world.clock.advance(1_000)
    expect(delivered).toEqual([5])
    await processor.stop()
    expect(world.clock.pendingTimers).toBe(0)
  })

  it('stops waiting for the bootstrap of another instance when it is stopped', async () => {
    const world = await cosmosWorld('SDK in process')
    await (await world.leaseStore('orders')).initialization.tryLock(30)
    const processor = new ChangeFeedProcessor(optionsFor(world, []), timeOf(world))
    const starting = processor.start()
    await world.clock.advance(2_000)
    await Promise.all([processor.stop(), starting])
    expect(world.clock.pendingTimers).toBe(0)
  })
})
