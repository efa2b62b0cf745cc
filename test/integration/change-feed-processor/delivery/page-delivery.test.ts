import { describe, expect, it } from 'vitest'
import {
  DelegateError,
  LeaseLostError,
  type ChangeFeedContext,
} from '../../../../src/change-feed-processor/index.js'
import { storedLease, type RuntimeOverrides } from '../../../support/a-runtime.js'
import { intercepted, storeError } from '../../../support/intercepted.js'
import { supervising } from '../../../support/supervised.js'

type Options = NonNullable<RuntimeOverrides['options']>

const policy = (deadLetter: (id: string) => Promise<void> | void, tries = 2): Options => ({
  failurePolicy: {
    retry: { tries, backoff: { min: 10, max: 20 } },
    then: 'deadLetter',
    deadLetter: (change) => deadLetter(change.id),
  },
})

const eight = Array.from({ length: 8 }, (_, index) => `d${index}`)

describe('a page whose delegate fails', () => {
  it('is searched for the poison, which is set aside, while the feed goes on (F-C13)', async () => {
    const handled: string[] = []
    const aside: string[] = []
    const { runtime, holder } = await supervising(
      {
        options: policy((id) => void aside.push(id)),
        delegate: (changes) => {
          if (changes.some(({ id }) => id === 'd5')) throw new Error('poison')
          handled.push(...changes.map(({ id }) => id))
        },
      },
      eight,
    )
    await runtime.world.clock.advance(1_000)
    await runtime.world.put('later')
    await runtime.world.clock.advance(10_000)
    expect(aside).toEqual(['d5'])
    expect(handled).toEqual([...eight.filter((id) => id !== 'd5'), 'later'])
    expect(runtime.telemetry.of('deadLetter.written')).toMatchObject([{ documentId: 'd5', attempts: 2 }])
    await holder.flush()
    expect((await storedLease(runtime))?.continuationToken).toBe('"9"')
  })

  it('is not passed by a checkpoint while its poison cannot be set aside (I10, F-C15)', async () => {
    let isWritable = false
    const { runtime, holder } = await supervising(
      {
        options: {
          checkpointInterval: 0,
          ...policy(() => (isWritable ? undefined : Promise.reject(new Error('throttled')))),
        },
        delegate: (changes) => {
          if (changes.some(({ id }) => id === 'd1')) throw new Error('poison')
        },
      },
      ['d0', 'd1', 'd2'],
    )
    await runtime.world.clock.advance(60_000)
    expect((await storedLease(runtime))?.continuationToken).toBe('"1"')
    expect(runtime.telemetry.of('feed.failed').length).toBeGreaterThan(2)
    expect(holder.isTrusted()).toBe(true)
    isWritable = true
    await runtime.world.clock.advance(60_000)
    expect((await storedLease(runtime))?.continuationToken).toBe('"3"')
  })

  it('is set aside when the delegate hangs, and the signal of each call is aborted (F-C14)', async () => {
    const aside: string[] = []
    const signals: AbortSignal[] = []
    const { runtime, closing } = await supervising(
      {
        options: { ...policy((id) => void aside.push(id)), delegateTimeout: 1_000 },
        delegate: (_changes, { signal }) => {
          signals.push(signal)
          return new Promise(() => undefined)
        },
      },
      ['d0'],
    )
    await runtime.world.clock.advance(3_000)
    expect(aside).toEqual(['d0'])
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
    expect(closing()).toBeNull()
  })

  it('gives the lease back when its delegate hangs and nothing limits failures (F-C14)', async () => {
    const { runtime, closing } = await supervising(
      { options: { delegateTimeout: 1_000 }, delegate: () => new Promise(() => undefined) },
      ['d0'],
    )
    await runtime.world.clock.advance(999)
    expect(closing()).toBeNull()
    await runtime.world.clock.advance(1)
    expect(closing()).toMatchObject({ reason: 'DelegateError', error: { cause: { code: 'TimeoutError' } } })
    expect(runtime.telemetry.of('delegate.failed')).toHaveLength(1)
  })

  it('is not set aside when the processor stops first', async () => {
    const { runtime, supervisor, closing } = await supervising(
      {
        options: policy(() => Promise.reject(new Error('missing'))),
        delegate: () => {
          throw new Error('poison')
        },
      },
      ['d0'],
    )
    await runtime.world.clock.advance(5_000)
    supervisor.shutDown()
    await runtime.world.clock.advance(0)
    expect(closing()).toEqual({ reason: 'Shutdown' })
    expect(runtime.telemetry.of('deadLetter.written')).toEqual([])
  })
})

describe('a delegate', () => {
  it('may ignore its context, and gets the changes as they were read (B220, B229)', async () => {
    const pages: unknown[] = []
    const { runtime } = await supervising(
      { delegate: (changes) => void pages.push(changes), options: { maxItemCount: 2 } },
      ['d0', 'd1', 'd2'],
    )
    await runtime.world.clock.advance(10_000)
    const from = { feedRange: { min: '', max: 'FF' }, start: { kind: 'beginning' } } as const
    const { signal } = new AbortController()
    const first = await runtime.feed.readNext(from, { maxItemCount: 2, signal })
    expect(pages).toHaveLength(2)
    expect(pages[0]).toEqual(first.changes)
  })

  it('gets the next page only after the position of the last one is stored (B213, B225, B343)', async () => {
    const stored: (string | null | undefined)[] = []
    const started: { read?: () => Promise<string | null | undefined> } = {}
    const { runtime } = await supervising(
      {
        options: { maxItemCount: 1, checkpointInterval: 0 },
        delegate: async () => void stored.push(await started.read?.()),
      },
      ['d0', 'd1', 'd2'],
    )
    started.read = async () => (await storedLease(runtime))?.continuationToken
    await runtime.world.clock.advance(0)
    expect([...stored, await started.read()]).toEqual([null, '"1"', '"2"', '"3"'])
  })

  it.each([
    ['an error of its own (B230)', new RangeError('no such shelf')],
    [
      'an error of the store, which is not ours to wait for (B231)',
      storeError(429, { retryAfterInMs: 60_000 }),
    ],
    ['something that is no error (B230)', 'text'],
  ])('has failed, with the thrown value as the cause, when it throws %s', async (_name, thrown) => {
    let calls = 0
    const { runtime, closing } = await supervising(
      {
        delegate: () => {
          calls += 1
          // eslint-disable-next-line @typescript-eslint/only-throw-error -- users may throw anything
          if (calls === 1) throw thrown
        },
      },
      ['d0'],
    )
    await runtime.world.clock.advance(2_000)
    const [{ error } = { error: null }] = runtime.telemetry.of('delegate.failed')
    expect(error).toBeInstanceOf(DelegateError)
    expect(error).toMatchObject({ leaseToken: '0', cause: thrown })
    expect(runtime.telemetry.of('feed.failed')).toEqual([])
    expect([calls, closing()]).toEqual([2, null])
  })
})

describe('checkpoints by the delegate', () => {
  const manual: Options = { checkpoint: 'manual' }

  it('are the only ones, and are stored when the call resolves (B216, B222, B226)', async () => {
    const contexts: ChangeFeedContext[] = []
    const { runtime, holder } = await supervising(
      { options: manual, delegate: (_changes, context) => void contexts.push(context) },
      ['d0', 'd1'],
    )
    await runtime.world.clock.advance(20_000)
    await holder.flush()
    expect((await storedLease(runtime))?.continuationToken).toBeNull()
    await contexts[0]?.checkpoint()
    expect((await storedLease(runtime))?.continuationToken).toBe('"2"')
  })

  it('may cover part of a page, pass no unhandled transaction and never go back (I10)', async () => {
    const stored: (string | null | undefined)[] = []
    const started: { read?: () => Promise<string | null | undefined> } = {}
    const { runtime } = await supervising(
      {
        options: manual,
        delegate: async (changes, { checkpoint }) => {
          for (const change of changes.slice(0, 2)) {
            await checkpoint(change)
            stored.push(await started.read?.())
          }
          await checkpoint(changes[0])
          stored.push(await started.read?.())
        },
      },
      ['d0', 'd1', 'd2'],
    )
    started.read = async () => (await storedLease(runtime))?.continuationToken
    await runtime.world.clock.advance(0)
    // The last call is about an earlier change than the stored one.
    expect(stored).toEqual(['"1"', '"2"', '"2"'])
  })

  it('are refused for changes that the call did not deliver', async () => {
    const refusals: unknown[] = []
    const { runtime } = await supervising(
      {
        options: manual,
        delegate: async (_changes, { checkpoint }) => {
          await checkpoint({ id: 'd0' }).catch((error: unknown) => refusals.push(error))
        },
      },
      ['d0'],
    )
    await runtime.world.clock.advance(0)
    expect(refusals).toEqual([expect.any(RangeError)])
  })

  it('fail with 412 on a lost lease (§8.2 ChangeFeedObserverContextCore: LeaseLost, B217)', async () => {
    const contexts: ChangeFeedContext[] = []
    const { runtime, holder } = await supervising(
      { options: manual, delegate: (_changes, context) => void contexts.push(context) },
      ['d0'],
    )
    await runtime.world.clock.advance(0)
    holder.abandon()
    const refused: unknown = await contexts[0]?.checkpoint().catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(LeaseLostError)
    expect(refused).toMatchObject({ code: 'LEASE_LOST', statusCode: 412, leaseToken: '0' })
    await runtime.world.clock.advance(0)
    expect((await storedLease(runtime))?.continuationToken).toBeNull()
  })

  it.each([
    ['of the store (B218)', storeError(503)],
    ['of any kind (B219)', new TypeError('unexpected')],
  ])('wait during errors %s, and resolve when they are stored', async (_name, error) => {
    const contexts: ChangeFeedContext[] = []
    const { runtime } = await supervising(
      {
        options: manual,
        delegate: (_changes, context) => void contexts.push(context),
        leaseStore: (store) =>
          intercepted(store, 'replace', [() => Promise.reject(error), () => Promise.reject(error)]),
      },
      ['d0'],
    )
    await runtime.world.clock.advance(0)
    let isStored = false
    const storing = contexts[0]?.checkpoint().then(() => (isStored = true))
    await runtime.world.clock.advance(0)
    expect(isStored).toBe(false)
    await runtime.world.clock.advance(5_000)
    await storing
    expect((await storedLease(runtime))?.continuationToken).toBe('"1"')
    expect(runtime.telemetry.of('feed.failed')).toHaveLength(2)
  })

  it('are refused once the lease is released', async () => {
    const contexts: ChangeFeedContext[] = []
    const { runtime, holder, supervisor, closing } = await supervising(
      { options: manual, delegate: (_changes, context) => void contexts.push(context) },
      ['d0'],
    )
    await runtime.world.clock.advance(0)
    supervisor.shutDown()
    await runtime.world.clock.advance(0)
    expect(closing()).toEqual({ reason: 'Shutdown' })
    await holder.release()
    await expect(contexts[0]?.checkpoint()).rejects.toBeInstanceOf(LeaseLostError)
    expect((await storedLease(runtime))?.continuationToken).toBeNull()
  })

  it('decide which changes come again when the delegate fails (§8.1 manual checkpoint)', async () => {
    const delivered: string[] = []
    let isFailing = true
    const { runtime } = await supervising(
      {
        options: { ...manual, maxItemCount: 1 },
        delegate: async (changes, { checkpoint }) => {
          const id = changes[0]?.id ?? ''
          delivered.push(id)
          if (id === 'd0') await checkpoint()
          if (id === 'd2' && isFailing) {
            isFailing = false
            throw new Error('once')
          }
        },
      },
      ['d0', 'd1', 'd2', 'd3'],
    )
    await runtime.world.clock.advance(5_000)
    expect(delivered).toEqual(['d0', 'd1', 'd2', 'd1', 'd2', 'd3'])
  })

  it('decide where the children of a split begin, however far the parent was read (I10, F-P1)', async () => {
    const { runtime, closing } = await supervising(
      {
        options: { ...manual, maxItemCount: 1 },
        delegate: async (changes, { checkpoint }) => {
          if (changes[0]?.id === 'd0') await checkpoint()
        },
      },
      ['d0', 'd1'],
    )
    await runtime.world.clock.advance(0)
    runtime.world.split('0')
    await runtime.world.clock.advance(10_000)
    const start = { kind: 'continuation', token: '"1"' }
    expect(closing()).toMatchObject({ reason: 'Split', parts: [{ start }, { start }] })
  })
})

describe('a checkpoint that is held', () => {
  /** A delegate that takes every page and holds those with one of these ids. */
  async function holding(ids: readonly string[], documents: readonly string[]) {
    const releases = new Map<string, () => void>()
    const supervised = await supervising(
      {
        options: { checkpointInterval: 0, maxItemCount: 1 },
        delegate: ([change], { holdCheckpoint }) => {
          if (change !== undefined && ids.includes(change.id)) releases.set(change.id, holdCheckpoint())
        },
      },
      documents,
    )
    await supervised.runtime.world.clock.advance(10_000)
    const stored = async () => (await storedLease(supervised.runtime))?.continuationToken
    const release = async (id: string) => {
      releases.get(id)?.()
      await supervised.runtime.world.clock.advance(0)
    }
    return { ...supervised, stored, release }
  }

  it('stays before the first held page while the feed goes on (I10, F-X2)', async () => {
    const { runtime, stored, release } = await holding(['d1', 'd2'], ['d0', 'd1', 'd2', 'd3'])
    expect(runtime.telemetry.of('page.delivered')).toHaveLength(4)
    expect(await stored()).toBe('"1"')
    await release('d2')
    expect(await stored()).toBe('"1"')
    await release('d1')
    expect(await stored()).toBe('"4"')
  })

  it('advances to the next held page, and stays there after an answer without changes', async () => {
    const { runtime, stored, release } = await holding(['d1', 'd3'], ['d0', 'd1', 'd2', 'd3'])
    await release('d1')
    expect(await stored()).toBe('"3"')
    await runtime.world.clock.advance(10_000)
    expect(await stored()).toBe('"3"')
    await release('d3')
    await release('d3')
    expect(await stored()).toBe('"4"')
  })

  it('is where the children of a split begin (F-P1)', async () => {
    const { runtime, closing, release } = await holding(['d1'], ['d0', 'd1', 'd2'])
    runtime.world.split('0')
    await runtime.world.clock.advance(10_000)
    const start = { kind: 'continuation', token: '"1"' }
    expect(closing()).toMatchObject({ reason: 'Split', parts: [{ start }, { start }] })
    await release('d1')
    expect((await storedLease(runtime))?.continuationToken).toBe('"1"')
  })
})
