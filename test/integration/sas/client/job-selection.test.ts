import { beforeEach, describe, expect, it } from 'vitest'
import { StoreUnavailable } from '../../../../src/sas/model/errors.js'
import { JobClient } from '../../../../src/sas/client/job-client.js'
import { JobSelection, type SingleCommands } from '../../../../src/sas/client/job-selection.js'
import { replacing } from '../../../../src/sas/store/state-store.js'
import { StateWorld } from '../../../support/state-world.js'

const decision = { by: 'ann', why: 'restocked' }

let world: StateWorld
let client: JobClient
beforeEach(() => {
  world = new StateWorld()
  client = new JobClient(world)
})

/** A job whose only step failed for good. */
async function failed(jobId: string): Promise<void> {
  await world.submitted({ pay: [] }, {}, { jobId, partition: jobId, now: world.clock.now() })
  const [job, step] = [await world.job(jobId), await world.step('pay', jobId)]
  const attention = { kind: 'error' as const, since: '', by: 'x', message: 'gone', stepId: 'pay' }
  const processState = 'Error' as const
  const steps = { pay: { state: 'Error' as const, dispatch: 1 } }
  const begun = { desiredState: 'Completed', attention, processState }
  await world.put(jobId, [
    replacing(job, { ...job, ...begun, steps }),
    replacing(step, { ...step, ...begun, dispatch: 1 }),
  ])
}

describe('a command on many jobs', () => {
  it('is carried out on each job that it fits, and recorded there (R115)', async () => {
    await failed('one')
    await failed('two')
    await world.submitted({ pay: [] }, {}, { jobId: 'well', partition: 'well' })
    const progress: string[] = []
    const report = await client
      .select({ workflow: 'shopping' })
      .resubmit({ ...decision, onProgress: (done, total) => void progress.push(`${done}/${total}`) })
    expect({ ...report, done: [...report.done].sort() }).toEqual({
      isDryRun: false,
      done: ['one', 'two'],
      refused: [],
    })
    expect(progress).toEqual(['0/2', '1/2', '2/2'])
    for (const jobId of ['one', 'two']) {
      expect(await world.job(jobId)).toMatchObject({
        processState: 'Pending',
        generation: 2,
        audit: [{ command: 'resubmit', stepId: 'pay', ...decision }],
      })
    }
    expect(await world.job('well')).toMatchObject({ audit: [] })
  })

  it('changes nothing when it is repeated (F-O4)', async () => {
    await failed('one')
    await client.select({}).resubmit(decision)
    expect(await client.select({}).resubmit(decision)).toMatchObject({ done: [], refused: [] })
    expect(await world.job('one')).toMatchObject({ generation: 2 })
  })

  it('reports as a dry run what it would do to each job, and writes nothing', async () => {
    await failed('one')
    await failed('two')
    const before = await world.job('one')
    const writes = world.faults.count('apply')
    expect(await client.select({ step: 'pay' }).resubmit({ ...decision, dryRun: true })).toMatchObject({
      isDryRun: true,
      done: expect.arrayContaining(['one', 'two']) as unknown,
    })
    const wrongStep = { ...decision, step: 'ship', dryRun: true }
    expect(await client.select({}).resubmit(wrongStep)).toMatchObject({
      done: [],
      refused: [{ reason: 'job "one" has no step "ship"; its steps are pay' }, {}],
    })
    expect(world.faults.count('apply')).toBe(writes)
    expect(await world.job('one')).toEqual(before)
    expect(world.telemetry.of('job.operated')).toEqual([])
  })

  it('cancels each job that can be stopped, and releases no job without a parked step', async () => {
    await failed('one')
    await world.submitted({ pay: [] }, {}, { jobId: 'new', partition: 'new' })
    const cancelled = await client.select({}).cancel('shop closed', { by: 'ann' })
    expect([...cancelled.done].sort()).toEqual(['new', 'one'])
    expect(await client.select({}).release({ by: 'ann' })).toMatchObject({ done: [], refused: [] })
  })

  it('fails with the store’s error when the store is not available, and begins no other job', async () => {
    for (let index = 0; index < 20; index += 1) await failed(`job-${index}`)
    const error = new StoreUnavailable('away', { cause: null })
    world.faults.failWrites({ kind: 'throws', error })
    await expect(client.select({}).resubmit(decision)).rejects.toBe(error)
    expect(world.faults.count('apply')).toBeLessThanOrEqual(8)
  })

  it('begins no further job when its signal aborts', async () => {
    for (let index = 0; index < 20; index += 1) await failed(`job-${index}`)
    const stopping = new AbortController()
    const onProgress = (): void => stopping.abort()
    const report = await client.select({}).resubmit({ ...decision, onProgress, signal: stopping.signal })
    expect(report.done.length).toBeLessThanOrEqual(8)
  })
})

it('a selection lists each job once, even if more jobs share a millisecond than a page holds', async () => {
  const summaries = Array.from({ length: 1_900 }, (_, index) => ({
    jobId: `job-${index}`,
    submittedAt: new Date(1_000_000 - Math.floor(index / 1_300)).toISOString(),
  }))
  const list: SingleCommands['list'] = ({ after, limit = 100 }) => {
    const first = summaries.findIndex(({ jobId }) => jobId === after?.jobId) + 1
    return Promise.resolve(summaries.slice(first, first + limit) as never)
  }
  const listed = await new JobSelection({ list } as SingleCommands, {}, world).list()
  expect(listed.map(({ jobId }) => jobId)).toEqual(summaries.map(({ jobId }) => jobId))
})

it('a selection by cause reads only flagged jobs, which an index finds', async () => {
  const asked: object[] = []
  const list: SingleCommands['list'] = (filter) => {
    asked.push(filter)
    return Promise.resolve([])
  }
  for (const filter of [{ cause: '0'.repeat(12) }, {}]) {
    await new JobSelection({ list } as SingleCommands, filter, world).list()
  }
  expect(asked).toEqual([{ isFlagged: true, limit: 500 }, { limit: 500 }])
})
