import { expect, it } from 'vitest'
import { FeedHints } from '../../../src/change-feed-processor/internal.js'
import { doors } from '../../support/cosmos-world.js'
import { processorWorld } from '../../support/processor-world.js'

/** Two instances with two leases each. The second one takes hints. */
async function twoInstances(door: (typeof doors)[number], looksAtHints: boolean) {
  const world = await processorWorld(door, { partitionCount: 4 })
  const hints = new FeedHints()
  const first = await world.instance('first')
  const second = await world.instance('second', { hints, looksAtHints })
  await first.processor.start()
  await second.processor.start()
  await world.clock.advance(60_000)
  const owners = Object.entries(await world.owners())
  const ofFirst = owners.flatMap(([token, owner]) => (owner === 'first' ? token : []))
  const ofSecond = owners.flatMap(([token, owner]) => (owner === 'second' ? token : []))
  expect([ofFirst.length, ofSecond.length]).toEqual([2, 2])
  const [other = ''] = ofFirst
  const [own = ''] = ofSecond
  const looks = (): number => second.telemetry.of('leases.listed').length
  const stop = async (): Promise<void> => {
    await Promise.all([first.processor.stop(), second.processor.stop()])
    expect(world.clock.pendingTimers).toBe(0)
  }
  return { world, hints, first, other, own, looks, stop }
}

it.each(doors)(
  'a hint about a released range leads to a look that takes all free leases, on %s',
  async (door) => {
    const { world, hints, first, other, stop } = await twoInstances(door, true)
    await first.processor.stop()
    expect(new Set(Object.values(await world.owners()))).toEqual(new Set([null, 'second']))
    hints.notify(other)
    await world.clock.advance(0)
    expect(new Set(Object.values(await world.owners()))).toEqual(new Set(['second']))
    await stop()
  },
)

it('many hints about ranges of another instance lead to one look a second, the last of them after the last hint', async () => {
  const { world, hints, other, looks, stop } = await twoInstances('engine ports', true)
  const before = looks()
  hints.notify(other)
  await world.clock.advance(0)
  expect(looks()).toBe(before + 1)
  for (let n = 0; n < 9; n += 1) {
    hints.notify(other)
    await world.clock.advance(100)
  }
  expect(looks()).toBe(before + 1)
  await world.clock.advance(100)
  expect(looks()).toBe(before + 2)
  await stop()
})

it('a look that hints led to does not come after a stop', async () => {
  const { world, hints, other, looks, stop } = await twoInstances('engine ports', true)
  hints.notify(other)
  await world.clock.advance(0)
  hints.notify(other)
  await stop()
  const before = looks()
  await world.clock.advance(10_000)
  expect(looks()).toBe(before)
})

it.each([
  ['about an own range', ({ own }: { own: string }) => own, true],
  ['about an unknown range', () => null, true],
  ['about a range of another instance, without the option,', ({ other }: { other: string }) => other, false],
] as const)('a hint %s leads to no look at the leases', async (_case, range, looksAtHints) => {
  const { world, hints, looks, stop, ...ranges } = await twoInstances('engine ports', looksAtHints)
  const before = looks()
  hints.notify(range(ranges))
  await world.clock.advance(0)
  expect(looks()).toBe(before)
  await stop()
})

it('an instance that holds all leases does not look, also if its ranges are finer than those of the hints', async () => {
  const world = await processorWorld('engine ports', { partitionCount: 2 })
  const hints = new FeedHints()
  const one = await world.instance('one', { hints, looksAtHints: true, leasesPerFeedRange: 2 })
  await one.processor.start()
  await world.clock.advance(60_000)
  const before = one.telemetry.of('leases.listed').length
  hints.notify('0')
  await world.clock.advance(0)
  expect(one.telemetry.of('leases.listed')).toHaveLength(before)
  await one.processor.stop()
})
