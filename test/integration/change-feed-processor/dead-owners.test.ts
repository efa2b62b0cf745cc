import { beforeEach, describe, expect, it } from 'vitest'
import type { Lease, LeaseStore } from '../../../lease-store/index.js'
import { ChangeFeedProcessor, type ChangeFeedDelegate } from '../../../src/change-feed-processor/index.js'
import { seededRandom } from '../../../src/platform/index.js'
import { doors } from '../../support/cosmos-world.js'
import { seenBy as seen } from '../../support/lease-gaps.js'
import { processorWorld } from '../../support/processor-world.js'

const ended = new Set<string>()
beforeEach(() => ended.clear())

const seenBy = (own: string) => seen(own, ended)

const numbered = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`)

describe.each(doors)('the leases of a killed process, on %s', (door) => {
  it('are freed and taken by its successor at once (F-L31)', async () => {
    const world = await processorWorld(door, { partitionCount: 2 })
    const killed = await world.instance('worker', { processes: seenBy('machine.1.1') })
    await killed.processor.start()
    for (const id of numbered(4, 'before')) await world.put(id)
    await world.clock.advance(10_000)
    killed.cutOff()
    ended.add('machine.1.1')
    const heir = await world.instance('heir', { processes: seenBy('machine.2.1') })
    for (const id of numbered(4, 'after')) await world.put(id)
    await heir.processor.start()
    await world.clock.advance(1_000)
    expect(await world.owners()).toEqual({ 0: 'heir', 1: 'heir' })
    expect([...heir.delivered].sort()).toEqual(numbered(4, 'after'))
    expect(heir.telemetry.of('lease.freed').map(({ owner }) => owner)).toEqual(['worker', 'worker'])
    await heir.processor.stop()
  })

  it('are taken by a process that runs already, within a second and without a request (F-L31)', async () => {
    const world = await processorWorld(door, { partitionCount: 2 })
    const killed = await world.instance('one', { processes: seenBy('machine.3.1') })
    const other = await world.instance('two', { processes: seenBy('machine.4.1') })
    await killed.processor.start()
    await other.processor.start()
    await world.clock.advance(60_000)
    expect(Object.values(await world.owners()).sort()).toEqual(['one', 'two'])
    const listings = other.telemetry.of('leases.listed').length
    await world.clock.advance(3_000)
    killed.cutOff()
    ended.add('machine.3.1')
    await world.clock.advance(1_000)
    expect(await world.owners()).toEqual({ 0: 'two', 1: 'two' })
    expect(other.telemetry.of('leases.listed').length - listings).toBeLessThan(5)
    await other.processor.stop()
  })

  it('are freed by a later try if the store refuses the first one (F-L31)', async () => {
    const world = await processorWorld(door)
    const killed = await world.instance('one', { processes: seenBy('machine.9.1') })
    await killed.processor.start()
    const inner = await world.leaseStore()
    let refusals = 1
    const refusing: LeaseStore = new Proxy(inner, {
      get: (target, name): unknown => {
        if (name !== 'replace') return Reflect.get(target, name)
        return async (lease: Lease) => {
          if (lease.owner === null && (refusals -= 1) === 0) throw new Error('not now')
          return target.replace(lease)
        }
      },
    })
    const other = new ChangeFeedProcessor(
      {
        monitoredContainer: world.feed(),
        leaseContainer: refusing,
        processorName: 'unit',
        instanceName: 'two',
        onChanges: () => undefined,
      },
      { clock: world.clock, random: seededRandom(9), processes: seenBy('machine.10.1') },
    )
    await other.start()
    await world.clock.advance(3_000)
    killed.cutOff()
    ended.add('machine.9.1')
    await world.clock.advance(2_000)
    expect([refusals < 1, await world.owners()]).toEqual([true, { 0: 'two' }])
    await other.stop()
  })

  it('stay with it if it runs, or runs on another machine (F-L31)', async () => {
    const world = await processorWorld(door)
    const silent = await world.instance('silent', { processes: seenBy('machine.5.1') })
    await silent.processor.start()
    await world.clock.advance(1_000)
    silent.cutOff()
    const near = await world.instance('near', { processes: seenBy('machine.6.1') })
    const far = await world.instance('far', {
      processes: { own: 'far.1.1', isNeighbour: () => false, hasEnded: () => false },
    })
    await near.processor.start()
    await far.processor.start()
    await world.clock.advance(30_000)
    expect(await world.owners()).toEqual({ 0: 'silent' })
    await world.clock.advance(60_000)
    expect(await world.owners()).not.toEqual({ 0: 'silent' })
    await near.processor.stop()
    await far.processor.stop()
  })

  it('deliver again the changes on which it still worked, but store no earlier position (F-A31)', async () => {
    const world = await processorWorld(door)
    const works: ChangeFeedDelegate<Record<string, unknown>> = (changes, { keepForSuccessor }) => {
      const done = keepForSuccessor?.()
      if (!changes.some(({ id }) => id === 'long')) done?.()
    }
    const start = { checkpointInterval: 0, maxItemCount: 1, onChanges: works }
    const killed = await world.instance('worker', { ...start, processes: seenBy('machine.7.1') })
    await killed.processor.start()
    for (const id of ['first', 'long', 'next', 'last']) await world.put(id)
    await world.clock.advance(5_000)
    const before = await (await world.leaseStore()).read('0')
    killed.cutOff()
    ended.add('machine.7.1')
    const positions: (string | null | undefined)[] = []
    const onChanges: ChangeFeedDelegate<Record<string, unknown>> = async () => {
      positions.push((await (await world.leaseStore()).read('0'))?.continuationToken)
    }
    const heir = await world.instance('heir', { ...start, onChanges, processes: seenBy('machine.8.1') })
    await heir.processor.start()
    await world.clock.advance(5_000)
    expect(heir.delivered).toEqual(['long', 'next', 'last'])
    expect(new Set(positions)).toEqual(new Set([before?.continuationToken]))
    await heir.processor.stop()
    expect(await (await world.leaseStore()).read('0')).toMatchObject({ unfinishedFrom: null })
    const later = await world.instance('later', start)
    await later.processor.start()
    await world.clock.advance(5_000)
    expect(later.delivered).toEqual([])
    await later.processor.stop()
  })
})
