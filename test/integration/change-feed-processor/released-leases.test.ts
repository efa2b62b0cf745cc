import { expect, it } from 'vitest'
import { acquire, release } from '../../../lease-store/index.js'
import type { ChangeFeedDelegate } from '../../../src/change-feed-processor/index.js'
import { doors } from '../../support/cosmos-world.js'
import { processorWorld } from '../../support/processor-world.js'

/** Notes for each change whether certainly no other instance held its lease when it was made. */
function noting(): { readonly alone: Map<unknown, boolean>; readonly onChanges: ChangeFeedDelegate<object> } {
  const alone = new Map<unknown, boolean>()
  const onChanges: ChangeFeedDelegate<object> = (changes, { wasHeldAt }) => {
    for (const change of changes) alone.set(Reflect.get(change, 'id'), wasHeldAt(change._ts))
  }
  return { alone, onChanges }
}

it.each(doors)(
  'a change that was made after the release of a lease is certainly of its next owner, on %s (F-L7)',
  async (door) => {
    const world = await processorWorld(door)
    const first = await world.instance('first', { report: () => ({}) })
    await first.processor.start()
    await world.put('before')
    await world.clock.advance(2_000)
    await world.put('last')
    await first.processor.stop()
    await world.clock.advance(2_000)
    await world.put('between')
    await world.clock.advance(2_000)
    const { alone, onChanges } = noting()
    const second = await world.instance('second', { onChanges })
    await second.processor.start()
    await world.clock.advance(2_000)
    await world.put('after')
    await world.clock.advance(6_000)
    expect(Object.fromEntries(alone)).toEqual({ last: false, between: true, after: true })
    await second.processor.stop()
  },
)

it.each(doors)(
  'a change that was made before a lease had its first owner may be of the owner of a deleted lease, on %s (F-L7)',
  async (door) => {
    const world = await processorWorld(door)
    const ill = await world.instance('ill', { unhealthyReason: () => 'ill', startFrom: 'beginning' })
    await ill.processor.start()
    await world.clock.advance(2_000)
    await world.put('early')
    await world.clock.advance(2_000)
    const { alone, onChanges } = noting()
    const well = await world.instance('well', { onChanges, startFrom: 'beginning' })
    await well.processor.start()
    await world.clock.advance(6_000)
    expect(Object.fromEntries(alone)).toEqual({ early: false })
    await Promise.all([ill.processor.stop(), well.processor.stop()])
  },
)

/** A .NET host takes leases of living owners, and these notice it at their next renewal. It stops and releases the lease. */
it('at most one instance gets true for a change that was made after a .NET host had stolen and released the lease', async () => {
  const world = await processorWorld('engine ports')
  const first = noting()
  const one = await world.instance('one', { onChanges: first.onChanges, pollInterval: '1s' })
  await one.processor.start()
  await world.put('zero')
  await world.clock.advance(8_000)
  const store = await world.leaseStore()
  const [lease] = (await store.list()).leases
  if (lease === undefined) throw new Error('no lease')
  const stolen = await store.replace({
    ...acquire(lease, { instanceName: 'dotnet', incarnation: 'x' }, world.clock.now()),
    incarnation: null,
  })
  if (stolen.kind !== 'written') throw new Error('not stolen')
  const freed = await store.replace(release(stolen.lease, world.clock.now()))
  if (freed.kind !== 'written') throw new Error('not freed')
  await world.clock.advance(2_000)
  await world.put('between')
  const second = noting()
  const two = await world.instance('two', { onChanges: second.onChanges, pollInterval: '1s' })
  await two.processor.start()
  await world.clock.advance(3_000)
  expect([first.alone.get('between'), second.alone.get('between')].filter(Boolean)).toHaveLength(1)
  await Promise.all([one.processor.stop(), two.processor.stop()])
})
