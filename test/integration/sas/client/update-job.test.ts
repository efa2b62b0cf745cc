import { beforeEach, describe, expect, it } from 'vitest'
import { CommandRefused, JobNotFound, StepNotFound } from '../../../../src/sas/model/errors.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { replacing } from '../../../../src/sas/store/state-store.js'
import { VirtualClock } from '../../../../src/platform/index.js'
import { StateWorld } from '../../../support/state-world.js'

const decided = { by: 'ann', why: 'the card was replaced' }

let world: StateWorld
let client: JobClient
beforeEach(() => {
  world = new StateWorld()
  client = new JobClient(world)
})

/** A job whose only step is flagged, and which has therefore ended in Error. */
async function failed(): Promise<void> {
  await world.dispatched()
  const step = await world.step()
  const attention = { kind: 'error' as const, since: '', by: 'x', message: 'no such card', stepId: 'pay' }
  const flagged = { ...step, attention, processState: 'Error' as const, lockedBy: null }
  await world.put('job-1', [replacing(step, flagged)])
  await world.scheduler().onChanges(await world.changes())
  expect(await world.job()).toMatchObject({ processState: 'Error' })
}

describe('a command to a job', () => {
  it('resubmits a failed step with another input, which schedulers see in the feed (R115)', async () => {
    await failed()
    const scheduler = world.scheduler()
    await scheduler.onChanges(await world.changes())
    await client.resubmit('job-1', { step: 'pay', input: { item: 'other' }, ...decided })
    expect(await world.job()).toMatchObject({ processState: 'Pending', audit: [decided] })
    await scheduler.onChanges(await world.changes())
    expect(await world.step()).toMatchObject({
      processState: 'Processing',
      input: { item: 'other' },
      idempotencyKey: 'job-1/pay/g2/do',
    })
    expect(world.telemetry.of('job.operated')).toEqual([
      { type: 'job.operated', jobId: 'job-1', workflow: 'shopping', command: 'resubmit', ...decided },
    ])
  })

  it('cancels the job, and the job’s view shows the reason', async () => {
    await world.submitted()
    await client.cancel('job-1', 'not wanted any more')
    await world.scheduler().onChanges(await world.changes())
    const job = await client.get('job-1')
    expect(await job?.view()).toMatchObject({
      state: 'Compensated',
      compensation: { reason: 'cancelled: not wanted any more', by: 'operator' },
    })
    await expect(job?.result()).rejects.toThrow('ended Compensated: cancelled: not wanted any more')
  })

  it('is refused, with a reason, when it does not fit the state of the job (F-O1)', async () => {
    await world.submitted()
    await expect(client.resubmit('job-1', decided)).rejects.toThrow(CommandRefused)
    await expect(client.release('job-1')).rejects.toThrow('no step of job job-1 is parked')
    await expect(client.resubmit('job-1', { input: 1, ...decided })).rejects.toThrow(
      'input needs step, the name',
    )
    expect(world.faults.writes).toEqual([])
  })

  it.each([
    ['resubmit', () => client.resubmit('job-1', { step: 'pya', ...decided })],
    ['release', () => client.release('job-1', { step: 'pya' })],
  ])('is rejected with the steps of the job when %s names another step', async (_command, given) => {
    await world.submitted()
    await expect(given()).rejects.toThrow(new StepNotFound('job-1', 'pya', 'its steps are pay'))
    expect(world.faults.writes).toEqual([])
  })

  it('is rejected when there is no such job (F-O3)', async () => {
    await expect(client.cancel('job-1', 'x')).rejects.toThrow(new JobNotFound('job-1'))
  })

  it('decides again when the job was written meanwhile (F-V21)', async () => {
    await world.submitted()
    const rival = async (): Promise<void> => {
      const job = await world.job()
      await world.put('job-1', [replacing(job, { ...job, priority: 7 })])
    }
    world.faults.failWrites({ kind: 'rival', write: rival })
    await client.cancel('job-1', 'x')
    expect(await world.job()).toMatchObject({ priority: 7, audit: [{ command: 'cancel' }] })
  })

  it('takes effect once when its replies are lost', async () => {
    await failed()
    world.faults.failWrites(
      { kind: 'unknownOutcome', truth: 'lost' },
      { kind: 'unknownOutcome', truth: 'applied' },
    )
    await client.resubmit('job-1', decided)
    expect(await world.job()).toMatchObject({ generation: 2, audit: [decided] })
  })

  it('takes effect although its reply is lost and another operator has a clock that is ahead', async () => {
    await failed()
    const { store, queries, telemetry, clock } = world
    const ahead = new VirtualClock(clock.now() + 60_000)
    await new JobClient({ store, queries, telemetry, clock: ahead }).triage('job-1', { assignee: 'bob' })
    world.faults.failWrites({ kind: 'unknownOutcome', truth: 'lost' })
    await client.resubmit('job-1', decided)
    expect(await world.job()).toMatchObject({ generation: 2, audit: [decided] })
    await client.cancel('job-1', 'not wanted')
    expect(await world.job()).toMatchObject({ audit: [decided, { command: 'cancel' }] })
  })
})
