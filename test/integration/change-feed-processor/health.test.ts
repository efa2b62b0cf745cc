import { beforeEach, describe, expect, it } from 'vitest'
import { HealthMonitor } from '../../../src/change-feed-processor/health.js'
import { VirtualClock } from '../../../src/platform/index.js'
import { deferred } from '../../support/deferred.js'
import { processorWorld } from '../../support/processor-world.js'

const on = { processorName: 'unit', instanceName: 'one', leaseToken: '0' }
const listed = { type: 'leases.listed', processorName: 'unit', instanceName: 'one', count: 1 } as const

describe('HealthMonitor', () => {
  let clock: VirtualClock
  let monitor: HealthMonitor

  beforeEach(() => {
    clock = new VirtualClock()
    monitor = new HealthMonitor(clock, { turnMs: 400, balanceMs: 300, progressMs: 1_000 })
  })

  it('stays healthy after a start until a listing of the leases is overdue', async () => {
    await clock.advance(300)
    expect(monitor.health().isHealthy).toBe(true)
    await clock.advance(1)
    expect(monitor.health().isHealthy).toBe(false)
    monitor.emit(listed)
    expect(monitor.health()).toMatchObject({
      isHealthy: true,
      lastBalance: new Date(clock.now()),
      leases: [],
    })
  })

  it('reports a processor as alive while its balancing loop turns, even if it is unhealthy', async () => {
    await clock.advance(400)
    expect(monitor.health()).toMatchObject({ isAlive: true, lastTurn: null })
    await clock.advance(1)
    expect(monitor.health().isAlive).toBe(false)
    monitor.turned()
    expect(monitor.health()).toMatchObject({
      isAlive: true,
      isHealthy: false,
      lastTurn: new Date(clock.now()),
    })
  })

  it('counts only an empty poll and an accepted page as progress (B394)', async () => {
    monitor.emit({ type: 'lease.acquired', ...on, takenFrom: null })
    const isAlive = (): boolean | undefined => monitor.health().leases[0]?.isAlive
    await clock.advance(900)
    monitor.emit({ type: 'feed.polled', ...on, count: 0, charge: 1 })
    await clock.advance(900)
    monitor.emit({ type: 'feed.polled', ...on, count: 3, charge: 1 })
    monitor.emit({ type: 'lease.renewed', ...on })
    monitor.emit({ type: 'delegate.failed', ...on, error: new Error('again') })
    await clock.advance(101)
    expect(isAlive()).toBe(false)
    monitor.emit({ type: 'page.delivered', ...on, count: 3, charge: 1 })
    expect(isAlive()).toBe(true)
    expect(monitor.health().lastProgress).toEqual(new Date(clock.now()))
    monitor.emit({ type: 'lease.released', ...on, reason: 'Shutdown' })
    expect(monitor.health().leases).toEqual([])
  })
})

describe('the health of a processor', () => {
  it('is that of its loops, from start to stop', async () => {
    const world = await processorWorld('engine ports', { partitionCount: 2 })
    const { processor } = await world.instance('one')
    expect(processor.health()).toMatchObject({ isRunning: false, isHealthy: false })
    await processor.start()
    await world.clock.advance(120_000)
    const { leases, ...health } = processor.health()
    expect(health).toMatchObject({ isRunning: true, isHealthy: true })
    expect(leases.map(({ isAlive }) => isAlive)).toEqual([true, true])
    await Promise.all([processor.stop(), world.clock.advance(1_000)])
    expect(processor.health().isRunning).toBe(false)
  })

  it('reveals a delegate that hangs although its lease is renewed', async () => {
    const world = await processorWorld('engine ports')
    const hanging = deferred<undefined>()
    const { processor } = await world.instance('one', { onChanges: () => hanging.promise })
    await processor.start()
    await world.put('a')
    await world.clock.advance(70_000)
    expect(processor.health()).toMatchObject({ isHealthy: false, leases: [{ isAlive: false }] })
    expect(await world.owners()).toEqual({ '0': 'one' })
    hanging.resolve(undefined)
    await world.clock.advance(10_000)
    expect(processor.health().isHealthy).toBe(true)
    await Promise.all([processor.stop(), world.clock.advance(1_000)])
  })

  it('stays good while the processor is paused, and right after it resumes', async () => {
    const world = await processorWorld('engine ports')
    const { processor } = await world.instance('one')
    await processor.start()
    await world.clock.advance(1_000)
    processor.pause()
    await world.clock.advance(300_000)
    expect(processor.health()).toMatchObject({ isHealthy: true, leases: [{ isAlive: true }] })
    processor.resume()
    expect(processor.health().isHealthy).toBe(true)
    await Promise.all([processor.stop(), world.clock.advance(1_000)])
  })
})
