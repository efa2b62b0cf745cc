import { describe, expect, it } from 'vitest'
import {
  ChangeFeedProcessor,
  DelegateError,
  FeedError,
  type ChangeFeedContext,
  type ChangeFeedProcessorOptions,
} from '../../../src/change-feed-processor/index.js'
import { seededRandom } from '../../../src/platform/index.js'
import { TelemetryRecorder } from '../../../src/telemetry/index.js'
import { cosmosWorld, doors, type CosmosWorld } from '../../support/cosmos-world.js'
import { processorWorld } from '../../support/processor-world.js'

type Document = Record<string, unknown>

/** A processor of its own unit on the world's containers, with the changes delivered to it. */
function processorOf(world: CosmosWorld, options: Partial<ChangeFeedProcessorOptions<Document>> = {}) {
  const delivered: string[] = []
  const telemetry = new TelemetryRecorder()
  const processor = new ChangeFeedProcessor<Document>(
    {
      monitoredContainer: world.monitoredContainer,
      leaseContainer: world.leaseContainer,
      processorName: 'orders',
      instanceName: 'one',
      startFrom: 'beginning',
      telemetry,
      onChanges: (changes: readonly { readonly id: string }[]) =>
        void delivered.push(...changes.map(({ id }) => id)),
      ...options,
    },
    { clock: world.clock, random: seededRandom(1) },
  )
  return { processor, delivered, telemetry }
}

describe('units that share a container', () => {
  it('each receive every change and share only the lease container (R138, R152, R158)', async () => {
    const world = await cosmosWorld('SDK in process', { partitionCount: 2 })
    const names = ['scheduler', 'agents', 'supervisor']
    const units = names.map((processorName) => processorOf(world, { processorName }))
    for (const { processor } of units) await processor.start()
    for (const id of ['a', 'b', 'c']) await world.put(id)
    await world.clock.advance(6_000)
    for (const { delivered } of units) expect(delivered.toSorted()).toEqual(['a', 'b', 'c'])
    const [first, ...others] = units
    await first?.processor.stop()
    await world.put('d')
    await world.clock.advance(6_000)
    expect(first?.delivered).not.toContain('d')
    for (const { delivered } of others) expect(delivered).toContain('d')
    for (const name of names) {
      const { leases } = await (await world.leaseStore(name)).list()
      const owner = name === 'scheduler' ? null : 'one'
      expect(leases.map((lease) => lease.owner)).toEqual([owner, owner])
    }
    for (const { processor } of others) await processor.stop()
  })

  it('may keep their leases in another account (R132)', async () => {
    const [world, elsewhere] = [await cosmosWorld('engine ports'), await cosmosWorld('engine ports')]
    const { leaseContainer } = elsewhere
    const one = processorOf(world, { leaseContainer })
    await one.processor.start()
    await world.put('a')
    await world.clock.advance(1_000)
    expect(one.delivered).toEqual(['a'])
    await one.processor.stop()
    const next = processorOf(world, { leaseContainer, instanceName: 'two' })
    await next.processor.start()
    await world.put('b')
    await world.clock.advance(1_000)
    expect(next.delivered, 'from the position kept there').toEqual(['b'])
    const count = async ({ leaseContainer: container }: CosmosWorld): Promise<number> =>
      (await container.items.readAll().fetchAll()).resources.length
    expect(await count(world)).toBe(0)
    expect(await count(elsewhere)).toBeGreaterThan(0)
    await next.processor.stop()
  })

  it('are described by their leases alone: the owner and position of each range (R136)', async () => {
    const world = await cosmosWorld('SDK in process', { partitionCount: 2 })
    const { processor, telemetry } = processorOf(world)
    await processor.start()
    for (const id of ['a', 'b', 'c', 'd']) await world.put(id)
    await world.clock.advance(20_000)
    const { leases } = await (await world.leaseStore('orders')).list()
    expect(leases.map(({ owner }) => owner)).toEqual(['one', 'one'])
    const stored = new Map(
      telemetry.of('checkpoint.stored').map((event) => [event.leaseToken, event.continuationToken]),
    )
    for (const { leaseToken, continuationToken } of leases)
      expect(continuationToken).toBe(stored.get(leaseToken))
    await processor.stop()
  })
})

describe('a processor (R130, R137)', () => {
  it('delivers nothing before its start or after its stop', async () => {
    const world = await cosmosWorld('engine ports')
    const { processor, delivered } = processorOf(world)
    await world.put('a')
    await world.clock.advance(60_000)
    expect(delivered).toEqual([])
    await processor.start()
    await world.clock.advance(1_000)
    expect(delivered).toEqual(['a'])
    await processor.stop()
    await world.put('b')
    await world.clock.advance(60_000)
    expect(delivered).toEqual(['a'])
    expect(world.clock.pendingTimers).toBe(0)
  })
})

describe.each(doors)('a unit on %s', (door) => {
  it('reads its ranges in parallel: a delegate that hangs delays no other range (R134, R135)', async () => {
    const world = await processorWorld(door, { partitionCount: 2 })
    const pages: (readonly string[])[] = []
    const one = await world.instance('one', {
      onChanges: (changes, { leaseToken }) => {
        pages.push(changes.map(({ id }) => id))
        return leaseToken === '0' ? new Promise<void>(() => undefined) : undefined
      },
    })
    for (let index = 0; index < 20; index += 1) await world.put(`d${index}`)
    await one.processor.start()
    await world.clock.advance(1_000)
    const ofTheOther = one.delivered.length
    expect(ofTheOther).toBeGreaterThan(0)
    expect(pages.flat().length, 'the page of the one that hangs, too').toBeGreaterThan(ofTheOther)
    for (let index = 20; index < 40; index += 1) await world.put(`d${index}`)
    await world.clock.advance(6_000)
    expect(one.delivered.length).toBeGreaterThan(ofTheOther)
    const stopped = one.processor.stop()
    await world.clock.advance(60_000)
    await stopped
  })

  it('reads, delivers, stores its position, and polls less often while nothing changes (R140)', async () => {
    const world = await processorWorld(door)
    await world.put('a')
    const one = await world.instance('one', {
      checkpointInterval: 0,
      pollInterval: { min: 1_000, max: 8_000 },
    })
    await one.processor.start()
    await world.clock.advance(500)
    expect(one.delivered).toEqual(['a'])
    const [first] = one.telemetry.of('checkpoint.stored')
    expect(first).toBeDefined()
    await world.clock.advance(60_000)
    await world.put('b')
    await world.clock.advance(900)
    expect(one.delivered, 'it rests').toEqual(['a'])
    await world.clock.advance(7_100)
    expect(one.delivered).toEqual(['a', 'b'])
    const positions = one.telemetry.of('checkpoint.stored').map((event) => event.continuationToken)
    expect(positions.at(-1)).not.toBe(first?.continuationToken)
    await one.processor.stop()
  })

  it('delivers a page again until its delegate accepts it, and no later page meanwhile (R142)', async () => {
    const world = await processorWorld(door)
    for (const id of ['a', 'b', 'c']) await world.put(id)
    const pages: string[][] = []
    const one = await world.instance('one', {
      maxItemCount: 2,
      onChanges: (changes) => {
        pages.push(changes.map(({ id }) => id))
        if (pages.length <= 3) throw new Error('not yet')
      },
    })
    await one.processor.start()
    await world.clock.advance(60_000)
    expect(pages).toEqual([['a', 'b'], ['a', 'b'], ['a', 'b'], ['a', 'b'], ['c']])
    await one.processor.stop()
  })

  it('delivers only the latest version of a document that changed several times (R145)', async () => {
    const world = await processorWorld(door)
    for (const version of [1, 2, 3]) await world.put('a', { version })
    const versions: unknown[] = []
    const one = await world.instance('one', {
      onChanges: (changes) => void versions.push(...changes.map((change) => change['version'])),
    })
    await one.processor.start()
    await world.clock.advance(1_000)
    expect(versions).toEqual([3])
    await one.processor.stop()
  })

  it('tells its delegate the lease, charge and session, and aborts it on lease loss (R139)', async () => {
    const world = await processorWorld(door)
    const contexts: ChangeFeedContext[] = []
    const one = await world.instance('one', {
      onChanges: (_changes, context) => {
        contexts.push(context)
        return new Promise<void>((resolve) => context.signal.addEventListener('abort', () => resolve()))
      },
    })
    await one.processor.start()
    await world.put('a')
    await world.clock.advance(6_000)
    const [context] = contexts
    expect(context).toMatchObject({ leaseToken: '0', sessionToken: expect.stringMatching(/^0:/) as string })
    expect(context?.requestCharge).toBeGreaterThan(0)
    expect(context?.signal.aborted).toBe(false)
    one.cutOff()
    await world.clock.advance(60_000)
    expect(context?.signal.aborted).toBe(true)
  })

  it('delivers a failed first page again, also on another instance (R143)', async () => {
    const world = await processorWorld(door)
    await world.put('first')
    const one = await world.instance('one', {
      onChanges: () => {
        throw new Error('not yet')
      },
    })
    await one.processor.start()
    await world.clock.advance(1_000)
    expect(one.telemetry.of('delegate.failed').length).toBeGreaterThan(0)
    await one.processor.stop()
    const two = await world.instance('two', { startFrom: 'now' })
    await two.processor.start()
    await world.clock.advance(1_000)
    expect(two.delivered).toEqual(['first'])
    await two.processor.stop()
  })

  it.each<[string, 'now' | 'beginning' | number, readonly string[]]>([
    ['R159: what comes after it', 'now', ['late']],
    ['R160: what comes after a time', 30_000, ['middle', 'late']],
    ['R161: everything', 'beginning', ['early', 'middle', 'late']],
  ])('keeps the starting point of its first start: %s (R162)', async (_name, start, seen) => {
    const world = await processorWorld(door)
    const startFrom = typeof start === 'number' ? new Date(world.clock.now() + start) : start
    await world.clock.advance(20_000)
    await world.put('early')
    await world.clock.advance(20_000)
    await world.put('middle')
    await world.clock.advance(20_000)
    // The first start sets the starting point, and reads nothing.
    const one = await world.instance('one', { startFrom })
    await one.processor.start()
    await one.processor.stop()
    await world.put('late')
    const other = startFrom === 'beginning' ? 'now' : 'beginning'
    const two = await world.instance('two', { startFrom: other })
    await two.processor.start()
    await world.clock.advance(2_000)
    expect([...one.delivered, ...two.delivered]).toEqual(seen)
    await two.processor.stop()
  })
})

describe('the notifications of a processor', () => {
  it('report each acquired lease, and each released lease with the reason (R146, R147)', async () => {
    const world = await processorWorld('engine ports')
    const one = await world.instance('one')
    await one.processor.start()
    await world.clock.advance(1_000)
    await one.processor.stop()
    expect(one.notifications).toEqual(['acquired 0', 'released 0: Shutdown'])
    const two = await world.instance('two')
    await two.processor.start()
    await world.clock.advance(1_000)
    two.cutOff()
    await world.clock.advance(60_000)
    const ofLeases = two.notifications.filter((line) => !line.startsWith('error'))
    expect(ofLeases).toEqual(['acquired 0', 'released 0: LeaseLost'])
  })

  it('report every error and its source; without a listener, telemetry does (R148, R149)', async () => {
    const world = await cosmosWorld('engine ports')
    const feed = world.feed()
    let isFeedBroken = false
    const monitoredContainer = Object.assign(Object.create(feed) as typeof feed, {
      readNext: (...request: Parameters<typeof feed.readNext>) =>
        isFeedBroken ? Promise.reject(new Error('the feed is broken')) : feed.readNext(...request),
    })
    const failing = {
      monitoredContainer,
      leaseContainer: await world.leaseStore('orders'),
      onChanges: () => {
        if (!isFeedBroken) throw new Error('the shop is closed')
      },
    }
    const heard: Error[] = []
    const { processor, telemetry } = processorOf(world, {
      ...failing,
      onError: (_leaseToken, error) => void heard.push(error),
    })
    await world.put('a')
    await processor.start()
    await world.clock.advance(1_000)
    expect(heard[0]).toBeInstanceOf(DelegateError)
    expect(heard[0]).toMatchObject({ cause: { message: 'the shop is closed' } })
    isFeedBroken = true
    await world.clock.advance(60_000)
    expect(heard.at(-1)).toBeInstanceOf(FeedError)
    expect(heard.at(-1)).toMatchObject({ cause: { message: 'the feed is broken' } })
    expect(telemetry.of('feed.failed').length).toBeGreaterThan(0)
    await processor.stop()

    isFeedBroken = false
    await world.put('b')
    const silent = processorOf(world, { ...failing, instanceName: 'two' })
    await silent.processor.start()
    await world.clock.advance(1_000)
    expect(silent.telemetry.of('delegate.failed').length).toBeGreaterThan(0)
    await silent.processor.stop()
  })
})
