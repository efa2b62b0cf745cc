import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { VirtualClock } from '../../../../src/platform/index.js'
import type { DueEntry } from '../../../../src/sas/timing/due-entries.js'
import { DueWork, forEachEntry, type DueWorkOptions } from '../../../../src/sas/timing/due-work.js'
import { TelemetryRecorder } from '../../../../src/telemetry/index.js'
import { deferred } from '../../../support/deferred.js'

const at = (id: string, dueMs: number, leaseToken: string | null = '0'): DueEntry => ({
  pk: 'job-1',
  id,
  dueMs,
  leaseToken,
})
/** Entries that are overdue from the start, the one that is longest overdue first. */
const overdue = (...ids: readonly string[]): DueEntry[] => ids.map((id, index) => at(id, index - 100))
const sweepIntervalMs = 60_000
const error = new Error('away')

let clock: VirtualClock
let telemetry: TelemetryRecorder
/** The time of each run and the entries that it was given. */
let runs: string[]
beforeEach(() => {
  clock = new VirtualClock(0)
  telemetry = new TelemetryRecorder()
  runs = []
})

function noted(due: readonly DueEntry[]): void {
  runs.push(`${clock.now()}: ${due.map(({ id }) => id).join(' ')}`)
}

function started(options: Partial<DueWorkOptions<DueEntry>> = {}): DueWork<DueEntry> {
  const work = new DueWork<DueEntry>({
    clock,
    telemetry,
    name: 'work',
    run: async (due) => {
      noted(due)
      return []
    },
    retryAfterMs: 30_000,
    runsAtOnce: 2,
    list: async () => [],
    sweepIntervalMs,
    ...options,
  })
  work.start()
  onTestFinished(() => work.stop())
  return work
}

describe('the runs of due work', () => {
  it('begin when their entries are due, even if an earlier entry is noted later', async () => {
    const work = started()
    work.note(at('b', 20))
    await clock.advance(5)
    work.note(at('a', 10))
    await clock.advance(100)
    expect(runs).toEqual(['10: a', '20: b'])
  })

  it('are limited in number and in entries, and do not wait for each other', async () => {
    const hanging = deferred()
    const run = async (due: readonly DueEntry[]) => {
      noted(due)
      if (due[0]?.id === 'a') await hanging.promise
      return []
    }
    const work = started({ run, entriesPerRun: 2 })
    for (const entry of overdue('a', 'b', 'c', 'd', 'e')) work.note(entry)
    await clock.advance(1)
    expect(runs).toEqual(['0: a b', '0: c d', '0: e'])
    work.note(at('a', 1))
    await clock.advance(1_000)
    expect(runs).toHaveLength(3)
    hanging.resolve()
    await clock.advance(0)
    expect(runs.at(-1)).toBe('1001: a')
  })

  it('begin no earlier than the pause allows', async () => {
    const work = started({ pauseMs: () => Math.max(0, 500 - clock.now()) })
    work.note(at('a', 1))
    await clock.advance(1_000)
    expect(runs).toEqual(['500: a'])
  })

  it('repeat the entries that they report as due again', async () => {
    const run = forEachEntry(async (entry: DueEntry) => {
      noted([entry])
      return entry.id === 'a' && clock.now() < 50 ? 50 : null
    })
    const work = started({ run })
    for (const entry of overdue('a', 'b')) work.note(entry)
    await clock.advance(1_000)
    expect(runs).toEqual(['0: a', '0: b', '50: a'])
  })
})

describe('a run that fails', () => {
  const failing = (ids: string) => async (due: readonly DueEntry[]) => {
    noted(due)
    if (due.some(({ id }) => ids.includes(id))) throw error
    return []
  }

  it('is reported, and its entries are due again later', async () => {
    started({ run: failing('a') }).note(at('a', 1))
    await clock.advance(40_000)
    expect(runs).toEqual(['1: a', '30001: a'])
    expect(telemetry.of('loop.failed')).toEqual(
      Array.from({ length: 2 }, () => ({ type: 'loop.failed', loop: 'work', error })),
    )
  })

  it('delays no other run; a pause follows when as many fail in a row as may run at once', async () => {
    const work = started({ run: failing('bcde') })
    for (const entry of overdue('a', 'b', 'f', 'c', 'd', 'e', 'g')) work.note(entry)
    await clock.advance(1_000)
    expect(runs).toEqual(['0: a', '0: b', '0: f', '0: c', '0: d', '0: e', '1000: g'])
  })

  it('is neither reported nor repeated when a stop caused it', async () => {
    const work = started({
      run: (_, stop) =>
        new Promise((_resolve, reject) => stop.addEventListener('abort', () => reject(error))),
    })
    work.note(at('a', 1))
    await clock.advance(1)
    await work.stop()
    expect(telemetry.of('loop.failed')).toEqual([])
    expect(clock.pendingTimers).toBe(0)
  })
})

it('due work forgets ended entries and those of a released lease, even if a run repeats them', async () => {
  const hanging = deferred()
  const run = async (due: readonly DueEntry[]) => {
    noted(due)
    await hanging.promise
    return due.map((entry) => ({ ...entry, dueMs: 10 }))
  }
  const work = started({ run })
  for (const entry of [at('a', 1), at('b', 5), at('c', 5, null)]) work.note(entry)
  await clock.advance(1)
  work.leaseReleased('0')
  work.forget(at('c', 5))
  hanging.resolve()
  await clock.advance(1_000)
  expect(runs).toEqual(['1: a'])
})

describe('the sweep of due work', () => {
  /** Lists these entries page by page, and adds each request to `asked`. */
  function listing(entries: readonly DueEntry[], asked: string[]): DueWorkOptions<DueEntry>['list'] {
    return async (last, limit) => {
      asked.push(`${clock.now()}: after ${last?.id ?? 'none'}`)
      const after = last === null ? 0 : entries.findIndex(({ id }) => id === last.id) + 1
      return entries.slice(after, after + limit)
    }
  }

  it('lists page by page until the last one, and begins again at its interval (F-V10)', async () => {
    const asked: string[] = []
    const list = listing(overdue('a', 'b', 'c', 'd', 'e'), asked)
    started({ list, sweepLimit: 2 }).leaseAcquired('0', true)
    await clock.advance(10_000)
    expect(asked).toEqual(['0: after none', '1000: after b', '2000: after d'])
    expect(runs).toEqual(['0: a', '0: b', '1000: c', '1000: d', '2000: e'])
    await clock.advance(sweepIntervalMs)
    expect(asked.slice(3)).toEqual(['62000: after none', '63000: after b', '64000: after d'])
  })

  it('asks for the next page when the last entry of one is due, and restarts for a new lease', async () => {
    const asked: string[] = []
    const list = listing([at('a', 1, null), at('b', 7_000, null), at('c', 8_000, null)], asked)
    const work = started({ list, sweepLimit: 2 })
    work.leaseAcquired('7', false)
    await clock.advance(8_000)
    expect(asked).toEqual(['0: after none', '7000: after b'])
    expect(runs).toEqual(['1: a', '7000: b', '8000: c'])
    work.leaseAcquired('8', false)
    await clock.advance(0)
    work.leaseAcquired('9', false)
    await clock.advance(0)
    expect(asked.slice(2)).toEqual(['8000: after none', '8000: after none'])
  })

  it('notes only entries that are news', async () => {
    const isNews = (entry: DueEntry, known: DueEntry | null): boolean =>
      entry.leaseToken !== null || known === null
    const list = async () => [at('a', 0, null), at('b', 0, null)]
    const work = started({ list, isNews })
    work.note(at('a', 500))
    work.leaseAcquired('0', false)
    await clock.advance(1_000)
    expect(runs).toEqual(['0: b', '500: a'])
  })
})
