import { describe, expect, it } from 'vitest'
import {
  acquire,
  RefusedLeaseError,
  requestHandover,
  type Lease,
  type LeaseStore,
} from '../../../lease-store/index.js'
import { CoverageWatch } from '../../../src/change-feed-processor/coverage-watch.js'
import { LoadBalancer } from '../../../src/change-feed-processor/load-balancer.js'
import { PartitionController } from '../../../src/change-feed-processor/partition-controller.js'
import type { ChangeFeed } from '../../../src/change-feed-processor/index.js'
import { aNewLease } from '../../support/a-lease.js'
import { aRuntime, storedLease, type RuntimeOverrides, type TestRuntime } from '../../support/a-runtime.js'
import { deferred } from '../../support/deferred.js'
import { intercepted, storeError } from '../../support/intercepted.js'

interface Controlled {
  readonly runtime: TestRuntime
  readonly controller: PartitionController
  readonly balancer: LoadBalancer
}

/** With a lease of the whole feed that is free, and nothing running yet. */
async function controlling(overrides: RuntimeOverrides = {}): Promise<Controlled> {
  const runtime = await aRuntime(overrides)
  await (await runtime.world.leaseStore()).create(aNewLease())
  const controller = new PartitionController(runtime)
  return { runtime, controller, balancer: new LoadBalancer(runtime, controller, new CoverageWatch(runtime)) }
}

async function existing(lease: Promise<Lease | null>): Promise<Lease> {
  const found = await lease
  if (found === null) throw new Error('the lease is gone')
  return found
}

async function tokens(runtime: TestRuntime): Promise<string[]> {
  const { leases } = await (await runtime.world.leaseStore()).list()
  return leases.map((lease) => `${lease.leaseToken} ${lease.owner ?? 'free'}`).sort()
}

describe('the leases in hand', () => {
  it('are acquired once, whoever asks again (B156, B160)', async () => {
    const { runtime, controller } = await controlling()
    const lease = await existing(storedLease(runtime))
    await Promise.all([controller.acquire(lease), controller.acquire(lease)])
    await controller.acquire(lease)
    expect(runtime.telemetry.of('lease.acquired')).toHaveLength(1)
    expect(runtime.telemetry.of('store.conflict')).toHaveLength(1)
    await controller.stop()
    await controller.acquire(await existing(storedLease(runtime)))
    expect(await tokens(runtime)).toEqual(['0 free'])
  })

  it('are given back when they were acquired while stopping', async () => {
    let answer: (() => void) | undefined
    const { runtime, controller } = await controlling({
      leaseStore: (store) =>
        intercepted(store, 'replace', [
          async (forward, lease) => {
            await new Promise<void>((resolve) => (answer = resolve))
            return forward(lease)
          },
        ]),
    })
    const acquiring = controller.acquire(await existing(storedLease(runtime)))
    await controller.stop()
    answer?.()
    await acquiring
    await runtime.world.clock.advance(0)
    expect(await tokens(runtime)).toEqual(['0 free'])
    expect(runtime.world.clock.pendingTimers).toBe(0)
  })

  it('are found again when the answer to their acquisition was lost (B170)', async () => {
    const { runtime, controller, balancer } = await controlling({
      leaseStore: (store) =>
        intercepted(store, 'replace', [
          async (forward, lease) => {
            await forward(lease)
            return { kind: 'unknownOutcome', cause: storeError(503) }
          },
        ]),
    })
    balancer.start()
    await runtime.world.clock.advance(1_000)
    expect([await tokens(runtime), controller.holds('0')]).toEqual([['0 self'], false])
    await runtime.world.clock.advance(17_000)
    expect(controller.holds('0')).toBe(true)
    await balancer.stop()
    await controller.stop()
  })

  it('are given up when the feed cannot be read, and tried again later (B165, B166, B380)', async () => {
    const { runtime, controller, balancer } = await controlling({
      feed: (feed) => intercepted(feed, 'readNext', [() => Promise.reject(storeError(403))]),
    })
    balancer.start()
    await runtime.world.clock.advance(1_000)
    expect(await tokens(runtime)).toEqual(['0 free'])
    expect(runtime.telemetry.of('lease.released')).toMatchObject([{ reason: 'FeedError' }])
    expect(runtime.telemetry.of('feed.failed')).toHaveLength(1)
    await runtime.world.clock.advance(17_000)
    expect(await tokens(runtime)).toEqual(['0 self'])
    await balancer.stop()
    await controller.stop()
  })
})

describe('balancing', () => {
  it('goes on after failures, of one lease or of all (B169, B382)', async () => {
    const failing = (): Promise<never> => Promise.reject(storeError(503))
    const { runtime, controller, balancer } = await controlling({
      leaseStore: (store) => intercepted(intercepted(store, 'list', [failing]), 'replace', [failing]),
    })
    balancer.start()
    await runtime.world.clock.advance(30_000)
    expect(runtime.telemetry.of('balance.failed')).toHaveLength(2)
    expect(controller.holds('0')).toBe(false)
    await runtime.world.clock.advance(17_000)
    expect(controller.holds('0')).toBe(true)
    await balancer.stop()
    await controller.stop()
  })

  it('watches leases itself while the store does not tell its time', async () => {
    const timeless: RuntimeOverrides = {
      leaseStore: (store) =>
        intercepted(
          store,
          'list',
          Array.from({ length: 9 }, () => async (forward: LeaseStore['list']) => ({
            ...(await forward()),
            storeTimeMs: null,
          })),
        ),
    }
    const { runtime, controller, balancer } = await controlling(timeless)
    const store = await runtime.world.leaseStore()
    await store.replace({ ...(await existing(store.read('0'))), owner: 'dead', incarnation: null })
    await runtime.world.clock.advance(600_000)
    balancer.start()
    await runtime.world.clock.advance(59_000)
    expect(controller.holds('0')).toBe(false)
    await runtime.world.clock.advance(20_000)
    expect(controller.holds('0')).toBe(true)
    await balancer.stop()
    await controller.stop()
  })
})

describe('a lease document that is refused while the processor runs (F-L4)', () => {
  it('is told of once, however often it stops the balancing', async () => {
    const refuse = () => Promise.reject(new RefusedLeaseError('7', 'lease document "..7" is refused'))
    const told: string[] = []
    const { runtime, balancer } = await controlling({
      callbacks: { onError: (leaseToken, error) => void told.push(`${leaseToken} ${error.message}`) },
      leaseStore: (store) => intercepted(store, 'list', [refuse, refuse]),
    })
    balancer.start()
    await runtime.world.clock.advance(18_000)
    expect(runtime.telemetry.of('balance.failed')).toHaveLength(2)
    expect(told).toEqual([expect.stringMatching(/^7 no leases are taken .*"..7" is refused/) as string])
    await balancer.stop()
  })
})

describe('a hand-over', () => {
  const other = { instanceName: 'other', incarnation: 'other-1' }

  it('lets the page under way finish, stores it and keeps the lease for who asked (D3)', async () => {
    const page = deferred()
    let signal: AbortSignal | undefined
    const controlled = await controlling({
      delegate: (_changes, context) => {
        signal = context.signal
        return page.promise
      },
    })
    const { runtime, controller } = controlled
    await runtime.world.put('1')
    await controller.acquire(await existing(storedLease(runtime)))
    await runtime.world.clock.advance(1_000)
    const store = await runtime.world.leaseStore()
    await store.replace(requestHandover(await existing(store.read('0')), other))
    // Renewed all the time: nobody takes the lease from under a long page.
    await runtime.world.clock.advance(120_000)
    expect(signal?.aborted).toBe(false)
    expect(await storedLease(runtime)).toMatchObject({ owner: 'self', continuationToken: null })
    page.resolve()
    await runtime.world.clock.advance(1_000)
    expect(await storedLease(runtime)).toMatchObject({
      owner: null,
      handover: other,
      continuationToken: '"1"',
    })
    expect(runtime.telemetry.of('lease.released')).toMatchObject([{ reason: 'HandedOver' }])
    expect(runtime.telemetry.of('feed.failed')).toEqual([])
    await controller.stop()
    expect(runtime.world.clock.pendingTimers).toBe(0)
  })

  it('is asked of an owner that lives, and of nobody else', async () => {
    const { runtime, controller } = await controlling()
    const store = await runtime.world.leaseStore()
    const free = await existing(store.read('0'))
    expect(await controller.request(free)).toBe(false)
    const owned = await store.replace(acquire(free, other, 1))
    expect(await controller.request(free)).toBe(false)
    if (owned.kind !== 'written') throw new Error(owned.kind)
    expect(await controller.request(owned.lease)).toBe(true)
    expect(await controller.request(owned.lease)).toBe(false)
    expect(runtime.telemetry.of('lease.requested')).toMatchObject([{ owner: 'other' }])
    expect(runtime.telemetry.of('store.conflict')).toMatchObject([{ operation: 'lease.requestHandover' }])
    expect(await store.read('0')).toMatchObject({ owner: 'other', timestampMs: 1, handover: runtime.self })
  })
})

describe('a split', () => {
  const split = async ({ runtime, controller }: Controlled): Promise<void> => {
    await runtime.world.put('1')
    await controller.acquire(await existing(storedLease(runtime)))
    await runtime.world.clock.advance(1_000)
    runtime.world.split('0')
    await runtime.world.clock.advance(5_000)
  }

  it('leaves the children, at the position of the parent, in the same hands (B177, B178, B181, B357, B377)', async () => {
    const controlled = await controlling()
    await split(controlled)
    const { runtime, controller } = controlled
    expect(await tokens(runtime)).toEqual(['1 self', '2 self'])
    const { leases } = await runtime.leaseStore.list()
    expect(leases.map((lease) => lease.continuationToken)).toEqual(['"1"', '"1"'])
    expect(runtime.telemetry.of('lease.split')).toMatchObject([{ leaseToken: '0', children: ['1', '2'] }])
    await controller.stop()
    expect(runtime.world.clock.pendingTimers).toBe(0)
  })

  it.each([0, 1, 2])(
    'is finished by whoever has the parent next (failing after %i children) (B180)',
    async (done) => {
      const through = Array.from(
        { length: done },
        () =>
          (forward: LeaseStore['create'], ...args: Parameters<LeaseStore['create']>) =>
            forward(...args),
      )
      const failing = (): Promise<never> => Promise.reject(storeError(503))
      const controlled = await controlling({
        leaseStore: (store) =>
          done < 2
            ? intercepted(store, 'create', [...through, failing])
            : intercepted(store, 'delete', [
                () => Promise.reject(storeError(401)),
                () => new Promise(() => undefined),
              ]),
      })
      await split(controlled)
      const { runtime, controller } = controlled
      if (done === 2) {
        // The process died between the children and the parent.
        controller.abandon()
        await runtime.world.clock.advance(70_000)
      } else {
        expect(runtime.telemetry.of('lease.released')).toMatchObject([{ reason: 'Split' }])
      }
      expect(await tokens(runtime)).toContain(done < 2 ? '0 free' : '0 self')
      const next = new PartitionController({ ...runtime, leaseStore: await runtime.world.leaseStore() })
      await next.acquire(await existing(storedLease(runtime)))
      await runtime.world.clock.advance(1_000)
      expect((await tokens(runtime)).map((text) => text.slice(0, 1))).toEqual(['1', '2'])
      const { leases } = await runtime.leaseStore.list()
      expect(leases.map((lease) => lease.continuationToken)).toEqual(['"1"', '"1"'])
      await next.stop()
      await controller.stop()
    },
  )

  it('leaves the children to whom balancing gives them when there is a limit (§8.3 maxScaleCount, B358, B378)', async () => {
    const controlled = await controlling({ options: { maxLeases: 1 } })
    await split(controlled)
    const { runtime, controller, balancer } = controlled
    expect(await tokens(runtime)).toEqual(['1 free', '2 free'])
    balancer.start()
    await runtime.world.clock.advance(20_000)
    expect((await tokens(runtime)).filter((text) => text.endsWith('self'))).toHaveLength(1)
    await balancer.stop()
    await controller.stop()
  })

  it('keeps children that have gone on already (B183, B360)', async () => {
    const controlled = await controlling()
    const { runtime, controller } = controlled
    await (
      await runtime.world.leaseStore()
    ).create(
      aNewLease({
        leaseToken: '1',
        feedRange: { min: '', max: '1FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF' },
        continuationToken: '"99"',
      }),
    )
    await split(controlled)
    const child = await (await runtime.world.leaseStore()).read('1')
    expect(child).toMatchObject({ continuationToken: '"99"', owner: null })
    await controller.stop()
  })
})

describe('a hint', () => {
  it('wakes the reader it is about, or all when it is about none here', async () => {
    const reads: number[] = []
    const counting: (
      forward: ChangeFeed['readNext'],
      ...args: Parameters<ChangeFeed['readNext']>
    ) => ReturnType<ChangeFeed['readNext']> = (forward, ...args) => {
      reads.push(1)
      return forward(...args)
    }
    const { runtime, controller } = await controlling({
      feed: (feed) =>
        intercepted(
          feed,
          'readNext',
          Array.from({ length: 50 }, () => counting),
        ),
      options: { pollIntervalMs: 5_000 },
    })
    await controller.acquire(await existing(storedLease(runtime)))
    await runtime.world.clock.advance(1)
    for (const hint of ['0', null, '77']) {
      const before = reads.length
      controller.wake(hint)
      await runtime.world.clock.advance(1)
      expect(reads.length).toBe(before + 1)
    }
    await controller.stop()
  })
})
