import { describe, expect, it } from 'vitest'
import { renew, type Lease } from '../../../lease-store/index.js'
import { doors } from '../../support/cosmos-world.js'
import { processorWorld, type ProcessorWorld, type TestInstance } from '../../support/processor-world.js'

const acquireIntervalMs = 17_000

async function instances(world: ProcessorWorld, count: number): Promise<TestInstance[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => world.instance(`host-${index}`)))
}

async function counts(world: ProcessorWorld): Promise<number[]> {
  const owners = Object.values(await world.owners())
  return [...new Set(owners)].map((owner) => owners.filter((name) => name === owner).length).sort()
}

async function stopAll(started: readonly TestInstance[]): Promise<void> {
  await Promise.all(started.map(({ processor }) => processor.stop()))
}

describe.each(doors)('a deployment unit on %s', (door) => {
  it('shares out its leases among instances that come later, each lease moving once', async () => {
    const world = await processorWorld(door, { partitionCount: 8 })
    const [first, ...later] = await instances(world, 4)
    if (first === undefined) throw new Error('there are four')
    await first.processor.start()
    await world.clock.advance(1_000)
    expect(await counts(world)).toEqual([8])
    await Promise.all(later.map(({ processor }) => processor.start()))
    await world.clock.advance(3 * acquireIntervalMs)
    expect(await counts(world)).toEqual([2, 2, 2, 2])
    const reasons = [first, ...later].flatMap(({ notifications }) =>
      notifications.filter((line) => line.startsWith('released')),
    )
    expect(reasons).toHaveLength(6)
    for (const line of reasons) expect(line).toContain('HandedOver')
    await stopAll([first, ...later])
    expect(world.clock.pendingTimers).toBe(0)
  })

  it('shares out free leases among instances that start together, within one acquire interval', async () => {
    const world = await processorWorld(door, { partitionCount: 9 })
    const started = await instances(world, 3)
    // All but one wait for the leases to be created, on a clock that has to move for it.
    const starting = Promise.all(started.map(({ processor }) => processor.start()))
    await world.clock.advance(5_000)
    await starting
    const soon = await counts(world)
    expect(soon.reduce((sum, count) => sum + count, 0)).toBe(9)
    await world.clock.advance(3 * acquireIntervalMs)
    expect(await counts(world)).toEqual([3, 3, 3])
    await stopAll(started)
  })

  it('owns its work again within one acquire interval after an hour without anybody', async () => {
    const world = await processorWorld(door, { partitionCount: 4 })
    const before = await world.instance('one')
    await before.processor.start()
    await world.clock.advance(5_000)
    before.cutOff()
    await world.clock.advance(3_600_000)
    const after = await world.instance('one')
    await after.processor.start()
    await world.put('1')
    await world.clock.advance(acquireIntervalMs)
    expect(await counts(world)).toEqual([4])
    expect(after.delivered).toEqual(['1'])
    await stopAll([after])
  })
})

describe('a deployment unit with a .NET host (§9b)', () => {
  const dotNet = 'dotnet-1'

  /** The host owns everything and renews every 17 s as .NET does: it reads properties and writes them back unread. */
  async function withDotNetHost(): Promise<{ world: ProcessorWorld; renewAll: () => Promise<void> }> {
    const world = await processorWorld('engine ports', { partitionCount: 2 })
    const bootstrap = await world.instance('bootstrap')
    await bootstrap.processor.start()
    await world.clock.advance(1_000)
    await bootstrap.processor.stop()
    const store = await world.leaseStore()
    const ownedByIt = (lease: Lease): Lease => ({ ...lease, owner: dotNet, incarnation: null })
    for (const lease of (await store.list()).leases) await store.replace(ownedByIt(lease))
    const renewAll = async (): Promise<void> => {
      for (const lease of (await store.list()).leases)
        if (lease.owner === dotNet) await store.replace(renew(lease, world.clock.now()))
    }
    return { world, renewAll }
  }

  it('takes a lease that the .NET host does not hand over after two renew intervals, and no more than its share', async () => {
    const { world, renewAll } = await withDotNetHost()
    const node = await world.instance('node')
    await node.processor.start()
    const ownedAfter: number[] = []
    for (let elapsedMs = 0; elapsedMs < 60_000; elapsedMs += 5_000) {
      await world.clock.advance(5_000)
      await renewAll()
      ownedAfter.push(Object.values(await world.owners()).filter((owner) => owner === 'node').length)
    }
    expect(ownedAfter.slice(0, 5)).toEqual([0, 0, 0, 0, 0])
    expect(ownedAfter.at(-1)).toBe(1)
    await node.processor.stop()
  })

  it('lets go of a lease that the .NET host takes or overwrites, whatever the condition (§4.4)', async () => {
    const world = await processorWorld('engine ports', { partitionCount: 1 })
    const node = await world.instance('node')
    await node.processor.start()
    await world.clock.advance(1_000)
    const store = await world.leaseStore()
    const stored = await store.read('0')
    if (stored === null) throw new Error('the lease is gone')
    await world.leaseContainer.items.upsert({ ...stored.document, Owner: dotNet })
    await world.clock.advance(14_000)
    await world.put('1')
    await world.clock.advance(5_000)
    expect(node.notifications).toContain('released 0: LeaseLost')
    expect(node.delivered).toEqual([])
    expect(await world.owners()).toEqual({ 0: dotNet })
    await node.processor.stop()
  })

  it('takes nothing from a .NET host whose timestamps lag while it renews', async () => {
    const { world } = await withDotNetHost()
    const store = await world.leaseStore()
    const node = await world.instance('node')
    await node.processor.start()
    for (let elapsedMs = 0; elapsedMs < 120_000; elapsedMs += 10_000) {
      await world.clock.advance(10_000)
      for (const lease of (await store.list()).leases)
        if (lease.owner === dotNet) await store.replace(renew(lease, world.clock.now() - 3_600_000))
    }
    expect(await counts(world)).toEqual([1, 1])
    await node.processor.stop()
  })
})
