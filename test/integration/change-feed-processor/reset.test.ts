import { describe, expect, it } from 'vitest'
import { acquire } from '../../../lease-store/index.js'
import {
  ProcessorOptionsError,
  ProcessorRunningError,
  resetProcessor,
  type ResetOptions,
} from '../../../src/change-feed-processor/index.js'
import { doors } from '../../support/cosmos-world.js'
import { intercepted } from '../../support/intercepted.js'
import { processorWorld, type ProcessorWorld } from '../../support/processor-world.js'

async function resetting(world: ProcessorWorld, to: ResetOptions['to']): Promise<ResetOptions> {
  const [monitoredContainer, leaseContainer] = [world.feed(), await world.leaseStore()]
  return { monitoredContainer, leaseContainer, processorName: 'unit', to }
}

describe.each(doors)('`resetProcessor` on %s', (door) => {
  it.each([
    ['beginning', ['1', '2']],
    ['now', ['3']],
    [new Date(Date.UTC(2026, 0, 1, 0, 1, 30)), ['2']],
  ] as const)('makes a deployment unit start again from %s', async (to, expected) => {
    const world = await processorWorld(door, { partitionCount: 2 })
    const one = await world.instance('one')
    await world.put('1')
    await world.clock.advance(120_000)
    await world.put('2')
    await one.processor.start()
    await world.clock.advance(6_000)
    await one.processor.stop()
    await resetProcessor(await resetting(world, to), world)
    expect(await world.owners()).toEqual({ 0: null, 1: null })
    if (to === 'now') await world.put('3')
    one.delivered.length = 0
    await one.processor.start()
    await world.clock.advance(6_000)
    expect([...one.delivered].sort()).toEqual(expected)
    await one.processor.stop()
  })

  it('refuses while an instance holds a lease, and changes nothing', async () => {
    const world = await processorWorld(door)
    const one = await world.instance('one')
    await world.put('1')
    await one.processor.start()
    await world.clock.advance(6_000)
    const refused: unknown = await resetProcessor(await resetting(world, 'beginning'), world).catch(
      (error: unknown) => error,
    )
    expect(refused).toBeInstanceOf(ProcessorRunningError)
    expect(refused).toMatchObject({ held: { 0: 'one' } })
    await world.clock.advance(60_000)
    expect(one.delivered).toEqual(['1'])
    await one.processor.stop()
  })

  it('treats the expired lease of a dead instance as free', async () => {
    const world = await processorWorld(door)
    const one = await world.instance('one')
    await one.processor.start()
    await world.clock.advance(1_000)
    one.cutOff()
    await world.clock.advance(62_000)
    await resetProcessor(await resetting(world, 'beginning'), world)
    expect(await world.owners()).toEqual({ 0: null })
  })

  it('refuses when an instance starts meanwhile, and releases the leases it had taken (I12)', async () => {
    const world = await processorWorld(door, { partitionCount: 2 })
    const one = await world.instance('one')
    await one.processor.start()
    await one.processor.stop()
    const store = await world.leaseStore()
    const options = await resetting(world, 'beginning')
    const raced = intercepted(store, 'replace', [
      (forward, lease) => forward(lease),
      async (forward, lease) => {
        const other = await world.leaseStore()
        const stored = await other.read(lease.leaseToken)
        if (stored === null) throw new Error('no lease')
        await other.replace(acquire(stored, { instanceName: 'two', incarnation: '2' }, world.clock.now()))
        return forward(lease)
      },
    ])
    await expect(resetProcessor({ ...options, leaseContainer: raced }, world)).rejects.toThrow(/1 by two/)
    expect(await world.owners()).toEqual({ 0: null, 1: 'two' })
  })

  it('refuses options of the wrong type before it touches a lease', async () => {
    const world = await processorWorld('engine ports')
    const one = await world.instance('one')
    await one.processor.start()
    await one.processor.stop()
    const before = (await (await world.leaseStore()).list()).leases.map(({ etag }) => etag)
    const wrong: object = { monitoredContainer: undefined, to: 'yesterday' }
    const reset = resetProcessor({ ...(await resetting(world, 'now')), ...wrong }, world)
    await expect(reset).rejects.toMatchObject({
      problems: [
        expect.stringMatching(/^monitoredContainer is missing/),
        expect.stringMatching(/^to is "yesterday"; it must be "now", "beginning" or a valid Date/),
      ],
    })
    expect((await (await world.leaseStore()).list()).leases.map(({ etag }) => etag)).toEqual(before)
  })

  it('refuses an invalid date', async () => {
    const world = await processorWorld(door)
    const options = await resetting(world, new Date(Number.NaN))
    await expect(resetProcessor(options, world)).rejects.toBeInstanceOf(ProcessorOptionsError)
  })
})
