import { beforeEach, describe, expect, it } from 'vitest'
import { InProcessPath } from '../../../../src/sas/in-process/in-process-path.js'
import { begunJob } from '../../../../src/sas/submission/begun-job.js'
import type { BeginSubmission } from '../../../../src/sas/submission/begun-submission.js'
import { ensureSubmitted } from '../../../../src/sas/submission/write-submission.js'
import type { SubmitRequest } from '../../../../src/sas/submission/submit.js'
import { condition, defineWorkflow } from '../../../../src/sas/index.js'
import { aSubmission, aWorkflow, shop } from '../../../support/a-job.js'
import { StateWorld } from '../../../support/state-world.js'

let world: StateWorld
let begin: BeginSubmission
beforeEach(() => {
  world = new StateWorld()
  const pauses = { entries: [], atMs: 0 }
  begin = (job, steps) =>
    begunJob(job, steps, { now: world.clock.now(), scheduler: 'scheduler-1', firstBy: 'agents-1', pauses })
})

const request = (overrides: Partial<SubmitRequest> = {}): SubmitRequest =>
  aSubmission(aWorkflow({ a: [], b: ['a'] }, { completeWithin: '30s' }).plan, overrides)

describe('a submission by the process whose scheduler owns the whole container', () => {
  it('claims the job and dispatches its first steps in its one transaction (I1, I5)', async () => {
    const { accepted } = await ensureSubmitted(world.store, request(), begin)
    expect(world.faults.writes).toHaveLength(1)
    expect(await world.job()).toMatchObject({ lockedBy: 'scheduler-1', fence: 1, processState: 'Processing' })
    const dueMs = world.clock.now() + 30_000
    expect(await world.step('a')).toMatchObject({ dispatch: 1, attempt: 1, completeByMs: dueMs })
    expect(await world.step('a')).toMatchObject({ firstBy: 'agents-1' })
    expect(await world.step('b')).toMatchObject({ dispatch: 0, firstBy: null })
    expect(accepted).toMatchObject({ isBegun: true, job: { _etag: (await world.job())._etag } })
  })

  it('stores what a submission and the first scheduling store one after the other', async () => {
    await ensureSubmitted(world.store, request(), begin)
    const together = [await world.job(), await world.step('a'), await world.step('b')]
    const apart = new StateWorld()
    await ensureSubmitted(apart.store, request())
    await apart.scheduler('scheduler-1').onChanges(await apart.changes())
    const one = [await apart.job(), await apart.step('a'), await apart.step('b')]
    const content = (document: object) => ({ ...document, _etag: '', firstBy: null })
    expect(together.map(content)).toEqual(one.map(content))
  })

  it('leads to no further write when the feed delivers it', async () => {
    const scheduler = world.scheduler()
    const { accepted } = await ensureSubmitted(world.store, request(), begin)
    expect(accepted !== null && (await scheduler.begin(accepted, '0'))).toBe(true)
    await scheduler.onChanges(await world.changes())
    expect(world.faults.writes).toHaveLength(1)
    expect(world.faults.count('read')).toBe(0)
    expect(world.telemetry.of('step.dispatched').map(({ stepId }) => stepId)).toEqual(['a'])
  })

  it('counts the deadline from the try that is stored', async () => {
    let tries = 0
    world.store.apply = (partition, writes) => {
      tries += 1
      if (tries > 1) return world.truth.apply(partition, writes)
      return world.clock.advance(5_000).then(() => ({ kind: 'unknownOutcome', cause: new Error('lost') }))
    }
    const startedAtMs = world.clock.now()
    await ensureSubmitted(world.store, request(), begin)
    expect(await world.step('a')).toMatchObject({ completeByMs: startedAtMs + 35_000 })
  })

  it('does not end a job: it leaves one without any step to run to the scheduler', async () => {
    const skipped = defineWorkflow<{ readonly item: string }>('skipped', (job) => {
      job.step(
        'a',
        shop.sell,
        { item: job.input.item },
        { when: condition.equal(job.input.item, 'no'), undo: 'none' },
      )
    })
    await ensureSubmitted(world.store, aSubmission(skipped.plan, { input: { item: 'yes' } }), begin)
    expect(await world.job()).toMatchObject({ processState: 'Pending', lockedBy: null })
    await world.scheduler().onChanges(await world.changes())
    expect(await world.job()).toMatchObject({ processState: 'Processed' })
  })

  it('is written without its dispatches if both are too large for one transaction', async () => {
    const large = defineWorkflow<{ readonly item: string }>('large', (job) => {
      job.step('a', shop.sell, { item: job.input.item }, { undo: 'none' })
    })
    const item = 'x'.repeat(700_000)
    const order = { id: 'order', pk: 'job-1', type: 'order', item }
    const submission = aSubmission(large.plan, { input: { item }, alongside: [order] })
    const { accepted } = await ensureSubmitted(world.store, submission, begin)
    expect(accepted).toMatchObject({ isBegun: false })
    expect(await world.step('a')).toMatchObject({ dispatch: 0 })
  })
})

describe('a submission in a process whose scheduler owns only a part of the container', () => {
  it('is stored as submitted, because the range of the job is not known yet', async () => {
    const inProcessPath = new InProcessPath()
    const begins: string[] = []
    const open = (token: string, isWhole: boolean): void => {
      inProcessPath.scheduler.open(token, {
        isWhole,
        beginSubmission: (job, steps) => {
          begins.push(token)
          return begin(job, steps)
        },
        begin: () => Promise.resolve(true),
        settleAndSchedule: () => Promise.resolve(null),
        foresee: () => undefined,
        documentAttempts: () => Promise.resolve(),
      })
    }
    open('1', false)
    await ensureSubmitted(world.store, request(), inProcessPath.beginSubmission)
    expect(await world.job()).toMatchObject({ lockedBy: null })
    open('0', true)
    await ensureSubmitted(
      world.store,
      request({ jobId: 'job-2', partition: 'job-2' }),
      inProcessPath.beginSubmission,
    )
    expect(begins).toEqual(['0'])
  })
})
