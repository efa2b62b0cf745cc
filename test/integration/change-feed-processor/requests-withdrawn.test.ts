import { describe, expect, it } from 'vitest'
import { requestHandover, type Lease, type LeaseStore, type LeaseWrite } from '../../../lease-store/index.js'
import { ChangeFeedProcessor } from '../../../src/change-feed-processor/index.js'
import { seededRandom } from '../../../src/platform/index.js'
import { doors } from '../../support/cosmos-world.js'
import { longestGap, seenBy } from '../../support/lease-gaps.js'
import { processorWorld, type InstanceOptions } from '../../support/processor-world.js'

/** The timing of the roles of a unit: see docs/configuration.md. */
const ofRoles = { leaseRenewInterval: '30s' } as InstanceOptions

const [door] = doors

describe('a requested lease of an idle range of a role, which is renewed every 30 s', () => {
  it.each([31_000, 35_000, 40_000, 43_000, 45_000, 50_000, 55_000])(
    'is without a reader for at most a fifth of an acquire interval (ADR 0010; joined after %i ms)',
    async (joinAfterMs) => {
      const world = await processorWorld(door, { partitionCount: 4 })
      const first = await world.instance('first', { ...ofRoles, processes: seenBy('machine.1.1') })
      await first.processor.start()
      await world.clock.advance(joinAfterMs)
      const second = await world.instance('second', { ...ofRoles, processes: seenBy('machine.2.1') })
      await second.processor.start()
      const gap = await longestGap(world, { seconds: 90 })
      expect(Object.values(await world.owners()).sort()).toEqual(['first', 'first', 'second', 'second'])
      expect(gap).toBeLessThanOrEqual(4)
      await first.processor.stop()
      await second.processor.stop()
    },
  )
})

describe('a request that the owner has noted', () => {
  it.each([22_000, 24_000, 26_000, 28_000])(
    'is void when its requester stops before the owner hands over (default timing, joined after %i ms)',
    async (joinAfterMs) => {
      const world = await processorWorld(door, { partitionCount: 4 })
      const first = await world.instance('first', { processes: seenBy('machine.1.1') })
      await first.processor.start()
      await world.clock.advance(joinAfterMs)
      const second = await world.instance('second', { processes: seenBy('machine.2.1') })
      await second.processor.start()
      await world.clock.advance(12_000)
      expect(second.telemetry.of('lease.requested')).toHaveLength(2)
      expect(first.telemetry.of('lease.released')).toEqual([])
      await second.processor.stop()
      const { leases } = await (await world.leaseStore()).list()
      expect(leases.map(({ handover }) => handover)).toEqual([null, null, null, null])
      expect.soft(await longestGap(world, { seconds: 60 })).toBe(0)
      expect(first.telemetry.of('lease.released')).toEqual([])
      await first.processor.stop()
    },
  )

  it('makes the owner read on for 85 % of the interval of the requester that replaced it', async () => {
    const world = await processorWorld(door, { partitionCount: 1 })
    const first = await world.instance('first')
    await first.processor.start()
    await world.clock.advance(25_000)
    const store = await world.leaseStore()
    const ask = async (instanceName: string): Promise<void> => {
      const [lease] = (await store.list()).leases
      if (lease === undefined) throw new Error('no lease')
      const { kind } = await store.replace(
        requestHandover(lease, { instanceName, incarnation: instanceName }),
      )
      expect(kind).toBe('written')
    }
    await ask('second')
    await world.clock.advance(13_000)
    await ask('third')
    let readOnMs = 0
    while (!Object.values(await world.owners()).includes(null)) {
      await world.clock.advance(500)
      readOnMs += 500
    }
    expect(readOnMs).toBeGreaterThan(0.75 * 17_000)
    await first.processor.stop()
  })

  it('is void when its process dies while the owner finishes a long page', async () => {
    const ended = new Set<string>()
    const world = await processorWorld(door, { partitionCount: 2 })
    let finish = (): void => undefined
    const page = new Promise<void>((resolve) => {
      finish = resolve
    })
    const first = await world.instance('first', {
      processes: seenBy('machine.1.1', ended),
      onChanges: () => page,
    })
    await first.processor.start()
    await world.clock.advance(20_000)
    for (let index = 0; index < 20; index += 1) await world.put(`d${index}`)
    await world.clock.advance(5_000)
    const second = await world.instance('second', { processes: seenBy('machine.2.1', ended) })
    await second.processor.start()
    await world.clock.advance(1_500)
    expect(second.telemetry.of('lease.requested')).toHaveLength(1)
    await world.clock.advance(30_000)
    second.cutOff()
    ended.add('machine.2.1')
    await world.clock.advance(1_000)
    finish()
    expect(await longestGap(world, { seconds: 60 })).toBeLessThanOrEqual(1.5)
    await first.processor.stop()
  })
})

describe('an instance that cannot take the leases that it has requested', () => {
  it('withdraws its requests when it becomes unhealthy', async () => {
    let reason: string | null = null
    const world = await processorWorld(door, { partitionCount: 4 })
    const first = await world.instance('first', { processes: seenBy('machine.1.1') })
    await first.processor.start()
    await world.clock.advance(20_000)
    const second = await world.instance('second', {
      processes: seenBy('machine.2.1'),
      unhealthyReason: () => reason,
    })
    await second.processor.start()
    await world.clock.advance(1_500)
    expect(second.telemetry.of('lease.requested')).toHaveLength(2)
    reason = 'no disk'
    // The instance finds out at its next check, and the other one looks for free leases at the next of its own.
    expect(await longestGap(world, { seconds: 90 })).toBeLessThanOrEqual(17)
    await first.processor.stop()
    await second.processor.stop()
  })
})

describe('a request whose answer was lost', () => {
  it('is withdrawn too when its instance stops', async () => {
    const world = await processorWorld(door, { partitionCount: 4 })
    const first = await world.instance('first', { processes: seenBy('machine.1.1') })
    await first.processor.start()
    await world.clock.advance(20_000)
    const inner = await world.leaseStore()
    const lossy: LeaseStore = new Proxy(inner, {
      get: (target, name): unknown => {
        if (name !== 'replace') return Reflect.get(target, name)
        return async (lease: Lease): Promise<LeaseWrite> => {
          const outcome = await target.replace(lease)
          return lease.handover === null ? outcome : { kind: 'unknownOutcome', cause: new Error('reset') }
        }
      },
    })
    const second = new ChangeFeedProcessor(
      {
        monitoredContainer: world.feed(),
        leaseContainer: lossy,
        processorName: 'unit',
        instanceName: 'second',
        onChanges: () => Promise.resolve(),
      },
      { clock: world.clock, random: seededRandom(9), processes: seenBy('machine.2.1') },
    )
    await second.start()
    await world.clock.advance(1_500)
    const requested = async () => (await inner.list()).leases.filter(({ handover }) => handover !== null)
    expect((await requested()).length).toBeGreaterThan(0)
    await second.stop()
    expect.soft(await requested()).toHaveLength(0)
    expect(await longestGap(world, { seconds: 90 })).toBe(0)
    await first.processor.stop()
  })
})

describe('an instance that stops', () => {
  it('leaves the request of another instance in a lease that it has requested before', async () => {
    const world = await processorWorld(door, { partitionCount: 4 })
    const first = await world.instance('first')
    await first.processor.start()
    await world.clock.advance(20_000)
    const second = await world.instance('second')
    await second.processor.start()
    await world.clock.advance(1_500)
    const store = await world.leaseStore()
    const requested = async () => (await store.list()).leases.filter(({ handover }) => handover !== null)
    const [replaced] = await requested()
    if (replaced === undefined) throw new Error('no lease is requested')
    const third = { instanceName: 'third', incarnation: 'third-1' }
    await store.replace(requestHandover(replaced, third))
    await second.processor.stop()
    expect((await requested()).map(({ handover }) => handover)).toEqual([third])
    await first.processor.stop()
  })
})
