import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { LeaseLostError } from '../../../../src/change-feed-processor/feed/errors.js'
import type { FeedStart } from '../../../../src/change-feed-processor/index.js'
import type { LeaseHolder } from '../../../../src/change-feed-processor/lease-holding/lease-holder.js'
import type { ReadPage } from '../../../../src/change-feed-processor/delivery/page-positions.js'
import { Progress } from '../../../../src/change-feed-processor/delivery/progress.js'

function aPage(lsn: number): ReadPage {
  const start = (token: number) => ({ kind: 'continuation', token: `"${token}"` }) as const
  const feedRange = { min: '', max: 'FF' }
  const change = { id: `at-${lsn}`, _lsn: lsn, _ts: 0, _etag: '', _rid: '' }
  return {
    from: { feedRange, start: start(lsn - 1) },
    page: { changes: [change], next: [{ feedRange, start: start(lsn) }], charge: 1, latestLsn: lsn },
  } as unknown as ReadPage
}

async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  // A weak reference keeps what it refers to until the current turn ends.
  await Promise.resolve()
  await new Promise((resolve) => setImmediate(resolve))
  collect()
}

it('a hold keeps the position of its page in memory, but not the page', async () => {
  const stored: string[] = []
  const holder = {
    watchUnfinished: () => undefined,
    checkpoint: (token: string) => {
      stored.push(token)
      return Promise.resolve()
    },
  } as unknown as LeaseHolder
  const progress = new Progress(holder, { kind: 'continuation', token: '"0"' })
  const pages: WeakRef<ReadPage['page']>[] = []
  const releases = await (async () => {
    const held = progress.track(aPage(1))
    const handled = progress.track(aPage(2))
    pages.push(new WeakRef(held.page), new WeakRef(handled.page))
    const release = progress.hold(held)
    await progress.handledUpTo(held, 1)
    await progress.handledUpTo(handled, 1)
    return [release]
  })()
  expect(stored).toEqual([])
  await collectGarbage()
  expect(pages.map((page) => page.deref())).toEqual([undefined, undefined])
  for (const release of releases) release()
  expect(stored).toEqual(['"2"'])
})

it('counts each handled change once for the checkpoint', async () => {
  const counted: number[] = []
  const holder = {
    watchUnfinished: () => undefined,
    checkpoint: (_token: string, newChanges: number) => {
      counted.push(newChanges)
      return Promise.resolve()
    },
  } as unknown as LeaseHolder
  const progress = new Progress(holder, at(0))
  const pages = [progress.track(aPageOf(at(0), [1, 1, 2], at(2))), progress.track(aPageOf(at(2), [3], at(3)))]
  const [first, second] = pages
  if (first === undefined || second === undefined) throw new Error('two pages are tracked')
  await progress.handledUpTo(first, 2)
  await progress.handledUpTo(first, 3)
  await progress.handledUpTo(second, 1)
  expect(counted).toEqual([2, 1, 1])
})

const at = (token: number) => ({ kind: 'continuation', token: `"${token}"` }) as const
const whole = { min: '', max: 'FF' }

/** Changes of these transactions, read from a position; `next` are the positions after it. */
function aPageOf(from: FeedStart, lsns: readonly number[], ...next: readonly FeedStart[]): ReadPage {
  const changes = lsns.map((lsn) => ({ id: `at-${lsn}`, _lsn: lsn, _ts: 0, _etag: '', _rid: '' }))
  const positions = next.map((start) => ({ feedRange: whole, start }))
  return {
    from: { feedRange: whole, start: from },
    page: { changes, next: positions, charge: 1 },
  } as unknown as ReadPage
}

/** A progress from `start` on, with its calls on the holder of its lease. */
function progressFrom(start: FeedStart = at(0), isOurs = true) {
  const told: string[] = []
  const tell = (what: string) => (token: string) => {
    told.push(`${what} ${token}`)
    return Promise.resolve()
  }
  const holder = {
    watchUnfinished: () => undefined,
    checkpoint: tell('checkpoint'),
    notePosition: tell('note'),
    flush: () => Promise.resolve(isOurs),
    lease: { leaseToken: '0' },
  } as unknown as LeaseHolder
  return { progress: new Progress(holder, start), told }
}

describe('the progress of one lease (I10)', () => {
  it('is stored after each complete transaction inside a page, and at the end of the page', async () => {
    const { progress, told } = progressFrom()
    expect(progress.isBehind).toBe(false)
    const page = progress.track(aPageOf(at(0), [3, 4, 4, 6], at(9)))
    expect(progress.isBehind).toBe(true)
    await progress.handledUpTo(page, 1)
    await progress.handledUpTo(page, 2)
    expect([told, progress.start, progress.isBehind]).toEqual([['checkpoint "3"'], at(3), true])
    await progress.handledUpTo(page, 3)
    await progress.handledUpTo(page, 4)
    expect(told).toEqual(['checkpoint "3"', 'checkpoint "4"', 'checkpoint "9"'])
    expect([progress.start, progress.isBehind]).toEqual([at(9), false])
  })

  it('is stored at the last complete transaction when the next one is handled in part', async () => {
    const { progress, told } = progressFrom()
    await progress.handledUpTo(progress.track(aPageOf(at(0), [3, 4, 4, 6], at(9))), 2)
    expect(told).toEqual(['checkpoint "3"'])
  })

  it('never goes back', async () => {
    const { progress, told } = progressFrom()
    const first = progress.track(aPageOf(at(0), [1, 2], at(2)))
    const second = progress.track(aPageOf(at(2), [3], at(3)))
    await progress.handledUpTo(second, 1)
    await progress.handledUpTo(first, 1)
    await progress.handledUpTo(first, 2)
    expect(told).toEqual(['checkpoint "3"'])
  })

  it('is not stored while only part of the first transaction is handled', async () => {
    const { progress, told } = progressFrom({ kind: 'beginning' })
    const page = progress.track(aPageOf({ kind: 'beginning' }, [3, 3], at(3)))
    await progress.handledUpTo(page, 1)
    expect([told, progress.start, progress.isBehind]).toEqual([[], { kind: 'beginning' }, true])
  })

  it('is complete, without a checkpoint, when the whole page before a split is handled', async () => {
    const { progress, told } = progressFrom(at(2))
    const page = progress.track(aPageOf(at(2), [3, 4], at(4), at(4)))
    await progress.handledUpTo(page, 1)
    expect(progress.isBehind).toBe(true)
    await progress.handledUpTo(page, 2)
    expect([told, progress.isBehind]).toEqual([[], false])
  })

  it('is stored before `store` resolves; `store` rejects when the lease is lost', async () => {
    const { progress, told } = progressFrom()
    await progress.store(progress.track(aPageOf(at(0), [1], at(1))), 1)
    expect(told).toEqual(['checkpoint "1"'])
    const lost = progressFrom(at(0), false).progress
    const page = lost.track(aPageOf(at(0), [1], at(1)))
    await expect(lost.store(page, 1)).rejects.toThrow(LeaseLostError)
  })

  it('is no longer stored once it is closed', async () => {
    const { progress, told } = progressFrom()
    const page = progress.track(aPageOf(at(0), [1], at(1)))
    progress.close()
    await progress.handledUpTo(page, 1)
    await expect(progress.store(page, 1)).rejects.toThrow(LeaseLostError)
    expect(told).toEqual([])
  })
})

describe('a hold of a page (I10)', () => {
  const pages = [
    aPageOf(at(0), [1], at(1)),
    aPageOf(at(1), [2], at(2)),
    aPageOf(at(2), [3], at(3)),
    aPageOf(at(3), [4], at(4)),
  ]

  it('allows checkpoints only before its page; its release stores the furthest handled page', async () => {
    const { progress, told } = progressFrom()
    const [first, held, third, last] = pages.map((page) => progress.track(page))
    if (first === undefined || held === undefined || third === undefined || last === undefined)
      throw new Error()
    const release = progress.hold(held)
    await progress.handledUpTo(first, 1)
    expect(told).toEqual(['checkpoint "1"'])
    await progress.handledUpTo(last, 1)
    await progress.handledUpTo(third, 1)
    expect(told).toEqual(['checkpoint "1"'])
    release()
    await Promise.resolve()
    expect([told, progress.isBehind]).toEqual([['checkpoint "1"', 'checkpoint "4"'], false])
  })

  it('stores the beginning of its page when only a later page is handled', async () => {
    const { progress, told } = progressFrom()
    const [, held, third] = pages.map((page) => progress.track(page))
    if (held === undefined || third === undefined) throw new Error()
    progress.hold(held)
    await progress.handledUpTo(third, 1)
    expect(told).toEqual(['checkpoint "1"'])
  })

  it('allows the checkpoint of a page that is not directly before its own', async () => {
    const { progress, told } = progressFrom()
    const [first, , held] = pages.map((page) => progress.track(page))
    if (first === undefined || held === undefined) throw new Error()
    progress.hold(held)
    await progress.handledUpTo(first, 1)
    expect(told).toEqual(['checkpoint "1"'])
  })

  it('of the earliest page decides when a later page is held, too', async () => {
    const { progress, told } = progressFrom()
    const [, second, third, last] = pages.map((page) => progress.track(page))
    if (second === undefined || third === undefined || last === undefined) throw new Error()
    progress.hold(second)
    progress.hold(third)
    await progress.handledUpTo(last, 1)
    expect(told).toEqual(['checkpoint "1"'])
  })

  it('of the earliest page decides until its release; a second release does nothing', async () => {
    const { progress, told } = progressFrom()
    const [first, second, third, last] = pages.map((page) => progress.track(page))
    if (first === undefined || second === undefined || third === undefined || last === undefined)
      throw new Error()
    const releaseThird = progress.hold(third)
    const releaseSecond = progress.hold(second)
    await progress.handledUpTo(last, 1)
    expect(told).toEqual(['checkpoint "1"'])
    releaseThird()
    await Promise.resolve()
    expect(told).toEqual(['checkpoint "1"'])
    const later = progress.track(aPageOf(at(4), [5], at(5)))
    const releaseLater = progress.hold(later)
    releaseSecond()
    await Promise.resolve()
    expect(told).toEqual(['checkpoint "1"', 'checkpoint "4"'])
    await progress.handledUpTo(later, 1)
    releaseSecond()
    await Promise.resolve()
    expect(told).toHaveLength(2)
    releaseLater()
    await Promise.resolve()
    expect(told.at(-1)).toBe('checkpoint "5"')
  })

  it('ends with `rewind`, and later reports about the old pages are ignored', async () => {
    const { progress, told } = progressFrom()
    const [old, alsoOld, , last] = pages.map((page) => progress.track(page))
    if (old === undefined || alsoOld === undefined || last === undefined) throw new Error()
    progress.hold(old)
    progress.rewind()
    expect(progress.isBehind).toBe(false)
    await progress.handledUpTo(alsoOld, 1)
    await progress.handledUpTo(last, 1)
    expect(told).toEqual([])
    const again = progress.track(aPageOf(at(0), [1, 2], at(2)))
    const next = progress.track(aPageOf(at(2), [3], at(3)))
    const release = progress.hold(again)
    await progress.handledUpTo(next, 1)
    expect(told).toEqual([])
    release()
    await Promise.resolve()
    expect(told).toEqual(['checkpoint "3"'])
  })
})

describe('an answer without changes', () => {
  it('is noted once, and only after every earlier change is handled (I10)', async () => {
    const { progress, told } = progressFrom()
    const page = progress.track(aPageOf(at(0), [1], at(1)))
    await progress.nothingNew(aPageOf(at(1), [], at(5)))
    expect(told).toEqual([])
    await progress.handledUpTo(page, 1)
    await progress.nothingNew(aPageOf(at(1), [], at(5)))
    await progress.nothingNew(aPageOf(at(5), [], at(5)))
    expect([told, progress.start]).toEqual([['checkpoint "1"', 'note "5"'], at(5)])
  })

  it('is noted when reading began without a position', async () => {
    const { progress, told } = progressFrom({ kind: 'now' })
    await progress.nothingNew(aPageOf({ kind: 'now' }, [], at(5)))
    expect(told).toEqual(['note "5"'])
  })

  it('is not noted if it reports a split or has no position', async () => {
    const { progress, told } = progressFrom()
    await progress.nothingNew(aPageOf(at(0), [], at(5), at(5)))
    await progress.nothingNew(aPageOf(at(0), []))
    await progress.nothingNew(aPageOf(at(0), [], { kind: 'now' }))
    expect(told).toEqual([])
  })
})

describe('work that continues after its page is handled (F-A31)', () => {
  function watched(start: FeedStart = at(0)) {
    let unfinishedFrom = (): string | null => 'not watched'
    const holder = {
      watchUnfinished: (watch: () => string | null) => {
        unfinishedFrom = watch
      },
      checkpoint: () => Promise.resolve(),
    } as unknown as LeaseHolder
    return { progress: new Progress(holder, start), unfinishedFrom: () => unfinishedFrom() }
  }

  it('is before the position to store until the earliest work ends', async () => {
    const { progress, unfinishedFrom } = watched()
    const pages = [1, 2, 3].map((lsn) => progress.track(aPage(lsn)))
    const [first, second] = pages.map((page) => progress.keepForSuccessor(page))
    expect(unfinishedFrom()).toBeNull()
    for (const page of pages) await progress.handledUpTo(page, 1)
    expect(unfinishedFrom()).toBe('"0"')
    first?.()
    first?.()
    expect(unfinishedFrom()).toBe('"1"')
    second?.()
    expect(unfinishedFrom()).toBe('"2"')
  })

  it.each<[start: FeedStart, stored: string | null]>([
    [{ kind: 'beginning' }, 'first'],
    [{ kind: 'now' }, null],
  ])('is stored only if another reader can begin there, from %j', async (start, stored) => {
    const { progress, unfinishedFrom } = watched(start)
    const page = progress.track(aPageOf(start, [1], at(1)))
    progress.keepForSuccessor(page)
    await progress.handledUpTo(page, 1)
    expect(unfinishedFrom()).toBe(stored)
  })

  it('is not stored once it is more than 10,000 changes behind', async () => {
    const { progress, unfinishedFrom } = watched()
    const page = progress.track(aPage(1))
    progress.keepForSuccessor(page)
    await progress.handledUpTo(page, 1)
    const many = (count: number, lsn: number) =>
      progress.track(
        aPageOf(
          at(lsn - 1),
          Array.from({ length: count }, () => lsn),
          at(lsn),
        ),
      )
    await progress.handledUpTo(many(9_999, 2), 9_999)
    expect(unfinishedFrom()).toBe('"0"')
    await progress.handledUpTo(many(1, 3), 1)
    expect(unfinishedFrom()).toBeNull()
  })
})
