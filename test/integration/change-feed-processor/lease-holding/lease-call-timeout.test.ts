import { describe, expect, it } from 'vitest'
import type { LeaseStore } from '../../../../lease-store/index.js'
import { cosmosErrorKind } from '../../../../lease-store/internal.js'
import { withTimeouts } from '../../../../src/change-feed-processor/lease-holding/lease-call-timeout.js'
import { aNewLease } from '../../../support/a-lease.js'
import { aRuntime, type TestRuntime } from '../../../support/a-runtime.js'
import { intercepted } from '../../../support/intercepted.js'

const never = (): Promise<never> => new Promise(() => undefined)

async function timed(
  store: (store: LeaseStore) => LeaseStore,
): Promise<{ runtime: TestRuntime; leases: LeaseStore }> {
  const runtime = await aRuntime()
  const { clock } = runtime
  return {
    runtime,
    leases: withTimeouts(store(runtime.leaseStore), { clock, callMs: 6_500, listMs: 17_000 }),
  }
}

describe('a lease store with timeouts (F-L9)', () => {
  it('behaves like its store while that answers, and leaves no timer behind', async () => {
    const { runtime, leases } = await timed((store) => store)
    const created = await leases.create(aNewLease())
    if (created.kind !== 'created') throw new Error(created.kind)
    const written = await leases.replace({ ...created.lease, owner: 'a' })
    expect(written).toMatchObject({ kind: 'written', lease: { owner: 'a' } })
    expect(await leases.read('0')).toMatchObject({ owner: 'a' })
    expect((await leases.list()).leases).toHaveLength(1)
    expect(await leases.initialization.tryLock(30)).toBe(true)
    await leases.initialization.markDone()
    await leases.initialization.unlock()
    expect(await leases.initialization.doneAtMs()).not.toBeNull()
    if (written.kind === 'written') expect(await leases.delete(written.lease)).toEqual({ kind: 'deleted' })
    expect(runtime.world.clock.pendingTimers).toBe(0)
  })

  it('reports an unknown outcome for a write without an answer', async () => {
    const { runtime, leases } = await timed((store) => intercepted(store, 'replace', [never]))
    const created = await leases.create(aNewLease())
    if (created.kind !== 'created') throw new Error(created.kind)
    const writing = leases.replace(created.lease)
    await runtime.world.clock.advance(6_500)
    expect(await writing).toMatchObject({ kind: 'unknownOutcome' })
  })

  it.each([
    { method: 'read', afterMs: 6_500 },
    { method: 'list', afterMs: 17_000 },
  ] as const)(
    'gives up a $method after $afterMs ms, as if the store were unavailable',
    async ({ method, afterMs }) => {
      const { runtime, leases } = await timed((store) => intercepted(store, method, [never]))
      let failure: unknown
      const call = method === 'read' ? leases.read('0') : leases.list()
      const settled = call.catch((error: unknown) => (failure = error))
      await runtime.world.clock.advance(afterMs - 1)
      expect(failure).toBeUndefined()
      await runtime.world.clock.advance(1)
      await settled
      expect(cosmosErrorKind(failure)).toEqual({ kind: 'unavailable' })
    },
  )

  it('passes other failures on unchanged', async () => {
    const refused = new Error('refused')
    const { leases } = await timed((store) => intercepted(store, 'replace', [() => Promise.reject(refused)]))
    const created = await leases.create(aNewLease())
    if (created.kind !== 'created') throw new Error(created.kind)
    await expect(leases.replace(created.lease)).rejects.toBe(refused)
  })
})
