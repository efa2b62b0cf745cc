import { describe, expect, it } from 'vitest'
import { ContainerReplacedError, type FeedError } from '../../../src/change-feed-processor/index.js'
import { doors } from '../../support/cosmos-world.js'
import { processorWorld, type ProcessorWorld } from '../../support/processor-world.js'

const numbered = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`)

async function replaced({ monitoredContainer }: ProcessorWorld): Promise<void> {
  await monitoredContainer.delete()
  await monitoredContainer.database.containers.create({ id: 'orders', partitionKey: '/pk' })
}

describe.each(doors)('a container that is replaced while a processor runs, on %s', (door) => {
  it('is not read with the positions of the former container, and is read from its beginning after a new start', async () => {
    const world = await processorWorld(door)
    const former = numbered(20, 'former')
    const one = await world.instance('one')
    await one.processor.start()
    for (const id of former) await world.put(id)
    await world.clock.advance(6_000)
    expect(one.delivered).toEqual(former)

    await replaced(world)
    // More changes than before, so that the positions of the former container also exist in this one.
    const all = numbered(30, 'new')
    for (const id of all) await world.put(id)
    await world.clock.advance(60_000)
    expect(one.delivered).toEqual(former)
    const failures = one.telemetry.of('feed.failed').map(({ error }) => (error as FeedError).cause)
    expect(failures[0]).toBeInstanceOf(ContainerReplacedError)
    expect(String(failures[0])).toMatch(/its resource id was \S+, and is \S+\. .* Start this process again/u)
    await one.processor.stop()

    const two = await world.instance('two')
    await two.processor.start()
    await world.clock.advance(6_000)
    expect(two.delivered).toEqual(all)
    await two.processor.stop()
  })

  it('is not read by an instance that had read nothing before, and takes over the leases', async () => {
    const world = await processorWorld(door)
    const [one, two] = [await world.instance('one'), await world.instance('two')]
    await one.processor.start()
    await two.processor.start()
    for (const id of numbered(20, 'former')) await world.put(id)
    await world.clock.advance(20_000)
    expect([one.delivered.length, two.delivered.length].sort()).toEqual([0, 20])
    await replaced(world)
    for (const id of numbered(30, 'new')) await world.put(id)
    await world.clock.advance(120_000)
    expect([...one.delivered, ...two.delivered]).toEqual(numbered(20, 'former'))
    for (const { telemetry } of [one, two]) expect(telemetry.of('feed.failed')).not.toEqual([])
    for (const { processor } of [one, two]) await processor.stop()
  })

  it('is not read by an instance that was paused since its start', async () => {
    const world = await processorWorld(door)
    for (const id of numbered(20, 'former')) await world.put(id)
    const before = await world.instance('before')
    await before.processor.start()
    await world.clock.advance(20_000)
    await before.processor.stop()
    const paused = await world.instance('paused')
    paused.processor.pause()
    await paused.processor.start()
    await replaced(world)
    for (const id of numbered(30, 'new')) await world.put(id)
    paused.processor.resume()
    await world.clock.advance(60_000)
    expect(paused.delivered).toEqual([])
    expect(paused.telemetry.of('feed.failed')).not.toEqual([])
    await paused.processor.stop()
  })

  it('is not read after a new start with the lease store of the former container', async () => {
    const world = await processorWorld(door)
    const one = await world.instance('one')
    await one.processor.start()
    for (const id of numbered(20, 'former')) await world.put(id)
    await world.clock.advance(20_000)
    await one.processor.stop()
    await replaced(world)
    for (const id of numbered(30, 'new')) await world.put(id)
    await one.processor.start()
    await world.clock.advance(60_000)
    expect(one.delivered).toEqual(numbered(20, 'former'))
    expect(one.telemetry.of('feed.failed')).not.toEqual([])
    await one.processor.stop()
  })
})
