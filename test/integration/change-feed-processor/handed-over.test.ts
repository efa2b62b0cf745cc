import { beforeEach, describe, expect, it } from 'vitest'
import { doors } from '../../support/cosmos-world.js'
import { longestGap, seenBy } from '../../support/lease-gaps.js'
import { processorWorld, type ProcessorWorld } from '../../support/processor-world.js'

const ended = new Set<string>()
beforeEach(() => ended.clear())

async function joined(world: ProcessorWorld) {
  const first = await world.instance('first', { processes: seenBy('machine.1.1', ended) })
  await first.processor.start()
  await world.clock.advance(20_000)
  const second = await world.instance('second', { processes: seenBy('machine.2.1', ended) })
  await second.processor.start()
  await world.clock.advance(1_500)
  expect(second.telemetry.of('lease.requested')).toHaveLength(2)
  return { first, second }
}

describe.each(doors)('a lease that an instance requests, on %s', (door) => {
  it('has a reader until shortly before the instance takes it (R156)', async () => {
    const world = await processorWorld(door, { partitionCount: 4 })
    const { first, second } = await joined(world)
    expect(await longestGap(world, { seconds: 40 })).toBeLessThanOrEqual(4)
    expect(Object.values(await world.owners()).sort()).toEqual(['first', 'first', 'second', 'second'])
    await first.processor.stop()
    await second.processor.stop()
  })

  it('stays with its owner if the instance stops before it takes the lease (F-L32)', async () => {
    const world = await processorWorld(door, { partitionCount: 4 })
    const { first, second } = await joined(world)
    await second.processor.stop()
    expect(await longestGap(world, { seconds: 90 })).toBe(0)
    expect(first.telemetry.of('lease.released')).toEqual([])
    await first.processor.stop()
  })

  it('stays with its owner if the process of the instance is killed before the hand-over (F-L32)', async () => {
    const world = await processorWorld(door, { partitionCount: 4 })
    const { first, second } = await joined(world)
    second.cutOff()
    ended.add('machine.2.1')
    expect(await longestGap(world, { seconds: 90 })).toBe(0)
    expect(first.telemetry.of('lease.released')).toEqual([])
    const { leases } = await (await world.leaseStore()).list()
    expect(leases.map(({ handover }) => handover)).toEqual([null, null, null, null])
    await first.processor.stop()
  })

  it('is taken within a second if the process is killed after the lease was handed over (F-L32)', async () => {
    const world = await processorWorld(door, { partitionCount: 4 })
    const { first, second } = await joined(world)
    second.cutOff()
    while (!Object.values(await world.owners()).includes(null)) await world.clock.advance(500)
    ended.add('machine.2.1')
    await world.clock.advance(1_000)
    expect(new Set(Object.values(await world.owners()))).toEqual(new Set(['first']))
    await first.processor.stop()
  })

  it('is free for all if the instance stops after the lease was handed over (F-L32)', async () => {
    const world = await processorWorld(door, { partitionCount: 4 })
    const { first, second } = await joined(world)
    while (!Object.values(await world.owners()).includes(null)) await world.clock.advance(500)
    await second.processor.stop()
    expect(await longestGap(world, { seconds: 60 })).toBeLessThanOrEqual(17)
    expect(new Set(Object.values(await world.owners()))).toEqual(new Set(['first']))
    await first.processor.stop()
  })
})
