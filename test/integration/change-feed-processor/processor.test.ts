import { describe, expect, it } from 'vitest'
import { FeedHints } from '../../../src/change-feed-processor/internal.js'
import { doors } from '../../support/cosmos-world.js'
import { processorWorld } from '../../support/processor-world.js'

const numbered = (count: number, prefix = 'd'): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`)

describe.each(doors)('a change feed processor on %s', (door) => {
  it('delivers every change once and reports its leases (B20, B174, B238, B246, B247, B314)', async () => {
    const world = await processorWorld(door, { partitionCount: 3 })
    const all = numbered(30)
    for (const id of all) await world.put(id)
    const one = await world.instance('one', { maxItemCount: 4 })
    await one.processor.start()
    await world.clock.advance(1_000)
    expect([...one.delivered].sort()).toEqual([...all].sort())
    expect(await world.owners()).toEqual({ 0: 'one', 1: 'one', 2: 'one' })
    await one.processor.stop()
    expect(await world.owners()).toEqual({ 0: null, 1: null, 2: null })
    expect(one.notifications.filter((line) => line.startsWith('acquired'))).toHaveLength(3)
    expect(one.notifications.filter((line) => line.endsWith('Shutdown'))).toHaveLength(3)
    expect(world.clock.pendingTimers).toBe(0)
  })

  it('gives up its leases before another instance may take them', async () => {
    const world = await processorWorld(door)
    const one = await world.instance('one')
    const two = await world.instance('two')
    for (const { processor } of [one, two]) await processor.start()
    await world.clock.advance(20_000)
    const [owner, other] = (await world.owners())['0'] === 'one' ? [one, two] : [two, one]
    owner.cutOff()
    const cutAtMs = world.clock.monotonic()
    await world.clock.advanceUntil(() => owner.telemetry.of('lease.released').length > 0, 60_000)
    expect(world.clock.monotonic() - cutAtMs).toBeLessThanOrEqual(55_000)
    expect(other.telemetry.of('lease.acquired')).toEqual([])
    await world.clock.advanceUntil(() => other.telemetry.of('lease.acquired').length > 0, 60_000)
    expect(world.clock.monotonic() - cutAtMs).toBeLessThanOrEqual(60_000 + 17_000 + 2_000)
    expect(other.telemetry.of('lease.acquired')).toMatchObject([{ takenFrom: expect.any(String) as string }])
  })

  it('keeps the order within a partition key', async () => {
    const world = await processorWorld(door, { partitionCount: 2 })
    const one = await world.instance('one', { maxItemCount: 2 })
    await one.processor.start()
    for (const id of numbered(10)) await world.put(id, { pk: 'same' })
    await world.clock.advance(6_000)
    expect(one.delivered).toEqual(numbered(10))
    await one.processor.stop()
  })

  it('creates one set of leases when two instances start at once', async () => {
    const world = await processorWorld(door, { partitionCount: 4 })
    const instances = [await world.instance('one'), await world.instance('two')]
    const starting = Promise.all(instances.map((instance) => instance.processor.start()))
    await world.clock.advance(3_000)
    await starting
    expect(Object.keys(await world.owners()).sort()).toEqual(['0', '1', '2', '3'])
    for (const id of numbered(20)) await world.put(id)
    await world.clock.advance(40_000)
    expect(Object.values(await world.owners()).sort()).toEqual(['one', 'one', 'two', 'two'])
    const delivered = instances.flatMap((instance) => instance.delivered)
    expect(new Set(delivered)).toEqual(new Set(numbered(20)))
    for (const { processor } of instances) await processor.stop()
    expect(world.clock.pendingTimers).toBe(0)
  })

  it('delivers exactly the changes after its start when it starts from now (B15)', async () => {
    const world = await processorWorld(door)
    await world.put('before')
    const one = await world.instance('one', { startFrom: 'now' })
    await one.processor.start()
    await world.put('after')
    await world.clock.advance(1_000)
    expect(one.delivered).toEqual(['after'])
    await one.processor.stop()
  })

  it('starts from a given time (B22, B315)', async () => {
    const world = await processorWorld(door)
    await world.put('early')
    await world.clock.advance(60_000)
    const startFrom = new Date(world.clock.now())
    await world.put('late')
    const one = await world.instance('one', { startFrom })
    await one.processor.start()
    await world.clock.advance(1_000)
    expect(one.delivered).toEqual(['late'])
    await one.processor.stop()
  })

  it('is taken over after a crash within expiration, acquire interval and 6 s (R167)', async () => {
    const world = await processorWorld(door, { partitionCount: 2 })
    const one = await world.instance('one')
    await one.processor.start()
    await world.put('first')
    await world.clock.advance(20_000)
    one.cutOff()
    const two = await world.instance('two')
    await two.processor.start()
    await world.put('second')
    const isTaken = await world.clock.advanceUntil(
      () => two.delivered.includes('second') && two.telemetry.of('lease.acquired').length === 2,
      60_000 + 17_000 + 6_000,
    )
    expect(isTaken).toBe(true)
    expect(await world.owners()).toEqual({ 0: 'two', 1: 'two' })
    expect(two.delivered).toEqual(['second'])
    // The first instance was only cut off: it has given up its leases by itself.
    expect(one.notifications.filter((line) => line.startsWith('released')).sort()).toEqual([
      'released 0: LeaseLost',
      'released 1: LeaseLost',
    ])
  })

  it('spreads its leases over instances that join, and over those that remain', async () => {
    const world = await processorWorld(door, { partitionCount: 6 })
    const instances = []
    for (const name of ['one', 'two', 'three']) {
      const instance = await world.instance(name)
      await instance.processor.start()
      instances.push(instance)
      await world.clock.advance(120_000)
    }
    const owners = Object.values(await world.owners()).sort()
    expect(owners).toEqual(['one', 'one', 'three', 'three', 'two', 'two'])
    for (const id of numbered(60)) await world.put(id)
    await world.clock.advance(10_000)
    const delivered = instances.map((instance) => instance.delivered)
    expect(delivered.flat().sort()).toEqual(numbered(60).sort())
    expect(delivered.every((ids) => ids.length > 0)).toBe(true)
    await instances[0]?.processor.stop()
    await world.clock.advance(20_000)
    expect(Object.values(await world.owners()).sort()).toEqual([
      'three',
      'three',
      'three',
      'two',
      'two',
      'two',
    ])
    for (const { processor } of instances) await processor.stop()
    expect(world.clock.pendingTimers).toBe(0)
  })

  it('delivers a page again until the delegate accepts it, and no later page meanwhile (B207)', async () => {
    const world = await processorWorld(door)
    for (const id of numbered(4)) await world.put(id)
    let failuresLeft = 3
    const one = await world.instance('one', {
      maxItemCount: 2,
      checkpointInterval: 0,
      onChanges: (changes) => {
        if (changes.some((change) => change.id === 'd2') && failuresLeft > 0) {
          failuresLeft -= 1
          throw new Error('not yet')
        }
      },
    })
    await one.processor.start()
    await world.clock.advanceUntil(() => one.telemetry.of('delegate.failed').length === 2, 60_000)
    expect(one.delivered).toEqual(['d0', 'd1'])
    const positions = one.telemetry.of('checkpoint.stored').map((event) => event.continuationToken)
    expect(positions).toHaveLength(1)
    await world.clock.advance(60_000)
    expect(one.delivered).toEqual(numbered(4))
    expect(one.notifications.filter((line) => line === 'error 0: DelegateError')).toHaveLength(3)
    expect(one.telemetry.of('lease.released')).toEqual([])
    await one.processor.stop()
  })

  it('releases its leases on stop, and another instance continues at once from the checkpoint', async () => {
    const world = await processorWorld(door)
    const one = await world.instance('one')
    const two = await world.instance('two')
    await one.processor.start()
    await world.put('first')
    await world.clock.advance(1_000)
    expect(one.delivered).toEqual(['first'])
    await one.processor.stop()
    await world.put('second')
    await two.processor.start()
    await world.clock.advance(200)
    expect(two.delivered).toEqual(['second'])
    await two.processor.stop()
  })

  it('continues where it stopped when the same instance starts again (B40, B353)', async () => {
    const world = await processorWorld(door)
    const one = await world.instance('one')
    for (const id of ['first', 'second', 'third']) {
      await one.processor.start()
      await world.put(id)
      await world.clock.advance(6_000)
      await one.processor.stop()
      await one.processor.stop()
    }
    expect(one.delivered).toEqual(['first', 'second', 'third'])
    expect(world.clock.pendingTimers).toBe(0)
  })

  it('waits on stop for a delegate, but no longer than stopTimeout', async () => {
    const world = await processorWorld(door)
    let signal: AbortSignal | undefined
    const one = await world.instance('one', {
      stopTimeout: 2_000,
      onChanges: (_changes, context) => {
        signal = context.signal
        return new Promise(() => undefined)
      },
    })
    await one.processor.start()
    await world.put('first')
    await world.clock.advanceUntil(() => signal !== undefined, 10_000)
    expect(signal?.aborted).toBe(false)
    let isStopped = false
    const stopping = one.processor.stop().then(() => {
      isStopped = true
    })
    await world.clock.advance(1_999)
    expect([signal?.aborted, isStopped]).toEqual([true, false])
    await world.clock.advance(1)
    await stopping
    expect(await world.owners()).toEqual({ 0: 'one' })
    expect(world.clock.pendingTimers).toBe(0)
  })

  it('delivers at once after a hint', async () => {
    const world = await processorWorld(door, { partitionCount: 2 })
    const hints = new FeedHints()
    const one = await world.instance('one', { hints })
    await one.processor.start()
    await world.clock.advance(60_000)
    await world.put('first')
    await world.clock.advance(0)
    expect(one.delivered).toEqual([])
    hints.notify(null)
    await world.clock.advance(0)
    expect(one.delivered).toEqual(['first'])
    await one.processor.stop()
  })

  it('loses no change in a split, and leaves only the leases of the children (B326)', async () => {
    const world = await processorWorld(door, { partitionCount: 2 })
    const one = await world.instance('one', { maxItemCount: 3 })
    await one.processor.start()
    for (const id of numbered(10, 'a')) await world.put(id)
    await world.clock.advance(1_000)
    world.split('0')
    for (const id of numbered(20, 'b')) await world.put(id)
    await world.clock.advance(20_000)
    expect(new Set(one.delivered)).toEqual(new Set([...numbered(10, 'a'), ...numbered(20, 'b')]))
    expect(await world.owners()).toEqual({ 1: 'one', 2: 'one', 3: 'one' })
    expect(one.notifications).toContain('released 0: Split')
    await one.processor.stop()
    world.split('1')
    for (const id of numbered(20, 'c')) await world.put(id)
    await one.processor.start()
    await world.clock.advance(20_000)
    expect(new Set(one.delivered).size).toBe(50)
    expect(Object.keys(await world.owners()).sort()).toEqual(['2', '3', '4', '5'])
    await one.processor.stop()
    expect(world.clock.pendingTimers).toBe(0)
  })
})
