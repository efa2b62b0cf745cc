import { describe, expect, it } from 'vitest'
import {
  acquire,
  RefusedLeaseError,
  requestHandover,
  type Lease,
  type LeaseStore,
} from '../../../../lease-store/index.js'
import { PartitionSynchronizer } from '../../../../src/change-feed-processor/ownership/partition-synchronizer.js'
import { LoadBalancer } from '../../../../src/change-feed-processor/ownership/load-balancer.js'
import { PartitionController } from '../../../../src/change-feed-processor/ownership/partition-controller.js'
import type { ChangeFeed, LifecycleNotifications } from '../../../../src/change-feed-processor/index.js'
import { aNewLease } from '../../../support/a-lease.js'
import { aRuntime, storedLease, type RuntimeOverrides, type TestRuntime } from '../../../support/a-runtime.js'
import { deferred } from '../../../support/deferred.js'
import { intercepted, storeError } from '../../../support/intercepted.js'

interface Controlled {
  readonly runtime: TestRuntime
  readonly controller: PartitionController
  readonly balancer: LoadBalancer
}

/** No other lease covers a part of the range. */
const alone = { isShared: false }

/** A controller and one free lease of the whole feed, with nothing running yet. */
async function controlling(overrides: RuntimeOverrides = {}): Promise<Controlled> {
  const runtime = await aRuntime(overrides)
  await (await runtime.world.leaseStore()).create(aNewLease())
  const controller = new PartitionController(runtime)
  return {
    runtime,
    controller,
    balancer: new LoadBalancer(runtime, controller, new PartitionSynchronizer(runtime)),
  }
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

describe('the leases of a partition controller', () => {
  it('are acquired once despite further calls, and never after a stop (B156, B160)', async () => {
    const { runtime, controller } = await controlling()
    const lease = await existing(storedLease(runtime))
    await Promise.all([controller.acquire(lease, alone), controller.acquire(lease, alone)])
    await controller.acquire(lease, alone)
    expect(runtime.telemetry.of('lease.acquired')).toHaveLength(1)
    await controller.stop()
    await controller.acquire(await existing(storedLease(runtime)), alone)
    expect(await tokens(runtime)).toEqual(['0 free'])
  })

  it('are acquired once although a listing shows the acquisition before its answer (I12)', async () => {
    const answered = deferred()
    const { runtime, controller } = await controlling({
      leaseStore: (store) =>
        intercepted(store, 'replace', [
          async (forward, lease) => {
            const outcome = await forward(lease)
            await answered.promise
            return outcome
          },
        ]),
    })
    const acquiring = controller.acquire(await existing(storedLease(runtime)), alone)
    expect(await tokens(runtime)).toEqual(['0 self'])
    expect(await controller.acquire(await existing(storedLease(runtime)), alone)).toBe(false)
    answered.resolve()
    expect(await acquiring).toBe(true)
    expect(runtime.telemetry.of('lease.acquired')).toHaveLength(1)
    await controller.stop()
    expect(await tokens(runtime)).toEqual(['0 free'])
    expect(runtime.world.clock.pendingTimers).toBe(0)
  })

  it('are released when their acquisition ends after a stop', async () => {
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
    const acquiring = controller.acquire(await existing(storedLease(runtime)), alone)
    await controller.stop()
    answer?.()
    await acquiring
    await runtime.world.clock.advance(0)
    expect(await tokens(runtime)).toEqual(['0 free'])
    expect(runtime.world.clock.pendingTimers).toBe(0)
  })

  it('are acquired after the next listing when the answer to the first attempt is lost (B170)', async () => {
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

  it('are released when the feed cannot be read, and acquired again later (B165, B166, B380)', async () => {
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

/** What a controller tells its user, in order. */
function telling(): { readonly told: string[]; readonly callbacks: LifecycleNotifications } {
  const told: string[] = []
  return {
    told,
    callbacks: {
      onLeaseAcquired: (token) => void told.push(`acquired ${token}`),
      onLeaseReleased: (token, reason) => void told.push(`released ${token}: ${reason}`),
      onError: (token, error) => void told.push(`error ${token}: ${String(codeOf(error))}`),
    },
  }
}

function codeOf(error: { readonly cause?: unknown }): unknown {
  const { cause } = error
  return typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined
}

describe('the callbacks about a lease', () => {
  it('report its acquisition, and no release while it is held (B157, B158, B159)', async () => {
    const { told, callbacks } = telling()
    const { runtime, controller } = await controlling({
      callbacks,
      delegate: (changes) => void told.push(...changes.map(({ id }) => `delivered ${id}`)),
    })
    await runtime.world.put('1')
    await controller.acquire(await existing(storedLease(runtime)), alone)
    await runtime.world.clock.advance(120_000)
    expect(told).toEqual(['acquired 0', 'delivered 1'])
    expect(await tokens(runtime)).toEqual(['0 self'])
    await controller.stop()
    await runtime.world.clock.advance(0)
    expect(told.at(-1)).toBe('released 0: Shutdown')
  })

  it('are not certainly held while they overlap, so an agent marks an attempt before it acts (I6)', async () => {
    const certain = new Map<string, boolean>()
    const { runtime, controller, balancer } = await controlling({
      delegate: (changes, { leaseToken, wasHeldAt }) => {
        for (const { _ts } of changes) certain.set(leaseToken, wasHeldAt(_ts))
      },
    })
    const feedRange = { min: '', max: '80' }
    await (await runtime.world.leaseStore()).create(aNewLease({ leaseToken: '-80', feedRange }))
    balancer.start()
    await runtime.world.clock.advance(2_000)
    await runtime.world.put('1')
    await runtime.world.clock.advance(6_000)
    expect(certain.get('0')).toBe(false)
    await balancer.stop()
    await controller.stop()
  })

  it('do not report a second acquisition, even if the store is unavailable (B161)', async () => {
    const { told, callbacks } = telling()
    const { runtime, controller } = await controlling({
      callbacks,
      leaseStore: (store) =>
        intercepted(store, 'replace', [
          (forward, lease) => forward(lease),
          () => Promise.reject(storeError(503)),
        ]),
    })
    const lease = await existing(storedLease(runtime))
    expect(await controller.acquire(lease, alone)).toBe(true)
    expect(await controller.acquire(lease, alone)).toBe(false)
    expect(controller.holds('0')).toBe(true)
    await runtime.world.clock.advance(0)
    expect(told).toEqual(['acquired 0'])
    controller.abandon()
  })

  it('do not report a lost race for it (B168)', async () => {
    const { told, callbacks } = telling()
    const { runtime, controller } = await controlling({ callbacks })
    const store = await runtime.world.leaseStore()
    const listed = await existing(store.read('0'))
    await store.replace(acquire(listed, { instanceName: 'other', incarnation: 'other-1' }, 1))
    expect(await controller.acquire(listed, alone)).toBe(false)
    await runtime.world.clock.advance(60_000)
    expect(told).toEqual([])
    expect(await tokens(runtime)).toEqual(['0 other'])
    expect(runtime.world.clock.pendingTimers).toBe(0)
  })

  it('do not report a failed acquisition, and the delegate gets no change (B171)', async () => {
    const { told, callbacks } = telling()
    const { runtime, controller } = await controlling({
      callbacks,
      delegate: () => void told.push('delivered'),
      leaseStore: (store) => intercepted(store, 'replace', [() => Promise.reject(storeError(403))]),
    })
    await runtime.world.put('1')
    await expect(controller.acquire(await existing(storedLease(runtime)), alone)).rejects.toMatchObject({
      code: 403,
    })
    await runtime.world.clock.advance(60_000)
    expect(told).toEqual([])
    expect([controller.holds('0'), await tokens(runtime)]).toEqual([false, ['0 free']])
  })

  it('report a release that fails, and then report the lease as released (B172)', async () => {
    const { told, callbacks } = telling()
    const { runtime, controller } = await controlling({
      callbacks,
      leaseStore: (store) =>
        intercepted(store, 'replace', [
          (forward, lease) => forward(lease),
          () => Promise.reject(storeError(403)),
        ]),
    })
    await controller.acquire(await existing(storedLease(runtime)), alone)
    await runtime.world.clock.advance(1_000)
    const stopping = controller.stop()
    await runtime.world.clock.advance(5_000)
    await stopping
    await runtime.world.clock.advance(0)
    expect(told).toEqual(['acquired 0', 'error 0: 403', 'released 0: Shutdown'])
    expect(await tokens(runtime)).toEqual(['0 free'])
  })

  it.each([
    ['is told once, and renewing ends with it (B206)', false],
    ['is told, and the release too, though another has taken the lease by then (B167)', true],
  ])('report an error and a release for an unreadable feed: it %s', async (_name, isTaken) => {
    const { told, callbacks } = telling()
    const { runtime, controller } = await controlling({
      callbacks,
      feed: (feed) =>
        intercepted(feed, 'readNext', [
          async () => {
            const store = await runtime.world.leaseStore()
            const stored = await existing(store.read('0'))
            if (isTaken)
              await store.replace(acquire(stored, { instanceName: 'other', incarnation: 'o-1' }, 1))
            throw storeError(403)
          },
        ]),
    })
    await controller.acquire(await existing(storedLease(runtime)), alone)
    await runtime.world.clock.advance(60_000)
    expect(told).toEqual(['acquired 0', 'error 0: 403', 'released 0: FeedError'])
    expect(await tokens(runtime)).toEqual([isTaken ? '0 other' : '0 free'])
    expect(runtime.telemetry.of('lease.renewed')).toEqual([])
    expect(runtime.world.clock.pendingTimers).toBe(0)
  })

  it.each([
    ['because another has taken it is no error (B175)', 'taken', []],
    ['because renewals failed is told with the reason (B176)', 'failing', ['error 0: 503']],
  ])('report the release of a lost lease: a loss %s', async (_name, how, errors) => {
    const { told, callbacks } = telling()
    const refusing = Array.from({ length: 1_000 }, () => () => Promise.reject(storeError(503)))
    const { runtime, controller } = await controlling({
      callbacks,
      leaseStore: (store) =>
        how === 'taken'
          ? store
          : intercepted(store, 'replace', [(forward, lease) => forward(lease), ...refusing]),
    })
    await controller.acquire(await existing(storedLease(runtime)), alone)
    await runtime.world.clock.advance(1_000)
    const store = await runtime.world.leaseStore()
    if (how === 'taken')
      await store.replace(
        acquire(await existing(store.read('0')), { instanceName: 'o', incarnation: 'o' }, 1),
      )
    await runtime.world.clock.advance(60_000)
    expect([...new Set(told)]).toEqual(['acquired 0', ...errors, 'released 0: LeaseLost'])
    expect(controller.holds('0')).toBe(false)
    expect(runtime.world.clock.pendingTimers).toBe(0)
  })
})

describe('several leases of a partition controller', () => {
  const halves = [
    { min: '', max: '20' },
    { min: '20', max: 'FF' },
  ]

  async function twoLeases(overrides: RuntimeOverrides): Promise<Controlled & { leases: readonly Lease[] }> {
    const controlled = await controlling(overrides)
    const { runtime } = controlled
    const store = await runtime.world.leaseStore()
    await store.delete(await existing(store.read('0')))
    for (const feedRange of halves)
      await store.create(aNewLease({ leaseToken: `${feedRange.min}-${feedRange.max}`, feedRange }))
    return { ...controlled, leases: (await store.list()).leases }
  }

  it('are each acquired and read, even while the delegate hangs on one (B162, B163)', async () => {
    const delivered: Record<string, string[]> = {}
    const { runtime, controller, leases } = await twoLeases({
      delegate: (changes, { leaseToken }) => {
        const isBusy = leaseToken === '-20' && delivered['-20'] !== undefined
        if (!isBusy) (delivered[leaseToken] ??= []).push(...changes.map(({ id }) => id))
        return isBusy ? new Promise(() => undefined) : Promise.resolve()
      },
      options: { stopTimeout: 1 },
    })
    for (const lease of leases) expect(await controller.acquire(lease, alone)).toBe(true)
    expect(await tokens(runtime)).toEqual(['-20 self', '20-FF self'])
    for (const round of ['a', 'b']) {
      for (let index = 0; index < 10; index += 1) await runtime.world.put(`${round}${index}`)
      await runtime.world.clock.advance(6_000)
    }
    expect(delivered['-20']?.some((id) => id.startsWith('a'))).toBe(true)
    expect(delivered['-20']?.some((id) => id.startsWith('b'))).toBe(false)
    expect(delivered['20-FF']?.some((id) => id.startsWith('b'))).toBe(true)
    controller.abandon()
  })

  it('are acquired in the same round even if the acquisition of one fails (B86, B381)', async () => {
    const { runtime, balancer, controller } = await twoLeases({
      leaseStore: (store) => intercepted(store, 'replace', [() => Promise.reject(storeError(503))]),
    })
    balancer.start()
    await runtime.world.clock.advance(0)
    expect(runtime.telemetry.of('balance.failed')).toHaveLength(1)
    expect(runtime.telemetry.of('leases.listed').length).toBeGreaterThan(0)
    expect(controller.heldCount).toBeGreaterThan(0)
    await balancer.stop()
    await controller.stop()
  })

  it('may be none, and then stopping is no error (B164)', async () => {
    const { runtime, controller } = await controlling()
    await controller.stop()
    await controller.stop()
    expect(await tokens(runtime)).toEqual(['0 free'])
    expect(runtime.world.clock.pendingTimers).toBe(0)
  })
})

describe('balancing', () => {
  it('goes on soon after a failed listing and after a failed acquisition (B169, B382)', async () => {
    const failing = (): Promise<never> => Promise.reject(storeError(503))
    const { runtime, controller, balancer } = await controlling({
      leaseStore: (store) => intercepted(intercepted(store, 'list', [failing]), 'replace', [failing]),
    })
    balancer.start()
    await runtime.world.clock.advance(49)
    expect(runtime.telemetry.of('balance.failed')).toHaveLength(1)
    await runtime.world.clock.advance(251)
    expect(runtime.telemetry.of('balance.failed')).toHaveLength(2)
    expect(controller.holds('0')).toBe(true)
    await balancer.stop()
    await controller.stop()
  })

  it('waits for its whole interval after an error that stays, and a little if the server advises no pause', async () => {
    const countAfter = async (error: Error): Promise<number> => {
      const failing = (): Promise<never> => Promise.reject(error)
      const { runtime, controller, balancer } = await controlling({
        leaseStore: (store) =>
          intercepted(
            store,
            'list',
            Array.from({ length: 1_000 }, () => failing),
          ),
      })
      balancer.start()
      await runtime.world.clock.advance(15_000)
      await balancer.stop()
      await controller.stop()
      return runtime.telemetry.of('balance.failed').length
    }
    expect(await countAfter(storeError(403))).toBe(1)
    expect(await countAfter(Object.assign(new Error('busy'), { code: 429, retryAfterInMs: 0 }))).toBe(301)
  })

  it('detects a silent owner by its own clock when the store does not tell its time', async () => {
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
  it('is reported to `onError` once, even if it stops the balancing twice', async () => {
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

  it('lets the current page finish, stores its position and reserves the lease (D3)', async () => {
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
    await controller.acquire(await existing(storedLease(runtime)), alone)
    await runtime.world.clock.advance(1_000)
    const store = await runtime.world.leaseStore()
    await store.replace(requestHandover(await existing(store.read('0')), other))
    // The lease is renewed all the time, so no instance takes it during a long page.
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

  it('is requested only from the current owner of a lease', async () => {
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
    await controller.acquire(await existing(storedLease(runtime)), alone)
    await runtime.world.clock.advance(1_000)
    runtime.world.split('0')
    await runtime.world.clock.advance(5_000)
  }

  it('gives the owner both children, at the old position (B177, B178, B181, B357, B377)', async () => {
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
    'is finished by the next owner of the parent (failing after %i children) (B180)',
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
      await next.acquire(await existing(storedLease(runtime)), alone)
      await runtime.world.clock.advance(1_000)
      expect((await tokens(runtime)).map((text) => text.slice(0, 1))).toEqual(['1', '2'])
      const { leases } = await runtime.leaseStore.list()
      expect(leases.map((lease) => lease.continuationToken)).toEqual(['"1"', '"1"'])
      await next.stop()
      await controller.stop()
    },
  )

  it('leaves the children to balancing with maxLeases (§8.3 maxScaleCount, B358, B378)', async () => {
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

  it('keeps the position of a child lease that exists already (B183, B360)', async () => {
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

describe('a split whose children', () => {
  const child = (leaseToken: string, min: string, max: string) =>
    aNewLease({ leaseToken, feedRange: { min, max }, continuationToken: '"99"' })

  const splitUnderHand = async (
    overrides: RuntimeOverrides,
    between: (store: LeaseStore) => Promise<unknown> = () => Promise.resolve(),
  ): Promise<Controlled> => {
    const controlled = await controlling(overrides)
    const { runtime, controller } = controlled
    await runtime.world.put('1')
    await controller.acquire(await existing(storedLease(runtime)), alone)
    await runtime.world.clock.advance(1_000)
    await between(await runtime.world.leaseStore())
    runtime.world.split('0')
    await runtime.world.clock.advance(5_000)
    return controlled
  }

  it('were created by another instance leaves them free, and deletes the parent (B184)', async () => {
    const middle = '1FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF'
    const { runtime, controller } = await splitUnderHand({}, async (store) => {
      await store.create(child('1', '', middle))
      await store.create(child('2', middle, 'FF'))
    })
    expect(await tokens(runtime)).toEqual(['1 free', '2 free'])
    const { leases } = await runtime.leaseStore.list()
    expect(leases.map(({ continuationToken }) => continuationToken)).toEqual(['"99"', '"99"'])
    await controller.stop()
  })

  it('cannot be acquired leaves them free at the old position, and deletes the parent (B185)', async () => {
    const acquiring = { isFailing: false }
    const { runtime, controller } = await splitUnderHand(
      {
        leaseStore: (store) =>
          intercepted(
            store,
            'replace',
            Array.from({ length: 20 }, () => (forward: LeaseStore['replace'], lease: Lease) => {
              const isChild = lease.leaseToken !== '0'
              return acquiring.isFailing && isChild ? Promise.reject(storeError(403)) : forward(lease)
            }),
          ),
      },
      () => Promise.resolve((acquiring.isFailing = true)),
    )
    expect(await tokens(runtime)).toEqual(['1 free', '2 free'])
    const { leases } = await runtime.leaseStore.list()
    expect(leases.map(({ continuationToken }) => continuationToken)).toEqual(['"1"', '"1"'])
    expect(runtime.telemetry.of('lease.released')).toMatchObject([{ leaseToken: '0', reason: 'Split' }])
    await controller.stop()
    expect(runtime.world.clock.pendingTimers).toBe(0)
  })
})

describe('a hint', () => {
  it('wakes the reader of its range, or every reader when none here has that range', async () => {
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
      options: { pollInterval: 5_000 },
    })
    await controller.acquire(await existing(storedLease(runtime)), alone)
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
