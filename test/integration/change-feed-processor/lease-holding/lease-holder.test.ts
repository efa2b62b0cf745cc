import { describe, expect, it } from 'vitest'
import { acquire, requestHandover, type Lease, type LeaseStore } from '../../../../lease-store/index.js'
import { LeaseHolder } from '../../../../src/change-feed-processor/lease-holding/lease-holder.js'
import { trustedUntilMs } from '../../../../src/change-feed-processor/lease-holding/trusted-until.js'
import { manyChanges } from '../../../../src/change-feed-processor/lease-holding/pending-checkpoint.js'
import {
  anAcquiredLease,
  aRuntime,
  storedLease,
  type RuntimeOverrides,
  type TestRuntime,
} from '../../../support/a-runtime.js'
import { intercepted, storeError, type Interception } from '../../../support/intercepted.js'

type Replacing = Interception<Parameters<LeaseStore['replace']>, Awaited<ReturnType<LeaseStore['replace']>>>

async function holding(
  overrides: RuntimeOverrides = {},
): Promise<{ runtime: TestRuntime; holder: LeaseHolder }> {
  const runtime = await aRuntime(overrides)
  const holder = new LeaseHolder(runtime, await anAcquiredLease(runtime), runtime.clock.monotonic())
  holder.start()
  return { runtime, holder }
}

const replacing = (...interceptions: Replacing[]): RuntimeOverrides => ({
  leaseStore: (store) => intercepted(store, 'replace', interceptions),
})

describe('a lease holder', () => {
  it('renews every renew interval (B364)', async () => {
    const { runtime, holder } = await holding()
    await runtime.world.clock.advance(13_000 * 4 + 500)
    expect(runtime.telemetry.of('lease.renewed')).toHaveLength(4)
    expect(await storedLease(runtime)).toMatchObject({ owner: 'self', etag: holder.lease.etag })
    await holder.release()
    expect(runtime.world.clock.pendingTimers).toBe(0)
  })

  it('stores a checkpoint once per interval, and a checkpoint is a renewal (B344)', async () => {
    const { runtime, holder } = await holding()
    await runtime.world.clock.advance(5_000)
    for (const token of ['"1"', '"2"', '"3"']) {
      await holder.checkpoint(token)
      await runtime.world.clock.advance(1_000)
    }
    expect(runtime.telemetry.of('checkpoint.stored')).toEqual([])
    await runtime.world.clock.advance(2_000)
    expect(runtime.telemetry.of('checkpoint.stored')).toMatchObject([{ continuationToken: '"3"' }])
    await runtime.world.clock.advance(12_999)
    expect(runtime.telemetry.of('lease.renewed')).toEqual([])
    await runtime.world.clock.advance(1)
    expect(runtime.telemetry.of('lease.renewed')).toHaveLength(1)
    await holder.release()
  })

  it('stores a checkpoint early after many changes, at most ten times per interval', async () => {
    const { runtime, holder } = await holding()
    const storedTokens = () =>
      runtime.telemetry.of('checkpoint.stored').map(({ continuationToken }) => continuationToken)
    await runtime.world.clock.advance(5_000)
    await holder.checkpoint('"1"', manyChanges - 1)
    await runtime.world.clock.advance(100)
    expect(storedTokens()).toEqual([])
    await holder.checkpoint('"2"', 1)
    await runtime.world.clock.advance(0)
    expect(storedTokens()).toEqual(['"2"'])
    // The next 499 ms belong to one checkpoint, no matter how many changes there are.
    for (const token of ['"3"', '"4"', '"5"']) await holder.checkpoint(token, manyChanges)
    await runtime.world.clock.advance(499)
    expect(storedTokens()).toEqual(['"2"'])
    await runtime.world.clock.advance(1)
    expect(storedTokens()).toEqual(['"2"', '"5"'])
    await holder.checkpoint('"6"', manyChanges - 1)
    await runtime.world.clock.advance(4_999)
    expect(storedTokens()).toEqual(['"2"', '"5"'])
    await runtime.world.clock.advance(1)
    expect(storedTokens()).toEqual(['"2"', '"5"', '"6"'])
    await holder.release()
  })

  it('stores every checkpoint before it goes on when the interval is 0', async () => {
    const { runtime, holder } = await holding({ options: { checkpointInterval: 0 } })
    await holder.checkpoint('"1"')
    await holder.checkpoint('"2"')
    expect(await storedLease(runtime)).toMatchObject({ continuationToken: '"2"' })
    expect(runtime.telemetry.of('checkpoint.stored')).toHaveLength(2)
    await holder.release()
  })

  it('knows by the store’s clock in which seconds it certainly held the lease (F-L7)', async () => {
    const { runtime, holder } = await holding()
    const second = holder.lease.storedAtMs / 1_000
    expect(
      [second - 1, second, second + 1, second + 59, second + 60].map((at) => holder.wasHeldAt(at)),
    ).toEqual([false, false, true, true, false])
    await runtime.world.clock.advance(13_500)
    // The renewal moves the end of this time, but not its beginning.
    expect(holder.wasHeldAt(second + 60)).toBe(true)
    expect(holder.wasHeldAt(second)).toBe(false)
    await holder.release()
    expect(holder.wasHeldAt(second + 1)).toBe(false)
  })

  it('knows that no instance held the lease between its release and its acquisition (F-L7)', async () => {
    const runtime = await aRuntime()
    const lease = await anAcquiredLease(runtime)
    const second = lease.storedAtMs / 1_000
    const how = { releasedAtMs: (second - 10) * 1_000 }
    const holder = new LeaseHolder(runtime, lease, runtime.clock.monotonic(), how)
    expect([second - 11, second - 10, second - 9, second].map((at) => holder.wasHeldAt(at))).toEqual([
      false,
      false,
      true,
      true,
    ])
  })

  it('never certainly holds a lease when another lease covers a part of the range (F-L7)', async () => {
    const runtime = await aRuntime()
    const lease = await anAcquiredLease(runtime)
    const holder = new LeaseHolder(runtime, lease, runtime.clock.monotonic(), { isShared: true })
    expect(holder.wasHeldAt(lease.storedAtMs / 1_000 + 1)).toBe(false)
  })

  it('stores the first position of an idle feed soon, and others when it renews (B392, B393)', async () => {
    const { runtime, holder } = await holding()
    await holder.notePosition('"1"')
    await runtime.world.clock.advance(5_000)
    expect(await storedLease(runtime)).toMatchObject({ continuationToken: '"1"' })
    await holder.notePosition('"1"')
    await holder.notePosition('"2"')
    await runtime.world.clock.advance(12_999)
    expect(await storedLease(runtime)).toMatchObject({ continuationToken: '"1"' })
    await runtime.world.clock.advance(1)
    expect(await storedLease(runtime)).toMatchObject({ continuationToken: '"2"' })
    await holder.release()
  })

  it('releases the lease and stores the pending checkpoint in one write (B126)', async () => {
    const writes: string[] = []
    const counting: Replacing = (forward, lease) => {
      writes.push(`${lease.owner ?? 'free'} ${lease.continuationToken ?? ''}`)
      return forward(lease)
    }
    const { runtime, holder } = await holding(replacing(counting, counting))
    await holder.checkpoint('"7"')
    await holder.release()
    expect(writes).toEqual(['free "7"'])
    expect(await storedLease(runtime)).toMatchObject({
      owner: null,
      incarnation: null,
      continuationToken: '"7"',
    })
    expect(runtime.world.clock.pendingTimers).toBe(0)
  })

  it('makes its writes one after another', async () => {
    let concurrent = 0
    let most = 0
    const measuring: Replacing = async (forward, lease) => {
      most = Math.max(most, (concurrent += 1))
      const outcome = await forward(lease)
      concurrent -= 1
      return outcome
    }
    const { holder } = await holding({
      ...replacing(measuring, measuring, measuring, measuring),
      options: { checkpointInterval: 0 },
    })
    await Promise.all([holder.checkpoint('"1"'), holder.checkpoint('"2"'), holder.checkpoint('"3"')])
    await holder.release()
    expect(most).toBe(1)
    expect(holder.lost.aborted).toBe(false)
  })

  it.each([true, false])(
    'reads the lease after an unknown outcome and goes on (applied: %s) (B369)',
    async (isApplied) => {
      const unknown: Replacing = async (forward, lease) => {
        if (isApplied) await forward(lease)
        return { kind: 'unknownOutcome', cause: storeError(503) }
      }
      const { runtime, holder } = await holding(replacing(unknown))
      await holder.checkpoint('"7"')
      expect(await holder.flush()).toBe(true)
      expect(await storedLease(runtime)).toMatchObject({ owner: 'self', continuationToken: '"7"' })
      await holder.release()
      expect(await storedLease(runtime)).toMatchObject({ owner: null })
    },
  )

  it('retries a write that the store throttles, after the delay that the store advises', async () => {
    const throttled: Replacing = () => Promise.reject(storeError(429, { retryAfterInMs: 700 }))
    const { runtime, holder } = await holding(replacing(throttled))
    await runtime.world.clock.advance(13_699)
    expect(runtime.telemetry.of('lease.renewed')).toEqual([])
    await runtime.world.clock.advance(1)
    expect(runtime.telemetry.of('lease.renewed')).toHaveLength(1)
    expect(runtime.telemetry.of('feed.failed')).toHaveLength(1)
    await holder.release()
  })

  it('loses the lease when another instance owns it (B371)', async () => {
    const { runtime, holder } = await holding()
    const store = await runtime.world.leaseStore()
    await store.replace(acquire(holder.lease, { instanceName: 'other', incarnation: 'other-1' }, 1))
    await holder.checkpoint('"9"')
    await runtime.world.clock.advance(5_000)
    expect(holder.lost.aborted).toBe(true)
    expect(await holder.flush()).toBe(false)
    await holder.release()
    expect(await storedLease(runtime)).toMatchObject({ owner: 'other', continuationToken: null })
    expect(runtime.world.clock.pendingTimers).toBe(0)
  })

  it('loses the lease when its document is gone (B152, B372)', async () => {
    const { runtime, holder } = await holding()
    await (await runtime.world.leaseStore()).delete(holder.lease)
    await runtime.world.clock.advance(13_000)
    expect(holder.lost.aborted).toBe(true)
  })

  it('loses the lease when another incarnation of its instance owns it', async () => {
    const { runtime, holder } = await holding()
    const store = await runtime.world.leaseStore()
    await store.replace(acquire(holder.lease, { instanceName: 'self', incarnation: 'self-2' }, 1))
    await runtime.world.clock.advance(13_000)
    expect(holder.lost.aborted).toBe(true)
  })

  it('trusts its lease from the start of its last write until the expiration less the margin', async () => {
    const hanging: Replacing = () => new Promise(() => undefined)
    const { runtime, holder } = await holding(replacing((forward, lease) => forward(lease), hanging))
    await runtime.world.clock.advance(13_000 + 54_999)
    expect([holder.lost.aborted, holder.isTrusted()]).toEqual([false, true])
    await runtime.world.clock.advance(1)
    expect([holder.lost.aborted, holder.isTrusted()]).toEqual([true, false])
    expect(trustedUntilMs(13_000, 60_000, 5_000)).toBe(13_000 + 55_000)
  })

  it('counts its trust from the start of a write, even if the answer is slow', async () => {
    let answer: (() => void) | undefined
    const slow: Replacing = async (forward, lease) => {
      const outcome = await forward(lease)
      await new Promise<void>((resolve) => (answer = resolve))
      return outcome
    }
    const hanging: Replacing = () => new Promise(() => undefined)
    const { runtime, holder } = await holding(replacing(slow, hanging))
    await runtime.world.clock.advance(13_000 + 20_000)
    answer?.()
    await runtime.world.clock.advance(35_000 - 1)
    expect(holder.lost.aborted).toBe(false)
    await runtime.world.clock.advance(1)
    expect(holder.lost.aborted).toBe(true)
  })

  it('reports a checkpoint that was not stored, and stores it a little later (B214, B346)', async () => {
    const refused: Replacing = () => Promise.reject(storeError(503))
    const { runtime, holder } = await holding(replacing(refused, refused))
    await holder.checkpoint('"7"')
    await runtime.world.clock.advance(5_000)
    expect(runtime.telemetry.of('checkpoint.stored')).toEqual([])
    expect(runtime.telemetry.of('feed.failed')[0]).toMatchObject({ error: { cause: { code: 503 } } })
    await runtime.world.clock.advance(5_000)
    expect(runtime.telemetry.of('checkpoint.stored')).toMatchObject([{ continuationToken: '"7"' }])
    expect(await storedLease(runtime)).toMatchObject({ owner: 'self', continuationToken: '"7"' })
    await holder.release()
  })

  it('keeps a checkpoint that comes while an earlier one is written (B347)', async () => {
    const { runtime, holder } = await holding(
      replacing(async (forward, lease) => {
        await holder.checkpoint('"2"')
        return forward(lease)
      }),
    )
    await holder.checkpoint('"1"')
    await runtime.world.clock.advance(5_000)
    expect(await storedLease(runtime)).toMatchObject({ continuationToken: '"1"' })
    await runtime.world.clock.advance(5_000)
    expect(await storedLease(runtime)).toMatchObject({ continuationToken: '"2"' })
    await holder.release()
  })

  it('reads on for most of an acquire interval after a request, and keeps the lease until its release', async () => {
    const { runtime, holder } = await holding()
    const other = { instanceName: 'other', incarnation: 'other-1' }
    const store = await runtime.world.leaseStore()
    await store.replace(requestHandover(holder.lease, other))
    await runtime.world.clock.advance(14_000)
    expect(holder.asked.aborted).toBe(false)
    await runtime.world.clock.advance(1_000)
    expect([holder.asked.aborted, holder.lost.aborted]).toEqual([true, false])
    expect(await storedLease(runtime)).toMatchObject({ owner: 'self', handover: other })
    await holder.release()
    expect(await storedLease(runtime)).toMatchObject({ owner: null, handover: other })
  })

  it('knows that its trust window has ended even if no timer has fired', async () => {
    const runtime = await aRuntime()
    const lease = await anAcquiredLease(runtime)
    await runtime.world.clock.advance(55_000)
    const holder = new LeaseHolder(runtime, lease, 0)
    expect(holder.isTrusted()).toBe(false)
    expect(holder.lost.aborted).toBe(true)
  })

  it('removes the lease even if another writer has changed it', async () => {
    const { runtime, holder } = await holding()
    const store = await runtime.world.leaseStore()
    await store.replace({ ...holder.lease, timestampMs: 5 })
    await holder.remove()
    expect(await storedLease(runtime)).toBeNull()
    expect(runtime.world.clock.pendingTimers).toBe(0)
    await holder.release()
  })

  it('writes nothing more and leaves no timer behind when it is abandoned', async () => {
    const { runtime, holder } = await holding()
    await holder.checkpoint('"7"')
    holder.abandon()
    await runtime.world.clock.advance(20_000)
    expect(await storedLease(runtime)).toMatchObject({ owner: 'self', continuationToken: null })
    expect(runtime.world.clock.pendingTimers).toBe(0)
  })
})

describe('a held lease', () => {
  const other = { instanceName: 'other', incarnation: 'other-1' }

  /** Changes the stored lease as another instance would, unknown to the holder. */
  const changed = async (runtime: TestRuntime, change: (lease: Lease) => Lease): Promise<void> => {
    const stored = await storedLease(runtime)
    if (stored === null) throw new Error('the lease is gone')
    await (await runtime.world.leaseStore()).replace(change(stored))
  }

  it('is not renewed after another instance has taken it, and there is no error (B130, B175)', async () => {
    const { runtime, holder } = await holding()
    await changed(runtime, (lease) => acquire(lease, other, 7))
    await runtime.world.clock.advance(12_999)
    expect(holder.lost.aborted).toBe(false)
    await runtime.world.clock.advance(1)
    expect(holder.lost.aborted).toBe(true)
    expect(await storedLease(runtime)).toMatchObject({ owner: 'other', timestampMs: 7 })
    expect(runtime.telemetry.of('feed.failed')).toEqual([])
    expect(runtime.world.clock.pendingTimers).toBe(0)
  })

  it('is not released after another instance has taken it, and there is no error (B132, B173)', async () => {
    const { runtime, holder } = await holding()
    await changed(runtime, (lease) => acquire(lease, other, 7))
    await holder.release()
    expect(await storedLease(runtime)).toMatchObject({ owner: 'other', timestampMs: 7 })
    expect(runtime.telemetry.of('feed.failed')).toEqual([])
    expect(runtime.world.clock.pendingTimers).toBe(0)
  })

  it('is released without an error when it is gone, and is not created again (B127)', async () => {
    const { runtime, holder } = await holding()
    await (await runtime.world.leaseStore()).delete(holder.lease)
    await holder.release()
    expect(await storedLease(runtime)).toBeNull()
    expect(runtime.telemetry.of('feed.failed')).toEqual([])
    expect(runtime.world.clock.pendingTimers).toBe(0)
  })

  it('is not considered gone when a replica lags behind, and is released later (B128)', async () => {
    const behind: Replacing = () =>
      Promise.reject(storeError(404, { headers: { 'x-ms-substatus': '1002' }, substatus: 1002 }))
    const { runtime, holder } = await holding(replacing(behind, behind))
    const releasing = holder.release()
    await runtime.world.clock.advance(5_000)
    await releasing
    expect(await storedLease(runtime)).toMatchObject({ owner: null })
    expect(runtime.telemetry.of('feed.failed')).toHaveLength(2)
  })

  it('is read and written again after another writer’s change, which it keeps (B149, B370)', async () => {
    const writes: string[] = []
    const counting: Replacing = async (forward, lease) => {
      const outcome = await forward(lease)
      writes.push(outcome.kind)
      return outcome
    }
    const { runtime, holder } = await holding({
      ...replacing(counting, counting, counting),
      options: { checkpointInterval: 0 },
    })
    const note = { ...(holder.lease.document['properties'] as object), 'other.tool': 'was here' }
    const { document } = holder.lease
    await runtime.world.leaseContainer.items.upsert({ ...document, properties: note, later: 1 })
    await holder.checkpoint('"7"')
    expect(writes).toEqual(['conflict', 'written'])
    const stored = await storedLease(runtime)
    expect(stored).toMatchObject({ owner: 'self', continuationToken: '"7"', document: { later: 1 } })
    expect(stored?.document['properties']).toMatchObject({ 'other.tool': 'was here' })
    await holder.checkpoint('"8"')
    expect(writes).toEqual(['conflict', 'written', 'written'])
    await holder.release()
  })

  it('is lost when its trust window ends if every write of its holder conflicts (B150)', async () => {
    let writes = 0
    const racing: Replacing = async (forward, lease) => {
      writes += 1
      await changed(raced.runtime, (stored) => ({ ...stored, timestampMs: writes }))
      return forward(lease)
    }
    const raced = await holding(replacing(...Array.from({ length: 1_000 }, () => racing)))
    const { runtime, holder } = raced
    await holder.checkpoint('"7"')
    await runtime.world.clock.advance(54_999)
    expect(holder.lost.aborted).toBe(false)
    expect(writes).toBeGreaterThan(6)
    await runtime.world.clock.advance(1)
    expect(holder.lost.aborted).toBe(true)
    const written = writes
    await runtime.world.clock.advance(60_000)
    expect(writes).toBe(written)
    expect(await storedLease(runtime)).toMatchObject({ continuationToken: null })
  })

  it.each([
    ['409, which is told and never counts as done (B151)', 409],
    ['403, which is told as the reason (B176)', 403],
  ])('is lost when its trust window ends if the store only answers %s', async (_name, code) => {
    const refusing: Replacing = () => Promise.reject(storeError(code))
    const { runtime, holder } = await holding(replacing(...Array.from({ length: 1_000 }, () => refusing)))
    await holder.checkpoint('"7"')
    const flushed = holder.flush()
    await runtime.world.clock.advance(55_000)
    expect(await flushed).toBe(false)
    expect(holder.lost.aborted).toBe(true)
    expect(runtime.telemetry.of('checkpoint.stored')).toEqual([])
    expect(runtime.telemetry.of('feed.failed')[0]).toMatchObject({ error: { cause: { code } } })
  })

  it('is lost when the read after a conflict does not find it (B153)', async () => {
    const { runtime, holder } = await holding({
      leaseStore: (store) =>
        intercepted(intercepted(store, 'replace', [() => Promise.resolve({ kind: 'conflict' })]), 'read', [
          () => Promise.resolve(null),
        ]),
    })
    await runtime.world.clock.advance(13_000)
    expect(holder.lost.aborted).toBe(true)
    expect(runtime.telemetry.of('feed.failed')).toEqual([])
  })

  it('is written on the etag of the write before, in one request each time (B366, B373)', async () => {
    const requests: string[] = []
    const chained: Replacing = async (forward, lease) => {
      const outcome = await forward(lease)
      const next = outcome.kind === 'written' ? outcome.lease.etag : outcome.kind
      requests.push(`${lease.etag} → ${next}`)
      return outcome
    }
    const { holder } = await holding({
      options: { checkpointInterval: 0 },
      leaseStore: (store) =>
        intercepted(intercepted(store, 'replace', [chained, chained, chained]), 'read', [
          () => Promise.reject(new Error('nothing need be read')),
        ]),
    })
    const acquired = holder.lease.etag
    for (const token of ['"1"', '"2"', '"3"']) await holder.checkpoint(token)
    expect(requests).toHaveLength(3)
    const etags = requests.flatMap((request) => request.split(' → '))
    expect(etags).toEqual([acquired, etags[1], etags[1], etags[3], etags[3], holder.lease.etag])
    expect(new Set(etags).size).toBe(4)
    await holder.release()
  })
})
