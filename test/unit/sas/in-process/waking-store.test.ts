import { describe, expect, it } from 'vitest'
import { FeedHints } from '../../../../src/change-feed-processor/internals.js'
import { InProcessPath } from '../../../../src/sas/in-process/in-process-path.js'
import { replacing, type StateWrite } from '../../../../src/sas/store/state-store.js'
import type { AcceptedJob } from '../../../../src/sas/submission/write-submission.js'
import {
  beginningHere,
  readers,
  readersOf,
  wakingReaders,
} from '../../../../src/sas/in-process/waking-store.js'
import { submit } from '../../../../src/sas/submission/submit.js'
import { aJob, aStep, aSubmission, aWorkflow } from '../../../support/a-job.js'
import { StateWorld } from '../../../support/state-world.js'

const writes = submit(aSubmission(aWorkflow().plan))

function waking() {
  const world = new StateWorld()
  const woken: [string, string | null][] = []
  const hints = new FeedHints()
  for (const reader of readers) hints.part(reader).subscribe((rangeId) => woken.push([reader, rangeId]))
  const store = wakingReaders(world.store, hints)
  return { world, woken, store }
}

describe('a store that wakes readers', () => {
  it('wakes, of the range that was written, whom the writes call for', async () => {
    const { store, woken, world } = waking()
    await world.put('job-1', writes)
    const job = await world.job()
    expect(await store.apply('job-1', [replacing(job, { ...job, fence: 1 })])).toMatchObject({
      kind: 'applied',
    })
    expect(woken).toEqual([['scheduler', '0']])
  })

  it('wakes all when nobody knows whether something was written', async () => {
    const { store, woken, world } = waking()
    world.store.failWrites({ kind: 'unknownOutcome', truth: 'lost' })
    await store.apply('job-1', writes)
    expect(woken).toEqual(readers.map((reader) => [reader, null]))
  })

  it('wakes nobody when nothing was written', async () => {
    const { store, woken, world } = waking()
    await world.put('job-1', writes)
    expect(await store.apply('job-1', writes)).toMatchObject({ kind: 'conflict' })
    expect(woken).toEqual([])
  })

  it('is otherwise the store', async () => {
    const { store, woken, world } = waking()
    await world.put('job-1', writes)
    expect(await store.read({ pk: 'job-1', id: 'sas.job:job-1' })).toMatchObject({ jobId: 'job-1' })
    expect(await store.listJobs({})).toHaveLength(1)
    expect(await store.findJob('job-1')).toMatchObject({ jobId: 'job-1' })
    expect(await store.listSteps('job-1', 'job-1')).toHaveLength(1)
    expect(await store.listOverdue({ afterMs: 0, beforeMs: 0, pickUpWithinMs: 0 }, 10)).toEqual([])
    expect(woken).toEqual([])
  })
})

describe('whom writes call for', () => {
  const [job, claimed] = [aJob(), aJob({ lockedBy: 'scheduler-1', processState: 'Processing' })]
  const ended = aJob({ processState: 'Processed', endedAtMs: 1 })
  const open = aStep({ dispatch: 1, lockedBy: 'scheduler-1', completeByMs: 9, processState: 'Processing' })
  const done = aStep({ dispatch: 1, processState: 'Processed' })
  const notice = { id: 'sas.notify:job-1:1', pk: 'job-1', type: 'sas.notify', completeByMs: 9 }
  const attention = { kind: 'error' as const, since: '', by: 's', message: 'down', stepId: null }
  const flagged = aJob({ processState: 'Error', endedAtMs: 1, attention })
  const outcome = { kind: 'failed' as const, attempt: 1, at: '', by: 'agents-1' }
  const order = { id: 'order-1', pk: 'job-1', lockedBy: null, dispatch: 1 }

  it.each([
    ['a job that is up for anybody again', [job], ['scheduler']],
    ['an outcome', [done], ['scheduler']],
    ['an attempt that failed for now', [{ ...open, outcome }], ['supervisor']],
    ['a step given back, to be tried later', [{ ...done, completeByMs: 9 }], ['scheduler', 'supervisor']],
    ['an open step that a supervisor offers again', [open], ['agents']],
    ['a dispatch, whose scheduler knows what it could not start', [claimed, done, open], []],
    ['a dispatch of what sleeps', [claimed, { ...done, completeByMs: 9 }], ['supervisor']],
    ['the end of a job', [ended, done], []],
    ['the end of a job, with a notice of it', [ended, done, notice], ['notifier']],
    ['a notice that was sent', [{ ...notice, completeByMs: null }], []],
    ['a job that is flagged', [flagged], ['notifier']],
    ['a document of the user', [order], []],
  ])('%s', (_what, documents, called) => {
    const written = documents.map((document): StateWrite => ({ kind: 'replace', document, ifMatch: 'e' }))
    expect(readersOf(written)).toEqual(called)
  })

  it('is nobody for a submission: who submits says whether somebody has to read it', () => {
    const written = [job, aStep(), order].map((document): StateWrite => ({ kind: 'create', document }))
    expect(readersOf(written)).toEqual([])
    const notices = [job, notice].map((document): StateWrite => ({ kind: 'create', document }))
    expect(readersOf(notices)).toEqual(['notifier'])
  })
})

describe('a job that was accepted in this process', () => {
  const hintsOf = () => {
    const woken: [string, string | null][] = []
    const hints = new FeedHints()
    for (const reader of readers) hints.part(reader).subscribe((rangeId) => woken.push([reader, rangeId]))
    return { hints, woken }
  }
  const accepted = (physicalRangeId: string | null) => {
    const stored = { _etag: 'e', _ts: 0 }
    return { job: { ...aJob(), ...stored }, steps: [{ ...aStep(), ...stored }], physicalRangeId }
  }
  /** Whatever follows from what has been done. */
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  const offering = (isBegun: boolean) => {
    const inProcessPath = new InProcessPath()
    const begun: AcceptedJob[] = []
    const begin = (job: AcceptedJob) => Promise.resolve(begun.push(job) > 0 && isBegun)
    inProcessPath.scheduler.open('0', { begin, settleAndSchedule: () => Promise.resolve(null) })
    return { inProcessPath, begun }
  }

  it('is begun by the scheduler that holds its range, and nobody needs to read', async () => {
    const [{ hints, woken }, { inProcessPath, begun }] = [hintsOf(), offering(true)]
    beginningHere(inProcessPath, hints)(accepted('0'))
    await settled()
    expect([begun.length, woken]).toEqual([1, []])
  })

  it.each([
    ['the scheduler leaves it to the feed', '0', false],
    ['another instance holds its range', '1', true],
    ['nobody knows its range', null, true],
  ])('is read by the scheduler when %s', async (_why, rangeId, isBegun) => {
    const [{ hints, woken }, { inProcessPath }] = [hintsOf(), offering(isBegun)]
    beginningHere(inProcessPath, hints)(accepted(rangeId))
    await settled()
    expect(woken).toEqual([['scheduler', rangeId]])
  })
})
