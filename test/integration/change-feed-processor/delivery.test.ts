import type { Container } from '@azure/cosmos'
import { describe, expect, it } from 'vitest'
import { doors } from '../../support/cosmos-world.js'
import { processorWorld, type ProcessorWorld } from '../../support/processor-world.js'

describe.each(doors)('a processor that delivers changes, on %s (§8.1)', (door) => {
  it('delivers nothing while it is paused, but keeps its leases', async () => {
    const world = await processorWorld(door)
    const [one, two] = [await world.instance('one'), await world.instance('two')]
    await one.processor.start()
    await world.put('1')
    await world.clock.advance(1_000)
    one.processor.pause()
    await world.put('2')
    await two.processor.start()
    await world.clock.advance(50_000)
    expect(one.processor.isPaused).toBe(true)
    expect([...one.delivered, ...two.delivered]).toEqual(['1'])
    expect(await world.owners()).toEqual({ 0: 'one' })
    expect(one.telemetry.of('lease.renewed').length).toBeGreaterThan(2)
    one.processor.resume()
    await world.clock.advance(100)
    expect(one.delivered).toEqual(['1', '2'])
    for (const { processor } of [one, two]) await processor.stop()
    expect(world.clock.pendingTimers).toBe(0)
  })

  it('can be paused by its delegate, and stopped while it is paused', async () => {
    const world = await processorWorld(door)
    const one = await world.instance('one', {
      maxItemCount: 1,
      onChanges: () => {
        one.processor.pause()
      },
    })
    for (const id of ['1', '2']) await world.put(id)
    await one.processor.start()
    await world.clock.advance(30_000)
    expect(one.delivered).toEqual(['1'])
    await one.processor.stop()
    expect(await world.owners()).toEqual({ 0: null })
    expect(world.clock.pendingTimers).toBe(0)
  })

  it('does not deliver a failed page again while it is paused', async () => {
    const world = await processorWorld(door)
    let attempts = 0
    const one = await world.instance('one', {
      onChanges: () => {
        attempts += 1
        if (attempts > 1) return
        one.processor.pause()
        throw new Error('the service behind is down')
      },
    })
    await world.put('1')
    await one.processor.start()
    await world.clock.advance(120_000)
    expect(attempts).toBe(1)
    one.processor.resume()
    await world.clock.advance(0)
    expect(one.delivered).toEqual(['1'])
    await one.processor.stop()
  })

  it('delivers a page again, in order, when its delegate fails once (B3, ExceptionsRetryBatch)', async () => {
    const world = await processorWorld(door)
    const seen: string[] = []
    const one = await world.instance('one', {
      maxItemCount: 1,
      onChanges: ([change]) => {
        seen.push(change?.id ?? '')
        if (seen.length === 2) throw new Error('once')
      },
    })
    for (const id of ['0', '1', '2']) await world.put(id)
    await one.processor.start()
    await world.clock.advance(5_000)
    expect(seen).toEqual(['0', '1', '1', '2'])
    expect(one.delivered).toEqual(['0', '1', '2'])
    await one.processor.stop()
  })

  it('delivers a transaction larger than a page whole, and stores no checkpoint inside it', async () => {
    const world = await processorWorld(door)
    const pages: string[][] = []
    const one = await world.instance('one', {
      maxItemCount: 2,
      checkpoint: 'manual',
      onChanges: async (changes, { checkpoint }) => {
        pages.push(changes.map(({ id }) => id))
        await checkpoint(changes[0])
      },
    })
    const batch = ['1', '2', '3'].map((id) => ({
      operationType: 'Create' as const,
      resourceBody: { id, pk: 'same' },
    }))
    await world.monitoredContainer.items.batch(batch, 'same')
    await one.processor.start()
    await world.clock.advance(1_000)
    await one.processor.stop()
    await one.processor.start()
    await world.clock.advance(1_000)
    expect(pages).toEqual([
      ['1', '2', '3'],
      ['1', '2', '3'],
    ])
    await one.processor.stop()
  })

  it('gives up the lease of a delegate that hangs, and another instance takes it (F-C14, B363)', async () => {
    const world = await processorWorld(door)
    await world.put('1')
    const one = await world.instance('one', {
      delegateTimeout: 5_000,
      onChanges: () => new Promise(() => undefined),
    })
    await one.processor.start()
    await world.clock.advance(4_000)
    const two = await world.instance('two')
    await two.processor.start()
    await world.clock.advanceUntil(() => two.delivered.length > 0, 120_000)
    expect(two.delivered).toEqual(['1'])
    expect(one.notifications).toContain('released 0: DelegateError')
    expect(one.notifications).toContain('error 0: DelegateError')
    for (const { processor } of [one, two]) await processor.stop()
    expect(world.clock.pendingTimers).toBe(0)
  })
})

describe('a dead-letter container', () => {
  const fails = { retry: { tries: 1 }, then: 'deadLetter' } as const

  it('keeps a failed change and its error once, and the feed goes on (F-C13, F-C16)', async () => {
    const world = await processorWorld('SDK in process')
    const deadLetter = await deadLetterContainer(world)
    const failing = {
      checkpoint: 'manual',
      failurePolicy: { ...fails, deadLetter },
      onChanges: (changes: readonly { readonly id: string }[]) => {
        if (changes.some(({ id }) => id === 'bad')) throw new RangeError('no such shelf')
      },
    } as const
    for (const id of ['good', 'bad', 'better']) await world.put(id)
    const one = await world.instance('one', failing)
    // Nothing is checkpointed, so the second start reads the same failing change.
    for (const _start of [1, 2]) {
      await one.processor.start()
      await world.clock.advance(1_000)
      await one.processor.stop()
    }
    expect(one.delivered).toEqual(['good', 'better', 'good', 'better'])
    expect(one.telemetry.of('deadLetter.written')).toHaveLength(2)
    const { resources } = await deadLetter.items.readAll().fetchAll()
    expect(resources).toMatchObject([
      {
        id: expect.stringMatching(/^0~.*~bad$/) as string,
        leaseToken: '0',
        documentId: 'bad',
        change: { id: 'bad', pk: 'bad' },
        error: { name: 'RangeError', message: 'no such shelf' },
      },
    ])
  })

  it('keeps only the error of a change that is too large for another document', async () => {
    const world = await processorWorld('SDK in process')
    const deadLetter = await deadLetterContainer(world)
    await world.put('bad', { text: 'x'.repeat(2 * 1024 * 1024 - 300) })
    const one = await world.instance('one', {
      failurePolicy: { ...fails, deadLetter },
      onChanges: () => {
        throw new Error('refused')
      },
    })
    await one.processor.start()
    await world.clock.advance(1_000)
    await one.processor.stop()
    const { resources } = await deadLetter.items.readAll().fetchAll()
    expect(resources).toMatchObject([{ documentId: 'bad', change: null, error: { message: 'refused' } }])
  })
})

async function deadLetterContainer(world: ProcessorWorld): Promise<Container> {
  const { container } = await world.monitoredContainer.database.containers.create({
    id: 'dead',
    partitionKey: '/documentId',
  })
  return container
}
