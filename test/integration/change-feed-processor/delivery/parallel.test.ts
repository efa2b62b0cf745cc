import { describe, expect, it } from 'vitest'
import { identityOf, type AnyChange } from '../../../../src/change-feed-processor/feed/change-identity.js'
import { type UserCode, storedLease, type RuntimeOverrides } from '../../../support/a-runtime.js'
import { deferred, type Deferred } from '../../../support/deferred.js'
import { supervising } from '../../../support/supervised.js'

interface Handler {
  readonly userCode: UserCode
  /** Ids in the order in which their delivery began. */
  readonly begun: string[]
  /** The highest number of calls under way at once. */
  readonly most: () => number
  readonly end: (id: string) => void
}

/** A delegate whose calls end when the test says so; the part of an id before `-` is its key. */
function handler(): Handler {
  const begun: string[] = []
  const open = new Map<string, Deferred<void>>()
  let most = 0
  const idOf = (change: AnyChange): string => identityOf(change).id
  return {
    begun,
    most: () => most,
    end: (id) => {
      open.get(id)?.resolve()
      open.delete(id)
    },
    userCode: {
      orderBy: (change) => idOf(change).split('-')[0] ?? '',
      onChange: (change) => {
        const call = deferred()
        begun.push(idOf(change))
        open.set(idOf(change), call)
        most = Math.max(most, open.size)
        return call.promise
      },
    },
  }
}

const options = (chosen: object): RuntimeOverrides['options'] => ({ checkpointInterval: 0, ...chosen })

describe('changes delivered one by one', () => {
  it('are handled in parallel up to the concurrency, and one after another within a key', async () => {
    const { userCode, begun, end, most } = handler()
    const ids = ['a-1', 'a-2', 'b-1', 'c-1', 'a-3']
    const { runtime } = await supervising({ userCode, options: { concurrency: 2 } as object }, ids)
    await runtime.world.clock.advance(0)
    expect(begun).toEqual(['a-1', 'b-1'])
    end('b-1')
    await runtime.world.clock.advance(0)
    expect(begun).toEqual(['a-1', 'b-1', 'c-1'])
    for (const id of ['a-1', 'c-1', 'a-2', 'a-3']) {
      end(id)
      await runtime.world.clock.advance(0)
    }
    expect(begun.filter((id) => id.startsWith('a'))).toEqual(['a-1', 'a-2', 'a-3'])
    expect(most()).toBe(2)
    expect(runtime.telemetry.of('page.delivered')).toMatchObject([{ count: 5 }])
  })

  it('cause no warning about listeners while many of them run, pause or wait at a shut gate', async () => {
    const warnings: Error[] = []
    const note = (warning: Error): void => void warnings.push(warning)
    process.on('warning', note)
    const twelve = Array.from({ length: 12 }, (_, index) => `d${index}`)
    const failing = { onChange: () => Promise.reject(new Error('not today')) }
    const { runtime, supervisor } = await supervising(
      { userCode: failing, options: { concurrency: 12 } as object },
      twelve,
    )
    await runtime.world.clock.advance(0)
    expect(runtime.telemetry.of('delegate.failed')).toHaveLength(12)
    runtime.gate.shut()
    await runtime.world.clock.advance(60_000)
    expect(runtime.telemetry.of('delegate.failed')).toHaveLength(12)
    runtime.gate.open()
    await runtime.world.clock.advance(0)
    expect(runtime.telemetry.of('delegate.failed')).toHaveLength(24)
    supervisor.shutDown()
    await runtime.world.clock.advance(0)
    process.off('warning', note)
    expect(warnings).toEqual([])
  })

  it('store the last position before which every change is handled (I10)', async () => {
    const { userCode, end } = handler()
    const { runtime } = await supervising({ userCode, options: options({}) ?? {} }, ['a', 'b', 'c'])
    await runtime.world.clock.advance(0)
    end('b')
    end('c')
    await runtime.world.clock.advance(10_000)
    expect((await storedLease(runtime))?.continuationToken).toBeNull()
    end('a')
    await runtime.world.clock.advance(0)
    expect((await storedLease(runtime))?.continuationToken).toBe('"3"')
  })

  it('are read ahead only while fewer than maxItemCount of them are open', async () => {
    const { userCode, begun, end } = handler()
    const ids = Array.from({ length: 20 }, (_, index) => `k${index}`)
    const { runtime } = await supervising({ userCode, options: { maxItemCount: 3 } }, ids)
    await runtime.world.clock.advance(60_000)
    expect(begun).toEqual(['k0', 'k1', 'k2'])
    end('k0')
    await runtime.world.clock.advance(0)
    expect(begun).toEqual(['k0', 'k1', 'k2', 'k3', 'k4', 'k5'])
  })

  it('are ordered by partition key when there is no orderBy', async () => {
    const begun: unknown[] = []
    const { runtime } = await supervising({
      userCode: { onChange: (change) => new Promise(() => begun.push(identityOf(change).id)) },
    })
    for (const [id, pk] of [
      ['1', 'x'],
      ['2', 'x'],
      ['3', 'y'],
    ] as const)
      await runtime.world.put(id, { pk })
    await runtime.world.clock.advance(200)
    expect(begun).toEqual(['1', '3'])
  })

  it('are set aside when they fail too often, while others go on (F-C13)', async () => {
    const aside: string[] = []
    const handled: string[] = []
    const { runtime } = await supervising(
      {
        options: options({}) ?? {},
        userCode: {
          failurePolicy: {
            retry: { tries: 3, backoff: { min: 1_000, max: 1_000 } },
            then: 'deadLetter',
            deadLetter: (change) => void aside.push(identityOf(change).id),
          },
          onChange: (change) => {
            if (identityOf(change).id === 'bad') throw new Error('poison')
            handled.push(identityOf(change).id)
          },
        },
      },
      ['bad', 'good'],
    )
    await runtime.world.clock.advance(100)
    expect([handled, aside]).toEqual([['good'], []])
    expect((await storedLease(runtime))?.continuationToken).toBeNull()
    await runtime.world.clock.advance(3_000)
    expect(aside).toEqual(['bad'])
    expect((await storedLease(runtime))?.continuationToken).toBe('"2"')
  })

  it('count as failed when orderBy throws', async () => {
    const aside: unknown[] = []
    const { runtime } = await supervising(
      {
        userCode: {
          failurePolicy: {
            retry: { tries: 1 },
            then: 'deadLetter',
            deadLetter: (_change, error) => void aside.push(error.cause),
          },
          orderBy: () => {
            throw new Error('no key')
          },
          onChange: () => undefined,
        },
      },
      ['1'],
    )
    await runtime.world.clock.advance(100)
    expect(aside).toMatchObject([{ cause: { message: 'no key' } }])
  })

  it('finish on shutdown if they run, while no other begins, and their position is stored', async () => {
    const { userCode, begun, end } = handler()
    const { runtime, supervisor, closing } = await supervising({ userCode, options: options({}) ?? {} }, [
      'a-1',
      'a-2',
    ])
    await runtime.world.clock.advance(0)
    supervisor.shutDown()
    await runtime.world.clock.advance(0)
    expect(closing()).toBeNull()
    end('a-1')
    await runtime.world.clock.advance(0)
    expect(closing()).toEqual({ reason: 'Shutdown' })
    expect(begun).toEqual(['a-1'])
    expect((await storedLease(runtime))?.continuationToken).toBe('"1"')
  })

  it('give the lease back when one of them hangs and nothing limits failures (F-C14)', async () => {
    const { userCode, end } = handler()
    const { runtime, closing } = await supervising(
      { userCode, options: options({ delegateTimeout: 1_000, pollInterval: 30_000 }) ?? {} },
      ['a-1', 'b-1'],
    )
    await runtime.world.clock.advance(0)
    end('a-1')
    await runtime.world.clock.advance(999)
    expect(closing()).toBeNull()
    await runtime.world.clock.advance(1)
    expect(closing()).toMatchObject({ reason: 'DelegateError', error: { leaseToken: '0' } })
    expect((await storedLease(runtime))?.continuationToken).toBe('"1"')
  })

  it('neither begin nor store a position once the lease is lost (I10, I12, F-L14)', async () => {
    const { userCode, begun, end } = handler()
    const { runtime, holder, closing } = await supervising(
      { userCode, options: options({ maxItemCount: 2 }) ?? {} },
      ['a-1', 'b-1', 'a-2', 'c-1'],
    )
    await runtime.world.clock.advance(0)
    end('a-1')
    await runtime.world.clock.advance(0)
    expect((await storedLease(runtime))?.continuationToken).toBe('"1"')
    holder.abandon()
    const before = [...begun]
    for (const id of ['b-1', 'a-2', 'c-1']) end(id)
    await runtime.world.clock.advance(5_000)
    expect(begun).toEqual(before)
    expect(closing()).toEqual({ reason: 'LeaseLost' })
    expect((await storedLease(runtime))?.continuationToken).toBe('"1"')
    expect(runtime.telemetry.of('checkpoint.stored')).toHaveLength(1)
  })

  it('finish without an abort when the lease is handed over, and their position is stored', async () => {
    const signals: AbortSignal[] = []
    const { userCode, begun, end } = handler()
    const { runtime, supervisor, closing } = await supervising(
      {
        userCode: {
          ...userCode,
          onChange: (change, context) => {
            signals.push(context.signal)
            return userCode.onChange?.(change, context)
          },
        },
        options: { checkpointInterval: 0, concurrency: 2 } as object,
      },
      ['a-1', 'b-1', 'c-1', 'a-2'],
    )
    await runtime.world.clock.advance(0)
    supervisor.handOver()
    end('a-1')
    await runtime.world.clock.advance(10_000)
    expect(closing()).toBeNull()
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false])
    end('b-1')
    await runtime.world.clock.advance(0)
    expect(closing()).toEqual({ reason: 'HandedOver' })
    expect(begun).toEqual(['a-1', 'b-1'])
    expect((await storedLease(runtime))?.continuationToken).toBe('"2"')
  })

  it('are not retried when the lease is handed over, and their back-off does not delay it', async () => {
    const failing = { onChange: () => Promise.reject(new Error('not today')) }
    const failurePolicy = {
      retry: { tries: 9, backoff: { min: 60_000, max: 60_000 } },
      then: 'deadLetter',
      deadLetter: () => Promise.resolve(),
    }
    const { runtime, supervisor, closing } = await supervising(
      { userCode: failing, options: { failurePolicy } as object },
      ['a-1'],
    )
    await runtime.world.clock.advance(0)
    supervisor.handOver()
    await runtime.world.clock.advance(6_000)
    expect(closing()).toEqual({ reason: 'HandedOver' })
    expect(runtime.telemetry.of('delegate.failed')).toHaveLength(1)
  })

  it('are all handled before a split is reported (F-P5)', async () => {
    const { userCode, end } = handler()
    const { runtime, closing } = await supervising({ userCode }, ['a-1', 'a-2'])
    await runtime.world.clock.advance(0)
    runtime.world.split('0')
    for (const id of ['a-1', 'a-2']) {
      await runtime.world.clock.advance(20_000)
      expect(closing()).toBeNull()
      end(id)
    }
    await runtime.world.clock.advance(0)
    const start = { kind: 'continuation', token: '"2"' }
    expect(closing()).toMatchObject({ reason: 'Split', parts: [{ start }, { start }] })
  })
})
