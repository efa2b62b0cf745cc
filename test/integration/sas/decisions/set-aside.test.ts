import { beforeEach, describe, expect, it } from 'vitest'
import type { JobDocument } from '../../../../src/sas/model/documents.js'
import { decodeDocument } from '../../../../src/sas/model/decode.js'
import { StoreRefused, StoreUnavailable } from '../../../../src/sas/model/errors.js'
import { setAside } from '../../../../src/sas/decisions/set-aside.js'
import { replacing } from '../../../../src/sas/store/state-store.js'
import { submit } from '../../../../src/sas/submission/submit.js'
import { updateJob } from '../../../../src/sas/client/update-job.js'
import { aJob, aSubmission, aWorkflow, asStored, theStep, documentsOf } from '../../../support/a-job.js'
import { StateWorld } from '../../../support/state-world.js'

const obstacle = { now: 5_000, by: 'scheduler-1', message: 'no way', stepId: 'only' }

let world: StateWorld
beforeEach(() => {
  world = new StateWorld()
})

/** Stores a job whose step may take forever: the schema allows it, but no scheduler can compute with it. */
async function poisonous(jobId: string): Promise<void> {
  const { job, steps } = documentsOf(submit(aSubmission(aWorkflow().plan, { jobId, partition: jobId })))
  const endless = { ...theStep(steps, 'only'), completeWithinMs: Number.MAX_VALUE }
  await world.put(
    jobId,
    [job, endless].map((document) => ({ kind: 'create', document })),
  )
}

/** Changes a step as an operator does who edits the store by hand. */
async function edited(change: Readonly<Record<string, unknown>>): Promise<void> {
  const step = await world.step()
  await world.put('job-1', [replacing(step, { ...step, ...change })])
}

describe('a job that is set aside', () => {
  it('is in Error, flagged, and still decodes (I20)', () => {
    const { job } = setAside(aJob({ lockedBy: 'scheduler-0', fence: 3 }), obstacle)
    expect(job).toMatchObject({
      processState: 'Error',
      lockedBy: null,
      fence: 4,
      completeByMs: null,
      endedAtMs: 5_000,
      attention: { kind: 'corrupt', by: 'scheduler-1', message: 'no way', stepId: 'only' },
    })
    expect(decodeDocument(job)).toMatchObject({ kind: 'job' })
  })

  it('is reported to its submitter (I13)', () => {
    const { job, notices } = setAside(aJob({ replyTo: 'https://shop.example/jobs', notifySeq: 1 }), obstacle)
    expect(notices.map(({ kind, seq }) => [kind, seq])).toEqual([
      ['attention', 2],
      ['finished', 3],
    ])
    expect(job.notifySeq).toBe(3)
  })
})

describe('a scheduler sets aside', () => {
  it('a job that its code cannot compute with, and schedules the others of the page (F-Q15)', async () => {
    await poisonous('job-1')
    await world.submitted({ pay: [] }, {}, { jobId: 'job-2', partition: 'job-2' })
    await world.scheduler().onChanges(await world.changes())
    expect(await world.job()).toMatchObject({
      processState: 'Error',
      attention: { kind: 'corrupt', message: 'RangeError: Invalid time value', stepId: null },
    })
    expect(await world.job('job-2')).toMatchObject({ processState: 'Processing' })
    expect(world.telemetry.of('attention.raised')).toMatchObject([{ jobId: 'job-1', kind: 'corrupt' }])
    expect(world.telemetry.of('job.finished')).toMatchObject([{ jobId: 'job-1', state: 'Error' }])
  })

  it('a job with a deleted step (F-V24)', async () => {
    const writes = submit(aSubmission(aWorkflow({ a: [], b: [] }).plan))
    await world.put(
      'job-1',
      writes.filter(({ document }) => document.id !== 'sas.step:job-1:b'),
    )
    await world.scheduler().onChanges(await world.changes())
    expect(await world.job()).toMatchObject({
      processState: 'Error',
      attention: { kind: 'corrupt', message: 'step b is gone', stepId: 'b' },
    })
    expect((await world.step('a')).dispatch).toBe(0)
  })

  it('a job with a step that was edited by hand (F-C9, F-O5)', async () => {
    await world.dispatched()
    await world.changes()
    await edited({ processState: 'Processed' })
    await world.scheduler().onChanges(await world.changes())
    expect(await world.job()).toMatchObject({
      processState: 'Error',
      attention: {
        message: 'step pay cannot be read: processState is Processed, but its other fields imply Processing',
        stepId: 'pay',
      },
    })
  })

  it('no job because of a step that newer code wrote (F-C10)', async () => {
    await world.submitted()
    const jobOnly = (await world.changes()).filter(({ id }) => id === 'sas.job:job-1')
    await edited({ schema: 99 })
    await world.scheduler().onChanges(jobOnly)
    expect(world.faults.writes).toEqual([])
    expect(await world.job()).toMatchObject({ processState: 'Pending' })
  })

  it('a job whose write the store refuses for good', async () => {
    await world.submitted()
    world.faults.failWrites({ kind: 'throws', error: new StoreRefused('too large') })
    await world.scheduler().onChanges(await world.changes())
    expect(await world.job()).toMatchObject({ attention: { message: 'StoreRefused: too large' } })
  })

  it('no job that it cannot flag, and rejects the page so that it is delivered again (I10)', async () => {
    await poisonous('job-1')
    const page = await world.changes()
    const unavailable = new StoreUnavailable('busy', { cause: null })
    world.faults.failWrites({ kind: 'throws', error: unavailable })
    const scheduler = world.scheduler()
    await expect(scheduler.onChanges(page)).rejects.toBe(unavailable)
    await scheduler.onChanges(page)
    expect(await world.job()).toMatchObject({ attention: { kind: 'corrupt' } })
  })

  it.each(['applied', 'lost'] as const)(
    'a job once when the reply to its write is lost and the write was %s',
    async (truth) => {
      await poisonous('job-1')
      world.faults.failWrites({ kind: 'unknownOutcome', truth })
      await world.scheduler().onChanges(await world.changes())
      expect(await world.job()).toMatchObject({ fence: 1, attention: { kind: 'corrupt' } })
    },
  )

  it('a job that goes on from where it stood once it is repaired and resubmitted (R7)', async () => {
    await world.dispatched()
    await world.changes()
    const before = await world.step()
    await edited({ processState: 'Processed' })
    await world.scheduler().onChanges(await world.changes())
    await world.put('job-1', [replacing(asStored(before, await etagOf(before.id)), before)])
    const command = { kind: 'resubmit', by: 'me', why: 'put back as it was' } as const
    await updateJob(world.store, await world.job(), command, () => world.clock.now())
    const page = await world.changes()
    await world.scheduler().onChanges(page)
    const agents = world.agents()
    await agents.onChanges(page, { signal: new AbortController().signal })
    await agents.stop(0)
    await world.scheduler().onChanges(await world.changes())
    const done: JobDocument = await world.job()
    expect(done).toMatchObject({ processState: 'Processed', attention: null, generation: 1 })
  })
})

async function etagOf(id: string): Promise<string> {
  return (await world.truth.read({ pk: 'job-1', id }))?._etag ?? ''
}

it('a job that was set aside as a whole refuses a resubmission that names steps', async () => {
  await poisonous('job-1')
  await world.scheduler().onChanges(await world.changes())
  const { steps } = documentsOf(submit(aSubmission(aWorkflow().plan)))
  const command = { kind: 'resubmit', by: 'me', why: '', steps: [theStep(steps, 'only')] } as const
  await expect(updateJob(world.store, await world.job(), command, () => 0)).rejects.toThrow(
    'job job-1 was set aside as a whole: resubmit it without naming steps',
  )
})
