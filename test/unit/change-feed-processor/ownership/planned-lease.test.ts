import { describe, expect, it } from 'vitest'
import type { FeedStart } from '../../../../src/change-feed-processor/index.js'
import { positioned } from '../../../../src/change-feed-processor/ownership/planned-lease.js'
import type { Runtime } from '../../../../src/change-feed-processor/runtime/runtime.js'

const planned = { leaseToken: '0', feedRange: { min: '', max: 'FF' } }

/** Returns a runtime whose feed is at these positions, and the arguments of its reads. */
function reading(options: object, ...next: readonly FeedStart[]) {
  const asked: unknown[] = []
  const runtime = {
    options,
    readPage: (from: unknown, { maxItemCount }: { maxItemCount: number }) => {
      asked.push(from, maxItemCount)
      return Promise.resolve({ next: next.map((start) => ({ feedRange: planned.feedRange, start })) })
    },
  } as unknown as Runtime
  return { runtime, asked }
}

describe('the position at which a new lease begins', () => {
  it.each([
    ['beginning', { kind: 'beginning' }],
    [new Date(7), { kind: 'time', atMs: 7 }],
  ] as const)('is the start position of the deployment unit: %j', async (startFrom, firstPosition) => {
    const { runtime, asked } = reading({ startFrom, mode: 'latestVersion' })
    const lease = { ...planned, continuationToken: null, firstPosition, mode: 'Incremental Feed' }
    expect(await positioned(planned, null, runtime)).toEqual(lease)
    expect(await positioned(planned, 5_000, runtime)).toEqual(lease)
    expect(asked).toEqual([])
  })

  it('is the end of the feed, read with the smallest page, for a unit that starts from now', async () => {
    const { runtime, asked } = reading(
      { startFrom: 'now', mode: 'latestVersion' },
      { kind: 'continuation', token: '"7"' },
    )
    expect(await positioned(planned, null, runtime)).toEqual({
      ...planned,
      continuationToken: '"7"',
      firstPosition: null,
      mode: 'Incremental Feed',
    })
    expect(asked).toEqual([{ feedRange: planned.feedRange, start: { kind: 'now' } }, 1])
  })

  it('is the time when all leases existed for a lease that was lost, so changes repeat (I10)', async () => {
    const { runtime } = reading({ startFrom: 'now', mode: 'latestVersion' })
    expect(await positioned(planned, 5_000, runtime)).toMatchObject({
      continuationToken: null,
      firstPosition: { kind: 'time', atMs: 5_000 },
    })
  })

  it('is the end of the feed for a lost lease of all versions, which cannot start at a time', async () => {
    const { runtime } = reading(
      { startFrom: 'now', mode: 'allVersionsAndDeletes' },
      { kind: 'continuation', token: '"7"' },
    )
    expect(await positioned(planned, 5_000, runtime)).toMatchObject({
      continuationToken: '"7"',
      firstPosition: null,
      mode: 'Full-Fidelity Feed',
    })
  })

  it.each([
    ['was split', [at('"7"'), at('"8"')]],
    ['says no position', []],
    ['says one that is none', [{ kind: 'now' } as const]],
  ])('is unknown when the range %s meanwhile', async (_what, next: readonly FeedStart[]) => {
    const { runtime } = reading({ startFrom: 'now', mode: 'latestVersion' }, ...next)
    expect(await positioned(planned, null, runtime)).toBeNull()
  })
})

function at(token: string): FeedStart {
  return { kind: 'continuation', token }
}
