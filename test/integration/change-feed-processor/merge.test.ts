import { describe, expect, it } from 'vitest'
import { doors } from '../../support/cosmos-world.js'
import { processorWorld } from '../../support/processor-world.js'

const numbered = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`)

describe.each(doors)('a change feed processor on %s', (door) => {
  it('loses and repeats no change after a merge and a split (B63, B182, B188, B361, B379)', async () => {
    const world = await processorWorld(door, { partitionCount: 2 })
    for (const id of numbered(20, 'before')) await world.put(id)
    const one = await world.instance('one', { maxItemCount: 3 })
    await one.processor.start()
    await world.clock.advance(10_000)
    world.merge(['0', '1'])
    for (const id of numbered(20, 'after')) await world.put(id)
    await world.clock.advance(10_000)
    world.split('2')
    for (const id of numbered(20, 'later')) await world.put(id)
    await world.clock.advance(10_000)
    const expected = ['before', 'after', 'later'].flatMap((prefix) => numbered(20, prefix))
    expect([...one.delivered].sort()).toEqual([...expected].sort())
    await one.processor.stop()
    expect(one.notifications.filter((line) => line.startsWith('error'))).toEqual([])
    expect(world.clock.pendingTimers).toBe(0)
  })

  it('keeps leases that are named by their bounds unchanged after a merge (B189, B362)', async () => {
    const world = await processorWorld(door, { partitionCount: 2 })
    const one = await world.instance('one', { leasesPerFeedRange: 2 })
    await one.processor.start()
    for (const id of numbered(20, 'before')) await world.put(id)
    await world.clock.advance(10_000)
    const tokens = Object.keys(await world.owners())
    world.merge(['0', '1'])
    for (const id of numbered(20, 'after')) await world.put(id)
    await world.clock.advance(10_000)
    expect(tokens).toHaveLength(4)
    expect(Object.keys(await world.owners())).toEqual(tokens)
    expect([...one.delivered].sort()).toEqual([...numbered(20, 'before'), ...numbered(20, 'after')].sort())
    expect(one.notifications.filter((line) => !line.startsWith('acquired'))).toEqual([])
    await one.processor.stop()
  })

  it('continues after a merge in a new instance that knows only the stored leases', async () => {
    const world = await processorWorld(door, { partitionCount: 2 })
    for (const id of numbered(12, 'before')) await world.put(id)
    const one = await world.instance('one')
    await one.processor.start()
    await world.clock.advance(10_000)
    await one.processor.stop()
    world.merge(['0', '1'])
    for (const id of numbered(12, 'after')) await world.put(id)
    const two = await world.instance('two')
    await two.processor.start()
    await world.clock.advance(30_000)
    expect([...two.delivered].sort()).toEqual([...numbered(12, 'after')].sort())
    await two.processor.stop()
  })
})
