import { describe, expect, it } from 'vitest'
import { CosmosLeaseStore, type Lease } from '../../../lease-store/index.js'
import { ChangeFeedProcessor } from '../../../src/change-feed-processor/index.js'
import { seededRandom } from '../../../src/platform/index.js'
import { doors } from '../../support/cosmos-world.js'
import { processorWorld, type ProcessorWorld } from '../../support/processor-world.js'

const numbered = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`)

/** Overwrites every lease as another process would, whatever its owner does meanwhile. */
async function overwrite(world: ProcessorWorld, change: (lease: Lease) => object): Promise<void> {
  for (const lease of (await (await world.leaseStore()).list()).leases)
    await world.leaseContainer.items.upsert({ ...lease.document, ...change(lease) })
}

describe.each(doors)('leases that other processes have written, on %s', (door) => {
  it('are taken from a dead owner only after they expire, whatever its clock was (B323)', async () => {
    const world = await processorWorld(door)
    const before = await world.instance('before')
    await before.processor.start()
    for (const id of numbered(10, 'read')) await world.put(id)
    await world.clock.advance(10_000)
    await before.processor.stop()
    // The clock of the dead owner was an hour ahead when it wrote them.
    const timestamp = new Date(world.clock.now() + 3_600_000).toISOString()
    await overwrite(world, () => ({ Owner: 'dead', timestamp }))
    for (const id of numbered(10, 'waiting')) await world.put(id)
    const one = await world.instance('one')
    await one.processor.start()
    await world.clock.advance(59_000)
    expect(one.delivered).toEqual([])
    expect(await world.owners()).toEqual({ 0: 'dead' })
    await world.clock.advance(3_000 + 17_000)
    expect(await world.owners()).toEqual({ 0: 'one' })
    expect([...one.delivered].sort()).toEqual(numbered(10, 'waiting'))
    expect(one.telemetry.of('lease.acquired').map(({ takenFrom }) => takenFrom)).toEqual(['dead'])
    await one.processor.stop()
  })

  it('are acquired again when their owner is removed, and no change is missed (B324)', async () => {
    const world = await processorWorld(door, { partitionCount: 2 })
    const one = await world.instance('one')
    await one.processor.start()
    for (const id of numbered(10, 'before')) await world.put(id)
    await world.clock.advance(10_000)
    await overwrite(world, () => ({ Owner: null }))
    for (const id of numbered(10, 'after')) await world.put(id)
    await world.clock.advance(2 * 17_000 + 13_000)
    expect(await world.owners()).toEqual({ 0: 'one', 1: 'one' })
    for (const id of numbered(10, 'later')) await world.put(id)
    await world.clock.advance(10_000)
    const all = ['before', 'after', 'later'].flatMap((prefix) => numbered(10, prefix))
    expect(new Set(one.delivered)).toEqual(new Set(all))
    expect(one.notifications.filter((line) => line.includes('LeaseLost'))).toHaveLength(2)
    expect(one.notifications.filter((line) => line.startsWith('error'))).toEqual([])
    await one.processor.stop()
    expect(world.clock.pendingTimers).toBe(0)
  })

  it('are spread evenly over the instances when their owners never existed (B325)', async () => {
    const world = await processorWorld(door, { partitionCount: 4 })
    const before = await world.instance('before', { startFrom: 'now' })
    await before.processor.start()
    await before.processor.stop()
    await overwrite(world, ({ leaseToken }) => ({
      Owner: `unknown-${leaseToken}`,
      timestamp: new Date(world.clock.now()).toISOString(),
    }))
    const instances = [await world.instance('one'), await world.instance('two')]
    for (const { processor } of instances) await processor.start()
    for (const id of numbered(20, 'd')) await world.put(id)
    await world.clock.advance(60_000 + 4 * 17_000)
    expect(Object.values(await world.owners()).sort()).toEqual(['one', 'one', 'two', 'two'])
    expect(new Set(instances.flatMap(({ delivered }) => delivered)).size).toBe(20)
    for (const { processor } of instances) await processor.stop()
  })
})

describe.each(doors)('the leases after a split, on %s', (door) => {
  it('are never behind the lease that was split (B327)', async () => {
    const world = await processorWorld(door)
    const one = await world.instance('one')
    const lsnOf = ({ continuationToken }: Lease): number => Number(continuationToken?.replaceAll('"', ''))
    const positions = async (): Promise<number[]> =>
      (await (await world.leaseStore()).list()).leases.map(lsnOf)
    await one.processor.start()
    for (const id of numbered(20, 'before')) await world.put(id)
    await world.clock.advance(10_000)
    const [parent] = await positions()
    expect(parent).toBeGreaterThan(0)
    world.split('0')
    await world.clock.advance(10_000)
    const children = await positions()
    expect(children).toHaveLength(2)
    for (const child of children) expect(child).toBeGreaterThanOrEqual(parent ?? Infinity)
    for (const id of numbered(20, 'after')) await world.put(id)
    await world.clock.advance(10_000)
    await one.processor.stop()
    expect([...one.delivered].sort()).toEqual([...numbered(20, 'before'), ...numbered(20, 'after')].sort())
  })

  it('never exceed the limit of an instance, and another instance takes the rest (B330)', async () => {
    const world = await processorWorld(door)
    const [one, two] = [
      await world.instance('one', { maxLeases: 1 }),
      await world.instance('two', { maxLeases: 1 }),
    ]
    await one.processor.start()
    await world.clock.advance(1_000)
    world.split('0')
    for (const id of numbered(20, 'd')) await world.put(id)
    for (let seconds = 0; seconds < 60; seconds += 1) {
      await world.clock.advance(1_000)
      const held = Object.values(await world.owners()).filter((owner) => owner === 'one')
      expect(held.length).toBeLessThanOrEqual(1)
    }
    expect(Object.values(await world.owners()).sort()).toEqual([null, 'one'].sort())
    await two.processor.start()
    await world.clock.advance(20_000)
    expect(Object.values(await world.owners()).sort()).toEqual(['one', 'two'])
    expect(new Set([...one.delivered, ...two.delivered]).size).toBe(20)
    for (const { processor } of [one, two]) await processor.stop()
  })
})

describe('a client that knows only the partitions from before a split', () => {
  it('finds the existing leases, creates no others, and reads on (B328)', async () => {
    const world = await processorWorld('SDK in process')
    const one = await world.instance('one')
    await one.processor.start()
    for (const id of numbered(10, 'before')) await world.put(id)
    const database = world.client().database('shop')
    const [monitoredContainer, leaseContainer] = [database.container('orders'), database.container('leases')]
    // Fills the client's cache.
    await monitoredContainer.items.query('SELECT * FROM c').fetchAll()
    await monitoredContainer.getFeedRanges()
    await world.clock.advance(10_000)
    world.split('0')
    await world.clock.advance(10_000)
    await one.processor.stop()
    for (const id of numbered(10, 'after')) await world.put(id)
    const delivered: string[] = []
    const stale = new ChangeFeedProcessor(
      {
        monitoredContainer,
        leaseContainer,
        processorName: 'unit',
        instanceName: 'stale',
        onChanges: (changes) => void delivered.push(...changes.map(({ id }) => id)),
      },
      { clock: world.clock, random: seededRandom(9) },
    )
    await stale.start()
    await world.clock.advance(20_000)
    const store = await CosmosLeaseStore.open({ monitoredContainer, leaseContainer, processorName: 'unit' })
    const tokens = (await store.list()).leases.map(({ leaseToken }) => leaseToken)
    expect(tokens.sort()).toEqual(['1', '2'])
    expect(await world.owners()).toEqual({ 1: 'stale', 2: 'stale' })
    expect(delivered.sort()).toEqual(numbered(10, 'after'))
    await stale.stop()
  })
})

describe.each(doors)('a backlog, on %s', (door) => {
  it.each([
    ['of many pages', { size: 1, count: 200, maxItemCount: 10 }],
    ['of documents of which few fit on a page', { size: 1_500_000, count: 9, maxItemCount: 100 }],
  ])(
    '%s is read without pauses, however long the poll interval is (B331)',
    async (_name, { size, count, maxItemCount }) => {
      const world = await processorWorld(door)
      for (const id of numbered(count, 'd')) await world.put(id, { text: 'x'.repeat(size) })
      await world.clock.advance(10_000)
      const one = await world.instance('one', { maxItemCount, pollInterval: 3_600_000 })
      await one.processor.start()
      // The time stands still. Large pages only need more turns of the event loop than one call waits for.
      for (let call = 0; call < 1_000 && one.delivered.length < count; call += 1) await world.clock.advance(0)
      expect(one.delivered).toEqual(numbered(count, 'd'))
      expect(one.telemetry.of('page.delivered').length).toBeGreaterThan(3)
      await one.processor.stop()
    },
  )

  it('of documents just written is read with only brief pauses (B331)', async () => {
    const world = await processorWorld(door)
    const one = await world.instance('one', { pollInterval: 3_600_000 })
    for (const id of numbered(9, 'd')) await world.put(id, { text: 'x'.repeat(1_500_000) })
    await one.processor.start()
    // Large pages need more turns of the event loop than one step of the clock waits for.
    for (let step = 0; step < 100; step += 1) await world.clock.advance(10)
    expect(one.delivered).toEqual(numbered(9, 'd'))
    await one.processor.stop()
  })
})
