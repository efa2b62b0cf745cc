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
  it('shares its leases with instances that join, moving each only once (R151, R154, R156)', async () => {
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

  it('gives instances that start together equal shares within three acquire intervals', async () => {
    const world = await processorWorld(door, { partitionCount: 9 })
    const started = await instances(world, 3)
    // All but one wait until the leases are created, and the virtual clock must advance for that.
    const starting = Promise.all(started.map(({ processor }) => processor.start()))
    await world.clock.advance(5_000)
    await starting
    const soon = await counts(world)
    expect(soon.reduce((sum, count) => sum + count, 0)).toBe(9)
    await world.clock.advance(3 * acquireIntervalMs)
    expect(await counts(world)).toEqual([3, 3, 3])
    await stopAll(started)
  })

  it('gives the leases of an unhealthy instance to others until it is healthy again (R124)', async () => {
    const world = await processorWorld(door, { partitionCount: 4 })
    let reason: string | null = null
    const unhealthy = await world.instance('host-0', { unhealthyReason: () => reason })
    const other = await world.instance('host-1')
    const starting = [unhealthy, other].map(({ processor }) => processor.start())
    await world.clock.advance(5_000)
    await Promise.all(starting)
    await world.clock.advance(3 * acquireIntervalMs)
    expect(await counts(world)).toEqual([2, 2])
    unhealthy.notifications.length = 0
    reason = 'the disk is full'
    await world.clock.advance(4 * acquireIntervalMs)
    expect(new Set(Object.values(await world.owners()))).toEqual(new Set(['host-1']))
    expect(unhealthy.notifications.filter((line) => line.startsWith('released'))).toHaveLength(2)
    expect(unhealthy.processor.unhealthyReason()).toBe('the disk is full')
    reason = null
    await world.clock.advance(4 * acquireIntervalMs)
    expect(await counts(world)).toEqual([2, 2])
    expect(unhealthy.processor.unhealthyReason()).toBeNull()
    const about = { processorName: 'unit', instanceName: 'host-0' }
    expect(unhealthy.telemetry.of('unit.unhealthy')).toEqual([
      { type: 'unit.unhealthy', reason: 'the disk is full', ...about },
    ])
    expect(unhealthy.telemetry.of('unit.healthy')).toEqual([{ type: 'unit.healthy', ...about }])
    await stopAll([unhealthy, other])
    expect(world.clock.pendingTimers).toBe(0)
  })

  it('treats an instance whose health check throws as unhealthy', async () => {
    const world = await processorWorld(door)
    const unhealthy = await world.instance('host-0', {
      unhealthyReason: () => {
        throw new Error('no such gauge')
      },
    })
    await unhealthy.processor.start()
    await world.clock.advance(2 * acquireIntervalMs)
    expect(Object.values(await world.owners())).toEqual([null])
    expect(unhealthy.telemetry.of('unit.unhealthy')).toMatchObject([
      { reason: 'unhealthyReason failed: no such gauge' },
    ])
    await unhealthy.processor.stop()
  })

  it('gives all leases back within an interval after it became unhealthy, without a listing', async () => {
    const world = await processorWorld(door)
    let reason: string | null = null
    const only = await world.instance('host-0', { unhealthyReason: () => reason })
    await only.processor.start()
    await world.clock.advance(1_000)
    const listings = only.telemetry.of('leases.listed').length
    reason = 'the disk is full'
    await world.clock.advance(acquireIntervalMs)
    expect(Object.values(await world.owners())).toEqual([null])
    expect(only.telemetry.of('leases.listed')).toHaveLength(listings)
    await only.processor.stop()
  })

  it('lists its leases every fourth interval while one instance has all, else every interval', async () => {
    const world = await processorWorld(door, { partitionCount: 2 })
    const [first, second] = await instances(world, 2)
    if (first === undefined || second === undefined) throw new Error('there are two')
    const looksOfFirst = async (): Promise<number> => {
      const before = first.telemetry.of('leases.listed').length
      await world.clock.advance(10 * acquireIntervalMs)
      return first.telemetry.of('leases.listed').length - before
    }
    await first.processor.start()
    await world.clock.advance(1_000)
    expect(await looksOfFirst()).toBe(2)
    await second.processor.start()
    await world.clock.advance(3 * acquireIntervalMs)
    expect(await counts(world)).toEqual([1, 1])
    expect(await looksOfFirst()).toBeGreaterThanOrEqual(10)
    await stopAll([first, second])
  })

  it('shares work among more instances than partitions when each partition has several leases', async () => {
    const world = await processorWorld(door, { partitionCount: 1 })
    const started = await Promise.all(
      ['one', 'two', 'three'].map((name) => world.instance(name, { leasesPerFeedRange: 6 })),
    )
    for (const id of Array.from({ length: 30 }, (_, index) => `before-${index}`)) await world.put(id)
    for (const { processor } of started) await processor.start()
    await world.clock.advance(3 * acquireIntervalMs)
    expect(await counts(world)).toEqual([2, 2, 2])
    const ids = Array.from({ length: 30 }, (_, index) => `after-${index}`)
    for (const id of ids) await world.put(id)
    await world.clock.advance(10_000)
    world.split('0')
    for (const id of ids) await world.put(`${id}-split`)
    await world.clock.advance(10_000)
    const delivered = started.map((instance) => instance.delivered)
    expect(new Set(delivered.flat()).size).toBe(90)
    expect(delivered.flat()).toHaveLength(90)
    for (const own of delivered) expect(own.length).toBeGreaterThan(5)
    await stopAll(started)
  })

  it('recreates leases that were deleted, and loses no change (F-L23)', async () => {
    const world = await processorWorld(door, { partitionCount: 2 })
    const one = await world.instance('one', { startFrom: 'now' })
    await one.processor.start()
    await world.clock.advance(5_000)
    for (const id of ['1', '2', '3', '4', '5', '6']) await world.put(id)
    await world.clock.advance(5_000)
    const store = await world.leaseStore()
    const { leases } = await store.list()
    for (const lease of leases) await store.delete(lease)
    for (const id of ['7', '8', '9', '10', '11', '12']) await world.put(id)
    await world.clock.advance(6 * 60_000)
    expect(Object.values(await world.owners())).toEqual(['one', 'one'])
    expect(one.telemetry.of('lease.recreated')).toHaveLength(2)
    expect(new Set(one.delivered).size).toBe(12)
    await stopAll([one])
  })

  it('owns its leases again within one acquire interval after an hour without instances', async () => {
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

describe('two living processes with one instance name (R133, R153, F-L16)', () => {
  it('cause an error, and one of them waits until the other is gone', async () => {
    const world = await processorWorld('engine ports', { partitionCount: 2 })
    const twins = [await world.instance('same'), await world.instance('same')] as const
    for (const { processor } of twins) await processor.start()
    await world.clock.advance(120_000)
    const held = twins.map(({ notifications }) => {
      const acquired = notifications.filter((line) => line.startsWith('acquired')).length
      return acquired - notifications.filter((line) => line.startsWith('released')).length
    })
    expect([...held].sort()).toEqual([0, 2])
    const failures = twins.flatMap(({ telemetry }) => telemetry.of('feed.failed'))
    expect(String(failures[0]?.error)).toMatch(/instanceName "same" is used by two running processes/)
    const [working, waiting] = held[0] === 2 ? twins : [twins[1], twins[0]]
    working.cutOff()
    await world.clock.advance(150_000)
    await world.put('1')
    await world.clock.advance(5_000)
    expect(waiting.delivered).toEqual(['1'])
    await waiting.processor.stop()
  })
})

describe('an instance beside a .NET host (§9b)', () => {
  const dotNet = 'dotnet-1'

  /**
   * Returns a world in which a .NET host owns every lease. Renews as .NET does, which writes properties back
   * unread.
   */
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

  it('steals a lease from the .NET host after two renew intervals, and only up to its share', async () => {
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

  it('releases a lease that the .NET host overwrites, and delivers nothing from it (§4.4)', async () => {
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

  it('takes only its share from a .NET host that renews with timestamps in the past', async () => {
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
