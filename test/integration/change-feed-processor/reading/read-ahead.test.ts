import { describe, expect, it } from 'vitest'
import type { ChangeFeed } from '../../../../src/change-feed-processor/index.js'
import type { RuntimeOverrides, TestRuntime } from '../../../support/a-runtime.js'
import { intercepted, type Interception } from '../../../support/intercepted.js'
import { supervising } from '../../../support/supervised.js'

type Reading = Interception<Parameters<ChangeFeed['readNext']>, Awaited<ReturnType<ChangeFeed['readNext']>>>

interface Pace {
  /** The time that the delegate takes for each page, in milliseconds. */
  readonly delegateMs: (id: string) => number
  /** The time that each read takes, in milliseconds. */
  readonly readMs?: number
  /** The document whose first delivery fails. */
  readonly failsOnceAt?: string
  readonly checkpoint?: 'manual'
}

/** Supervises a feed of these documents, one a page, and records the times of reads and deliveries. */
async function reading(ids: readonly string[], pace: Pace) {
  const log: string[] = []
  let start = (_runtime: TestRuntime): void => undefined
  const running = new Promise<TestRuntime>((resolve) => (start = resolve))
  const note = (what: string, { clock }: TestRuntime): void => void log.push(`${what} ${clock.monotonic()}`)
  let failing = pace.failsOnceAt
  const read: Reading = async (forward, ...request) => {
    const runtime = await running
    note('read', runtime)
    await runtime.clock.sleep(pace.readMs ?? 0)
    return forward(...request)
  }
  const overrides: RuntimeOverrides = {
    feed: (feed) =>
      intercepted(
        feed,
        'readNext',
        Array.from({ length: 40 }, () => read),
      ),
    options: { maxItemCount: 1, ...(pace.checkpoint && { checkpoint: pace.checkpoint }) },
    delegate: async ([change]) => {
      const runtime = await running
      const id = change?.id ?? ''
      note(id, runtime)
      await runtime.clock.sleep(pace.delegateMs(id))
      if (id !== failing) return
      failing = undefined
      throw new Error('failed once')
    },
  }
  const supervised = await supervising(overrides, ids)
  start(supervised.runtime)
  const { clock } = supervised.runtime.world
  await clock.advance(0)
  return {
    ...supervised,
    log,
    deliveries: () => log.filter((line) => !line.startsWith('read')),
    advance: (ms: number) => clock.advance(ms),
  }
}

describe('the page after the page that is delivered', () => {
  it('is read while the delegate runs, so that the time of a read is not added', async () => {
    const { deliveries, advance } = await reading(['a', 'b', 'c', 'd'], {
      delegateMs: () => 50,
      readMs: 40,
    })
    await advance(1_000)
    // The first delivery shows whether deliveries are quick, so no page is read meanwhile.
    expect(deliveries()).toEqual(['a 40', 'b 130', 'c 180', 'd 230'])
  })

  it('is read once and delivered once, in order', async () => {
    const ids = Array.from({ length: 12 }, (_, index) => `d${index}`)
    const { deliveries, advance, runtime } = await reading(ids, { delegateMs: () => 20 })
    await advance(300)
    expect(deliveries().map((line) => line.split(' ')[0])).toEqual(ids)
    const withChanges = runtime.telemetry.of('feed.polled').filter(({ count }) => count > 0)
    expect(withChanges).toHaveLength(ids.length)
  })

  it('is read before the delegate is called, even if the delegate returns at once', async () => {
    const { log, advance } = await reading(['a', 'b', 'c'], { delegateMs: () => 0, readMs: 10 })
    await advance(40)
    expect(log.slice(0, 6)).toEqual(['read 0', 'a 10', 'read 10', 'read 20', 'b 20', 'read 30'])
  })

  it('is not read ahead while deliveries take longer than a second', async () => {
    const { log, advance } = await reading(['a', 'b', 'c'], { delegateMs: () => 1_500 })
    await advance(4_400)
    expect(log.slice(0, 6)).toEqual(['read 0', 'a 0', 'read 1500', 'b 1500', 'read 3000', 'c 3000'])
  })

  it('is read again if the delivery before it took so long that newer versions may exist', async () => {
    const { log, advance } = await reading(['a', 'b', 'c', 'd'], {
      delegateMs: (id) => (id === 'b' ? 6_000 : 10),
    })
    await advance(7_000)
    expect(log.slice(0, 8)).toEqual([
      'read 0',
      'a 0',
      'read 10',
      'read 10',
      'b 10',
      'read 6010',
      'c 6010',
      'read 6020',
    ])
  })

  it('is dropped if the page before it is delivered again', async () => {
    const { deliveries, advance } = await reading(['a', 'b', 'c'], {
      delegateMs: () => 10,
      failsOnceAt: 'b',
      checkpoint: 'manual',
    })
    await advance(3_000)
    expect(deliveries().map((line) => line.split(' ')[0])).toEqual(['a', 'b', 'a', 'b', 'c'])
  })

  it('is not delivered after the lease was handed over', async () => {
    const { deliveries, advance, supervisor, closing } = await reading(['a', 'b', 'c'], {
      delegateMs: () => 50,
    })
    await advance(60)
    supervisor.handOver()
    await advance(1_000)
    expect(deliveries()).toEqual(['a 0', 'b 50'])
    expect(closing()).toEqual({ reason: 'HandedOver' })
  })

  it('is not delivered after the lease was lost', async () => {
    const { deliveries, advance, holder, closing } = await reading(['a', 'b', 'c'], {
      delegateMs: () => 50,
      readMs: 30,
    })
    await advance(150)
    holder.abandon()
    await advance(1_000)
    expect(deliveries()).toEqual(['a 30', 'b 110'])
    expect(closing()).toEqual({ reason: 'LeaseLost' })
  })

  it('ends its request when the processor stops', async () => {
    const { deliveries, advance, supervisor, closing } = await reading(['a', 'b', 'c'], {
      delegateMs: () => 50,
      readMs: 30,
    })
    await advance(150)
    expect(deliveries()).toEqual(['a 30', 'b 110'])
    supervisor.shutDown()
    await advance(20)
    expect(closing()).toEqual({ reason: 'Shutdown' })
  })
})
