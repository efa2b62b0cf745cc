import { describe, expect, it } from 'vitest'
import type { ChangeFeed } from '../../../../src/change-feed-processor/index.js'
import { storedLease, type RuntimeOverrides, type TestRuntime } from '../../../support/a-runtime.js'
import { intercepted, storeError, type Interception } from '../../../support/intercepted.js'
import { supervising } from '../../../support/supervised.js'

type Reading = Interception<Parameters<ChangeFeed['readNext']>, Awaited<ReturnType<ChangeFeed['readNext']>>>

const reading = (...interceptions: Reading[]): RuntimeOverrides => ({
  feed: (feed) => intercepted(feed, 'readNext', interceptions),
})

describe('a partition supervisor', () => {
  it('drains the feed without delay, and then polls more and more slowly (B383, B384)', async () => {
    const polls: number[] = []
    const runtimeClock: { monotonic?: () => number } = {}
    const counting: Reading = (forward, ...request) => {
      polls.push(runtimeClock.monotonic?.() ?? -1)
      return forward(...request)
    }
    const many = Array.from({ length: 9 }, () => counting)
    const { runtime } = await supervising({ ...reading(...many), options: { maxItemCount: 1 } })
    runtimeClock.monotonic = () => runtime.clock.monotonic()
    await runtime.world.clock.advance(0)
    await runtime.world.put('1')
    await runtime.world.put('2')
    await runtime.world.clock.advance(2_000)
    expect(polls.slice(1)).toEqual([100, 100, 100, 200, 400, 800, 1_600])
  })

  it('rests after a short page of recent changes before it reads again', async () => {
    const { runtime } = await supervising({ restAfterPageMs: 700 }, ['1'])
    const polls = (): number => runtime.telemetry.of('feed.polled').length
    await runtime.world.clock.advance(0)
    expect(polls()).toBe(1)
    await runtime.world.clock.advance(699)
    expect(polls()).toBe(1)
    await runtime.world.clock.advance(1)
    expect(polls()).toBe(2)
  })

  it('says which page it will read next whenever it pauses, and not if it reads again at once', async () => {
    const expected: unknown[] = []
    const expecting = (feed: ChangeFeed): ChangeFeed =>
      new Proxy(feed, {
        get: (target, name): unknown => {
          if (name === 'expect')
            return (...args: Parameters<NonNullable<ChangeFeed['expect']>>) => expected.push(args)
          const member: unknown = Reflect.get(target, name, target)
          return typeof member === 'function' ? member.bind(target) : member
        },
      })
    const { runtime, supervisor } = await supervising({
      feed: expecting,
      restAfterPageMs: 700,
      options: { maxItemCount: 40 },
      delegate: (changes: readonly { readonly id?: unknown }[]) => {
        if (changes[0]?.id === '2') supervisor.wake()
      },
    })
    const at = (lsn: number) => [
      { feedRange: { min: '', max: 'FF' }, start: { kind: 'continuation', token: `"${lsn}"` } },
      { maxItemCount: 40 },
    ]
    await runtime.world.clock.advance(0)
    await runtime.world.put('1')
    await runtime.world.clock.advance(100)
    const [atStart, afterOne] = expected
    expect(expected).toEqual([atStart, afterOne])
    expect(afterOne).not.toEqual(atStart)
    await runtime.world.put('2')
    await runtime.world.clock.advance(700)
    // The hint during the delivery of 2 is followed by a read that finds nothing, and only then by a pause.
    expect(expected).toHaveLength(3)
    expect([at(0), at(1), at(2)]).toEqual(expected)
    // After many changes, the next page would come with the first of many writes.
    for (let number = 3; number <= 11; number += 1) await runtime.world.put(String(number))
    supervisor.wake()
    await runtime.world.clock.advance(699)
    expect(expected).toHaveLength(3)
    await runtime.world.clock.advance(1)
    expect(expected[3]).toEqual(at(11))
  })

  it('accepts that others found nothing only during a pause that no hint ended', async () => {
    const accepted: unknown[] = []
    const answered: Reading = async (forward, from, options) => {
      accepted.push(options.emptyWithinMs)
      const page = await forward(from, options)
      return accepted.length === 3 ? { ...page, begunAtMs: runtime.world.clock.monotonic() - 150 } : page
    }
    const { runtime, supervisor } = await supervising(reading(...Array.from({ length: 7 }, () => answered)))
    const { clock } = runtime.world
    await clock.advance(0)
    await clock.advance(100)
    await clock.advance(200)
    // The third page is 150 ms old, so the pause of 400 ms is over after 250 ms.
    await clock.advance(250)
    expect(accepted).toEqual([0, 90, 180, 225])
    supervisor.wake()
    await clock.advance(0)
    expect(accepted).toEqual([0, 90, 180, 225, 0])
  })

  it.each([
    { requested: 'before', begunMs: -5, polls: 2 },
    { requested: 'after', begunMs: 5, polls: 1 },
  ])(
    'reads again at once if a page was requested $requested the last hint: $polls reads',
    async ({ begunMs, polls }) => {
      let hintedAtMs = 0
      const plain: Reading = (forward, ...request) => forward(...request)
      const answered: Reading = async (forward, from, options) => {
        const page = await forward(from, options)
        return { ...page, begunAtMs: hintedAtMs + begunMs }
      }
      const { runtime, supervisor } = await supervising(
        { restAfterPageMs: 700, ...reading(plain, answered) },
        [],
      )
      const { clock } = runtime.world
      const read = (): number => runtime.telemetry.of('feed.polled').length
      await clock.advance(20)
      const before = read()
      // Another reader has this page already, so the hint may be about a later change.
      hintedAtMs = clock.monotonic()
      await runtime.world.put('1')
      supervisor.wake()
      await clock.advance(0)
      expect(read() - before).toBe(polls)
    },
  )

  it('ends its rest when pages of other readers wait in memory', async () => {
    const calls: (() => void)[] = []
    const plain: Reading = (forward, from, options) => {
      if (options.onPagesWaiting !== undefined) calls.push(options.onPagesWaiting)
      return forward(from, options)
    }
    const { runtime } = await supervising({ restAfterPageMs: 700, ...reading(plain) }, ['1'])
    await runtime.world.clock.advance(0)
    expect(runtime.telemetry.of('feed.polled')).toHaveLength(1)
    calls[0]?.()
    await runtime.world.clock.advance(0)
    expect(runtime.telemetry.of('feed.polled')).toHaveLength(2)
  })

  it('does not rest after a short page if another page is known to follow', async () => {
    const followed: Reading = async (forward, ...request) => ({
      ...(await forward(...request)),
      isFollowed: true,
    })
    const { runtime } = await supervising({ restAfterPageMs: 700, ...reading(followed) }, ['1'])
    await runtime.world.clock.advance(0)
    expect(runtime.telemetry.of('feed.polled')).toHaveLength(2)
  })

  it('delivers no change that is older than the first position of its lease', async () => {
    const delivered: string[] = []
    const older: Reading = async (forward, from, options) => {
      const page = await forward(from, options)
      return {
        ...page,
        changes: page.changes.map((change) => ({ ...change, _ts: change.id === 'older' ? 0 : change._ts })),
      }
    }
    const { runtime } = await supervising(
      {
        ...reading(older),
        lease: { firstPosition: { kind: 'time', atMs: Date.parse('2000-01-01') }, continuationToken: '"0"' },
        delegate: (changes) => void delivered.push(...changes.map(({ id }) => id)),
      },
      ['older', 'newer'],
    )
    await runtime.world.clock.advance(0)
    expect(delivered).toEqual(['newer'])
  })

  it('gives the delegate the context of the page (B208, B215, B221)', async () => {
    const contexts: unknown[] = []
    const { runtime } = await supervising({ delegate: (_changes, context) => void contexts.push(context) }, [
      '1',
    ])
    await runtime.world.clock.advance(0)
    expect(contexts).toEqual([
      {
        leaseToken: '0',
        feedRange: { min: '', max: 'FF' },
        requestCharge: expect.any(Number) as number,
        sessionToken: expect.stringMatching(/^0:/) as string,
        headers: expect.objectContaining({ etag: expect.any(String) as string }) as object,
        diagnostics: null,
        signal: expect.any(AbortSignal) as AbortSignal,
        wasHeldAt: expect.any(Function) as (second: number) => boolean,
        checkpoint: expect.any(Function) as () => Promise<void>,
        holdCheckpoint: expect.any(Function) as () => () => void,
        keepForSuccessor: expect.any(Function) as () => () => void,
      },
    ])
  })

  it('retries a read that the store refuses for a while, and keeps lease and position (B396)', async () => {
    const throttled: Reading = () => Promise.reject(storeError(429, { retryAfterInMs: 3_000 }))
    const unavailable: Reading = () => Promise.reject(storeError(503))
    const { runtime, closing } = await supervising(reading(throttled, unavailable), ['1'])
    await runtime.world.clock.advance(2_999)
    expect(runtime.telemetry.of('feed.failed')).toHaveLength(1)
    await runtime.world.clock.advance(201)
    expect(runtime.telemetry.of('feed.failed')).toHaveLength(2)
    expect(runtime.telemetry.of('page.delivered')).toHaveLength(1)
    expect(closing()).toBeNull()
  })

  it.each([
    ['what does not pass by itself (B209, B386)', 401],
    ['a container that is gone (B198, §8.2 FeedProcessorCore: 404/0)', 404],
  ])('ends with FeedError on %s', async (_name, code) => {
    const { runtime, closing } = await supervising(reading(() => Promise.reject(storeError(code))))
    await runtime.world.clock.advance(0)
    expect(closing()).toMatchObject({ reason: 'FeedError', error: { cause: { code } } })
  })

  it('requests smaller pages when the service demands it, and keeps lease and position (B397)', async () => {
    const sizes: number[] = []
    const refusing: Reading = (forward, from, options) => {
      sizes.push(options.maxItemCount)
      if (options.maxItemCount <= 2) return forward(from, options)
      const message = 'The response is too large. Reduce page size and try again.'
      return Promise.reject(Object.assign(new Error(message), { code: 400 }))
    }
    const pages: string[][] = []
    const { runtime, closing } = await supervising(
      {
        ...reading(...Array.from({ length: 50 }, () => refusing)),
        options: { maxItemCount: 8 },
        delegate: (changes) => void pages.push(changes.map(({ id }) => id)),
      },
      ['1', '2', '3'],
    )
    await runtime.world.clock.advance(10_000)
    expect(sizes.slice(0, 3)).toEqual([8, 4, 2])
    expect(pages).toEqual([['1', '2'], ['3']])
    expect(closing()).toBeNull()
  })

  it('stops reading and renewing when it is shut down (B204)', async () => {
    const { runtime, holder, supervisor, closing } = await supervising({})
    await runtime.world.clock.advance(1_000)
    supervisor.shutDown()
    await runtime.world.clock.advance(0)
    expect(closing()).toEqual({ reason: 'Shutdown' })
    await holder.release()
    const { length } = runtime.telemetry.events
    await runtime.world.clock.advance(120_000)
    expect(runtime.telemetry.events).toHaveLength(length)
    expect(runtime.world.clock.pendingTimers).toBe(0)
  })

  it('aborts a read that hangs, and reads again from the same position (F-C18, B194, B385)', async () => {
    const signals: AbortSignal[] = []
    const hanging: Reading = (_forward, _from, { signal }) => {
      signals.push(signal)
      return new Promise(() => undefined)
    }
    const { runtime, closing } = await supervising(reading(hanging), ['1'])
    await runtime.world.clock.advance(64_999)
    expect(signals.map(({ aborted }) => aborted)).toEqual([false])
    await runtime.world.clock.advance(201)
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
    expect(runtime.telemetry.of('feed.failed')).toMatchObject([
      { error: { message: expect.stringContaining('65000 ms') as string } },
    ])
    expect(runtime.telemetry.of('page.delivered')).toHaveLength(1)
    expect(closing()).toBeNull()
  })

  it('reports a read without an answer for five seconds once, and no read with an answer', async () => {
    const hanging: Reading = () => new Promise(() => undefined)
    const { runtime } = await supervising(reading((forward, ...from) => forward(...from), hanging))
    await runtime.world.clock.advance(5_099)
    expect(runtime.telemetry.of('feed.unanswered')).toEqual([])
    await runtime.world.clock.advance(1)
    expect(runtime.telemetry.of('feed.unanswered')).toMatchObject([{ leaseToken: '0', waitedMs: 5_000 }])
    await runtime.world.clock.advance(60_000)
    expect(runtime.telemetry.of('feed.unanswered')).toHaveLength(1)
  })

  it.each([
    ['429', storeError(429)],
    ['449', storeError(449)],
    ['503', storeError(503)],
    ['404/1002', storeError(404, { headers: { 'x-ms-substatus': '1002' } })],
    ['408', storeError(408)],
    ['ECONNRESET', storeError('ECONNRESET')],
    ['410', storeError(410)],
    ['a client that gives up early', storeError('TimeoutError')],
  ])(
    'keeps its lease through %s (§8.2 FeedProcessorCore, F-C17, F-C19, B199, B333)',
    async (_name, error) => {
      const { runtime, closing } = await supervising(
        reading(() => Promise.reject(error)),
        ['1'],
      )
      await runtime.world.clock.advance(1_000)
      expect(runtime.telemetry.of('feed.failed')).toHaveLength(1)
      expect(runtime.telemetry.of('page.delivered')).toHaveLength(1)
      expect(closing()).toBeNull()
    },
  )

  it('delivers a failing page again after pauses of at most 30 s, and stores nothing meanwhile', async () => {
    const attempts: number[] = []
    const started: { runtime?: TestRuntime } = {}
    const { runtime } = await supervising(
      {
        options: { checkpointInterval: 0 },
        delegate: () => {
          attempts.push(started.runtime?.clock.monotonic() ?? 0)
          throw new Error('always')
        },
      },
      ['1'],
    )
    started.runtime = runtime
    await runtime.world.clock.advance(120_000)
    const pauses = attempts.slice(1).map((at, index) => at - (attempts[index] ?? 0))
    expect(pauses.length).toBeGreaterThan(5)
    expect(pauses.every((pause) => pause >= 250 && pause <= 30_000)).toBe(true)
    expect(await storedLease(runtime)).toMatchObject({ owner: 'self', continuationToken: null })
    expect(runtime.telemetry.of('delegate.failed')).toHaveLength(attempts.length)
  })

  it('lets the delegate finish on shutdown, and stores the position after its page (B388)', async () => {
    let finish: (() => void) | undefined
    const { runtime, holder, supervisor, closing } = await supervising(
      { delegate: () => new Promise((resolve) => (finish = resolve)) },
      ['1'],
    )
    await runtime.world.clock.advance(0)
    supervisor.shutDown()
    await runtime.world.clock.advance(0)
    expect(closing()).toBeNull()
    finish?.()
    await runtime.world.clock.advance(0)
    expect(closing()).toEqual({ reason: 'Shutdown' })
    await holder.release()
    expect(await storedLease(runtime)).toMatchObject({
      owner: null,
      continuationToken: expect.any(String) as string,
    })
  })

  it('does not report the failure of a delegate that stops on its signal', async () => {
    const { runtime, supervisor, closing } = await supervising(
      {
        delegate: (_changes, { signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => {
              reject(new Error('stopped'))
            })
          }),
      },
      ['1'],
    )
    await runtime.world.clock.advance(0)
    supervisor.shutDown()
    await runtime.world.clock.advance(0)
    expect(closing()).toEqual({ reason: 'Shutdown' })
    expect(runtime.telemetry.of('delegate.failed')).toEqual([])
  })

  it('aborts the delegate and delivers nothing more when the lease is lost (B205, B387)', async () => {
    let signal: AbortSignal | undefined
    let finish: (() => void) | undefined
    const { runtime, holder, closing } = await supervising(
      {
        options: { maxItemCount: 1 },
        delegate: (_changes, context) => {
          signal = context.signal
          return new Promise((resolve) => (finish = resolve))
        },
      },
      ['1', '2'],
    )
    await runtime.world.clock.advance(0)
    await (await runtime.world.leaseStore()).delete(holder.lease)
    await runtime.world.clock.advance(13_000)
    expect(signal?.aborted).toBe(true)
    finish?.()
    await runtime.world.clock.advance(0)
    expect(closing()).toEqual({ reason: 'LeaseLost' })
    expect(runtime.telemetry.of('page.delivered')).toHaveLength(1)
  })

  it('delivers nothing from a page that arrives after the lease is lost', async () => {
    let arrive: (() => void) | undefined
    const late: Reading = async (forward, ...request) => {
      const page = await forward(...request)
      await new Promise<void>((resolve) => (arrive = resolve))
      return page
    }
    const { runtime, holder, closing } = await supervising(reading(late), ['1'])
    await runtime.world.clock.advance(0)
    holder.abandon()
    arrive?.()
    await runtime.world.clock.advance(0)
    expect(closing()).toEqual({ reason: 'LeaseLost' })
    expect(runtime.telemetry.of('page.delivered')).toEqual([])
  })

  it('ends with the positions of both children when its range splits', async () => {
    const { runtime, closing } = await supervising({}, ['1'])
    await runtime.world.clock.advance(0)
    runtime.world.split('0')
    await runtime.world.clock.advance(200)
    expect(closing()).toMatchObject({
      reason: 'Split',
      parts: [{ start: { kind: 'continuation' } }, { start: { kind: 'continuation' } }],
    })
  })
})
