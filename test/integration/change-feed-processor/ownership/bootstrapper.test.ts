import { describe, expect, it } from 'vitest'
import type { LeaseStore } from '../../../../lease-store/index.js'
import { Bootstrapper } from '../../../../src/change-feed-processor/ownership/bootstrapper.js'
import type { ChangeFeed, StartPosition } from '../../../../src/change-feed-processor/index.js'
import { aNewLease } from '../../../support/a-lease.js'
import { aRuntime, storedLease, type RuntimeOverrides, type TestRuntime } from '../../../support/a-runtime.js'
import { intercepted, storeError } from '../../../support/intercepted.js'

interface Bootstrapping {
  readonly runtime: TestRuntime
  readonly outcome: () => unknown
  readonly aborting: AbortController
}

/** Runs a bootstrapper. The outcome is 'ready', the error of the run, or undefined while it runs. */
async function bootstrapping(
  overrides: RuntimeOverrides = {},
  prepare: (runtime: TestRuntime) => Promise<unknown> = () => Promise.resolve(),
): Promise<Bootstrapping> {
  const runtime = await aRuntime(overrides)
  await prepare(runtime)
  const aborting = new AbortController()
  let outcome: unknown
  new Bootstrapper(runtime).run(aborting.signal).then(
    () => (outcome = 'ready'),
    (error: unknown) => (outcome = error),
  )
  await runtime.world.clock.advance(0)
  return { runtime, aborting, outcome: () => outcome }
}

/** Returns a runtime, and the names of all calls of its lease store. */
async function recorded(): Promise<{ runtime: TestRuntime; calls: string[] }> {
  const calls: string[] = []
  const recording = <P extends object>(port: P): P =>
    new Proxy(port, {
      get: (target, name): unknown => {
        const member: unknown = Reflect.get(target, name, target)
        if (name === 'initialization') return recording(member as object)
        if (typeof member !== 'function') return member
        return (...args: unknown[]): unknown => {
          calls.push(String(name))
          return Reflect.apply(member, target, args)
        }
      },
    })
  return { runtime: await aRuntime({ leaseStore: recording }), calls }
}

const startingFrom = (startFrom: StartPosition): RuntimeOverrides => ({ options: { startFrom } })

describe('bootstrapping', () => {
  it.each<[StartPosition, object]>([
    ['beginning', { firstPosition: { kind: 'beginning' }, continuationToken: null }],
    [new Date(5_000), { firstPosition: { kind: 'time', atMs: 5_000 }, continuationToken: null }],
    ['now', { firstPosition: null, continuationToken: '"1"' }],
  ])('from %j stores that position in the lease (B239, B240, B241)', async (startFrom, position) => {
    const { runtime, outcome } = await bootstrapping(startingFrom(startFrom), ({ world }) =>
      world.put('before'),
    )
    expect(outcome()).toBe('ready')
    expect(await storedLease(runtime)).toMatchObject({ owner: null, ...position })
    expect(await runtime.leaseStore.initialization.doneAtMs()).not.toBeNull()
    expect(await (await runtime.world.leaseStore()).initialization.tryLock(30)).toBe(true)
  })

  it('from now on stores the same position when the mode latestVersion is given (B242)', async () => {
    const options = { startFrom: 'now', mode: 'latestVersion' } as const
    const { runtime } = await bootstrapping({ options }, ({ world }) => world.put('before'))
    expect(await storedLease(runtime)).toMatchObject({ continuationToken: '"1"', mode: 'Incremental Feed' })
  })

  it('looks for the marker, locks, creates the leases, marks and unlocks, in this order (B88)', async () => {
    const { runtime, calls } = await recorded()
    await new Bootstrapper(runtime).run(new AbortController().signal)
    expect(calls).toEqual(['doneAtMs', 'tryLock', 'list', 'create', 'markDone', 'unlock'])
  })

  it('writes nothing when the marker exists and no lease is missing (B89)', async () => {
    const { runtime, calls } = await recorded()
    const bootstrapper = new Bootstrapper(runtime)
    await bootstrapper.run(new AbortController().signal)
    calls.length = 0
    await bootstrapper.run(new AbortController().signal)
    expect(calls).toEqual(['doneAtMs', 'list'])
  })

  it('waits for the instance that has the lock, and uses the leases that it created (B90)', async () => {
    let other: LeaseStore | undefined
    const { runtime, outcome } = await bootstrapping({}, async ({ world }) => {
      other = await world.leaseStore()
      await other.initialization.tryLock(30)
    })
    await runtime.world.clock.advance(10_000)
    expect(outcome()).toBeUndefined()
    expect((await runtime.leaseStore.list()).leases).toEqual([])
    await other?.create(aNewLease({ continuationToken: '"9"' }))
    await other?.initialization.markDone()
    await runtime.world.clock.advance(1_000)
    expect(outcome()).toBe('ready')
    expect(await storedLease(runtime)).toMatchObject({ continuationToken: '"9"' })
  })

  it('continues for an instance that died with the lock, and keeps the leases that it created', async () => {
    const { runtime, outcome } = await bootstrapping(startingFrom('now'), async ({ world }) => {
      const other = await world.leaseStore()
      await other.initialization.tryLock(30)
      await other.create(aNewLease({ continuationToken: '"9"' }))
    })
    await runtime.world.clock.advance(34_000)
    expect(outcome()).toBe('ready')
    expect(await storedLease(runtime)).toMatchObject({ continuationToken: '"9"' })
  })

  it('stops waiting when its signal aborts', async () => {
    const { runtime, aborting, outcome } = await bootstrapping({}, async ({ world }) => {
      await (await world.leaseStore()).initialization.tryLock(30)
    })
    aborting.abort()
    await runtime.world.clock.advance(0)
    expect(outcome()).toBe('ready')
    expect(runtime.world.clock.pendingTimers).toBe(0)
  })

  it('creates a lease that is missing although the marker exists', async () => {
    const { runtime, outcome } = await bootstrapping({}, async ({ leaseStore }) =>
      leaseStore.initialization.markDone(),
    )
    expect(outcome()).toBe('ready')
    expect(await storedLease(runtime)).not.toBeNull()
  })

  it('starts again when a range is split meanwhile', async () => {
    const { runtime, outcome } = await bootstrapping({
      ...startingFrom('now'),
      feed: (feed) =>
        intercepted<ChangeFeed, 'readNext'>(feed, 'readNext', [
          async (forward, from, options) => {
            const page = await forward(from, options)
            return { ...page, next: [...page.next, ...page.next] }
          },
        ]),
    })
    expect([outcome(), await storedLease(runtime)]).toEqual([undefined, null])
    await runtime.world.clock.advance(1_000)
    expect(outcome()).toBe('ready')
    expect(await storedLease(runtime)).not.toBeNull()
  })

  it('refuses leases that follow the feed in another mode', async () => {
    const { outcome } = await bootstrapping({}, ({ leaseStore }) =>
      leaseStore.create(aNewLease({ mode: 'Full-Fidelity Feed' })),
    )
    expect(outcome()).toMatchObject({
      message: expect.stringMatching(/"Full-Fidelity Feed".*processorName/) as string,
    })
  })

  it.each([
    { code: 503, isReady: true },
    { code: 401, isReady: false },
  ])(
    'retries a transient error, and fails on others ($code: ready after a while $isReady)',
    async ({ code, isReady }) => {
      const { runtime, outcome } = await bootstrapping({
        leaseStore: (store) =>
          intercepted(store, 'list', [
            () => Promise.reject(storeError(code)),
            () => Promise.reject(storeError(code)),
          ]),
      })
      await runtime.world.clock.advance(1_000)
      if (isReady) expect(outcome()).toBe('ready')
      else expect(outcome()).toMatchObject({ code })
      // The lock is released in both cases.
      expect(await (await runtime.world.leaseStore()).initialization.tryLock(30)).toBe(true)
    },
  )
})
