import { describe, expect, it } from 'vitest'
import { FeedHints } from '../../../../src/change-feed-processor/internal.js'
import { InProcessPath } from '../../../../src/sas/in-process/in-process-path.js'
import { updatePauses, withPause } from '../../../../src/sas/pauses/stored-pauses.js'
import { replacing } from '../../../../src/sas/store/state-store.js'
import type { AcceptedJob } from '../../../../src/sas/submission/write-submission.js'
import { readers } from '../../../../src/sas/decisions/readers.js'
import { beginningHere, wakingReaders } from '../../../../src/sas/in-process/waking-store.js'
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
  it('wakes the readers that the writes concern, for the range that was written', async () => {
    const { store, woken, world } = waking()
    await world.put('job-1', writes)
    const job = await world.job()
    expect(await store.apply('job-1', [replacing(job, { ...job, fence: 1 })])).toMatchObject({
      kind: 'applied',
    })
    expect(woken).toEqual([['scheduler', '0']])
  })

  it('wakes the schedulers of all ranges for a pause, and the others for its range', async () => {
    const { store, woken } = waking()
    const terms = { kind: 'workflow' as const, name: 'shopping', by: 'ann', why: 'test' }
    await updatePauses(store, (pauses) => withPause(pauses, terms, 1))
    expect(woken).toEqual([
      ['scheduler', null],
      ['supervisor', '0'],
    ])
  })

  it('wakes all readers when the outcome of a write is unknown', async () => {
    const { store, woken, world } = waking()
    world.faults.failWrites({ kind: 'unknownOutcome', truth: 'lost' })
    await store.apply('job-1', writes)
    expect(woken).toEqual(readers.map((reader) => [reader, null]))
  })

  it('wakes no reader when nothing was written', async () => {
    const { store, woken, world } = waking()
    await world.put('job-1', writes)
    expect(await store.apply('job-1', writes)).toMatchObject({ kind: 'conflict' })
    expect(woken).toEqual([])
  })

  it('passes reads on to the store', async () => {
    const { store, woken, world } = waking()
    await world.put('job-1', writes)
    expect(await store.read({ pk: 'job-1', id: 'sas.job:job-1' })).toMatchObject({ jobId: 'job-1' })
    expect(await store.listSteps('job-1', 'job-1')).toHaveLength(1)
    expect(await store.listOverdue({ afterMs: 0, beforeMs: 0, pickUpWithinMs: 0 }, 10)).toEqual([])
    expect(woken).toEqual([])
  })
})

describe('a job that was accepted in this process', () => {
  const hintsOf = () => {
    const woken: [string, string | null][] = []
    const hints = new FeedHints()
    for (const reader of readers) hints.part(reader).subscribe((rangeId) => woken.push([reader, rangeId]))
    return { hints, woken }
  }
  const accepted = (physicalRangeId: string | null, isBegun = false) => {
    const stored = { _etag: 'e', _ts: 0 }
    return { job: { ...aJob(), ...stored }, steps: [{ ...aStep(), ...stored }], physicalRangeId, isBegun }
  }
  /** Resolves when all pending promises were handled. */
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  const offering = (isBegun: boolean) => {
    const inProcessPath = new InProcessPath()
    const begun: AcceptedJob[] = []
    const begin = (job: AcceptedJob) => Promise.resolve(begun.push(job) > 0 && isBegun)
    inProcessPath.scheduler.open('0', {
      isWhole: false,
      beginSubmission: () => null,
      begin,
      settleAndSchedule: () => Promise.resolve(null),
      foresee: () => undefined,
      documentAttempts: () => Promise.resolve(),
    })
    return { inProcessPath, begun }
  }

  it('is begun by the scheduler that holds its range, and no reader is woken', async () => {
    const [{ hints, woken }, { inProcessPath, begun }] = [hintsOf(), offering(true)]
    beginningHere(inProcessPath, hints).onAccepted(accepted('0'))
    await settled()
    expect([begun.length, woken]).toEqual([1, []])
  })

  it.each([
    ['the scheduler leaves it to the feed', '0', false],
    ['another instance holds its range', '1', true],
    ['its range is unknown', null, true],
  ])('is read by the scheduler when %s', async (_why, rangeId, isBegun) => {
    const [{ hints, woken }, { inProcessPath }] = [hintsOf(), offering(isBegun)]
    beginningHere(inProcessPath, hints).onAccepted(accepted(rangeId))
    await settled()
    expect(woken).toEqual([['scheduler', rangeId]])
  })

  it('wakes the agents as well if it is dispatched and its range is held elsewhere', async () => {
    const [{ hints, woken }, { inProcessPath }] = [hintsOf(), offering(true)]
    beginningHere(inProcessPath, hints).onAccepted(accepted('1', true))
    await settled()
    expect(woken).toEqual([
      ['scheduler', '1'],
      ['agents', '1'],
    ])
  })
})
