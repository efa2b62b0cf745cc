import { describe, expect, it } from 'vitest'
import {
  ChangeFeedProcessor,
  ProcessorOptionsError,
  resetProcessor,
  type VersionChange,
} from '../../../src/change-feed-processor/index.js'
import { seededRandom } from '../../../src/platform/index.js'
import { cosmosWorld, doors, type CosmosWorld } from '../../support/cosmos-world.js'

interface Order {
  readonly id: string
  readonly total?: number
}

type Mode = 'latestVersion' | 'allVersionsAndDeletes'

async function versions(
  world: CosmosWorld,
  delivered: VersionChange<Order>[],
): Promise<ChangeFeedProcessor<Order>> {
  return new ChangeFeedProcessor<Order>({
    ...(await common(world)),
    mode: 'allVersionsAndDeletes',
    onChanges: (changes) => {
      delivered.push(...changes)
    },
  })
}

async function common(world: CosmosWorld) {
  return {
    monitoredContainer: world.feed(),
    leaseContainer: await world.leaseStore(),
    processorName: 'unit',
    instanceName: 'one',
    clock: world.clock,
    random: seededRandom(1),
  }
}

async function inMode(world: CosmosWorld, mode: Mode): Promise<ChangeFeedProcessor<Order>> {
  if (mode === 'allVersionsAndDeletes') return versions(world, [])
  return new ChangeFeedProcessor<Order>({ ...(await common(world)), onChanges: () => undefined })
}

describe.each(doors)('§8.1 all versions and deletes, on %s', (door) => {
  it('a document created, updated and deleted comes three times, in order, linked to what was before', async () => {
    const world = await cosmosWorld(door, { keepsVersions: true })
    await world.put('before')
    const delivered: VersionChange<Order>[] = []
    const processor = await versions(world, delivered)
    await processor.start()
    await world.put('1', { total: 5 })
    await world.put('1', { total: 6 })
    await world.remove('1')
    await world.clock.advance(1_000)
    const operations = delivered.map(({ metadata }) => metadata.operationType)
    expect(operations).toEqual(['create', 'replace', 'delete'])
    const [created, replaced, deleted] = delivered.map(({ metadata }) => metadata)
    expect(replaced?.previousImageLSN).toBe(created?.lsn)
    expect(deleted).toMatchObject({ id: '1', partitionKey: { pk: '1' }, timeToLiveExpired: false })
    expect(delivered[2]).toMatchObject({ current: {}, previous: { total: 6 } })
    await processor.stop()
  })

  it('a start on leases without a position does not fail, and goes on where it was (B39, B44, B335)', async () => {
    const world = await cosmosWorld(door, { keepsVersions: true })
    const delivered: VersionChange<Order>[] = []
    const processor = await versions(world, delivered)
    for (const id of ['1', '2']) {
      await processor.start()
      await world.put(id)
      await world.clock.advance(6_000)
      await processor.stop()
    }
    expect(delivered.map(({ current }) => current.id)).toEqual(['1', '2'])
    const { leases } = await (await world.leaseStore()).list()
    expect(leases).toMatchObject([{ mode: 'Full-Fidelity Feed' }])
  })

  it.each<[Mode, Mode]>([
    ['latestVersion', 'allVersionsAndDeletes'],
    ['allVersionsAndDeletes', 'latestVersion'],
  ])('a unit does not switch from %s to %s (B36, B38, B337, B338)', async (first, second) => {
    const world = await cosmosWorld(door, { keepsVersions: true })
    const before = await inMode(world, first)
    await before.start()
    await before.stop()
    await expect((await inMode(world, second)).start()).rejects.toThrow(/keeps its mode/)
  })

  it('is split without a gap (B341)', async () => {
    const world = await cosmosWorld(door, { keepsVersions: true })
    const delivered: VersionChange<Order>[] = []
    const processor = await versions(world, delivered)
    await processor.start()
    const all = Array.from({ length: 20 }, (_, index) => `d${index}`)
    for (const id of all.slice(0, 10)) await world.put(id)
    world.split('0')
    for (const id of all.slice(10)) await world.put(id)
    await world.clock.advance(20_000)
    const { leases } = await (await world.leaseStore()).list()
    expect(new Set(delivered.map(({ current }) => current.id))).toEqual(new Set(all))
    expect(leases.map(({ mode }) => mode)).toEqual(['Full-Fidelity Feed', 'Full-Fidelity Feed'])
    await processor.stop()
  })

  it('is reset to now only', async () => {
    const world = await cosmosWorld(door, { keepsVersions: true })
    const delivered: VersionChange<Order>[] = []
    const processor = await versions(world, delivered)
    await processor.start()
    await processor.stop()
    await world.put('skipped')
    const unit = await common(world)
    await expect(resetProcessor({ ...unit, to: 'beginning' })).rejects.toBeInstanceOf(ProcessorOptionsError)
    await resetProcessor({ ...unit, to: 'now' })
    await processor.start()
    await world.put('next')
    await world.clock.advance(1_000)
    expect(delivered.map(({ current }) => current.id)).toEqual(['next'])
    await processor.stop()
  })

  it('can be taken change by change, in order per partition key', async () => {
    const world = await cosmosWorld(door, { keepsVersions: true })
    const delivered: string[] = []
    const processor = new ChangeFeedProcessor<Order>({
      ...(await common(world)),
      mode: 'allVersionsAndDeletes',
      concurrency: 4,
      onChange: ({ metadata }) => {
        delivered.push(metadata.operationType)
      },
    })
    await processor.start()
    await world.put('1')
    await world.remove('1')
    await world.clock.advance(1_000)
    expect(delivered).toEqual(['create', 'delete'])
    await processor.stop()
  })
})
