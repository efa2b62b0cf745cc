import { describe, expect, it } from 'vitest'
import { recoverJob } from '../../../../src/sas/decisions/recover-job.js'
import { mustRead } from '../../../../src/sas/decisions/readers.js'
import { raiseEvent } from '../../../../src/sas/decisions/operator/raise-event.js'
import { answerQuestion } from '../../../../src/sas/waiting/answer-question.js'
import { submit } from '../../../../src/sas/submission/submit.js'
import { defineWorkflow } from '../../../../src/sas/workflow/workflow.js'
import { aSubmission, documentsOf, submittedAtMs } from '../../../support/a-job.js'
import { graceMs, JobStory, success } from '../../../support/job-story.js'

const hour = 3_600_000
const pause = { kind: 'pause' as const, by: 'ann', why: 'the bank is down' }
const resume = { kind: 'resume' as const, by: 'bob', why: 'it is back' }

const two = () => JobStory.submitted({ a: [], b: ['a'] }).scheduled()

/** Returns a job with a sleep, an event and a question, which has begun. */
function waiting(completeWithinMs: number | null = null): JobStory {
  const workflow = defineWorkflow<unknown>('waiting', (job) => {
    job.sleep('nap', '2h')
    job.waitFor('delivery', { completeWithin: '2h' })
    job.ask('approve', { title: 'Ship it?', completeWithin: '2h', remindAfter: '1h' })
  })
  return JobStory.of(documentsOf(submit(aSubmission(workflow.plan, { completeWithinMs })))).scheduled()
}

describe('a pause (I27)', () => {
  it('lets attempts under way end, and dispatches nothing after them (F-P12)', () => {
    const story = two().commanded(pause).scheduled()
    expect(story.job).toMatchObject({ processState: 'Processing', completeByMs: submittedAtMs + 60_000 })
    const after = story.concluded('a')
    expect(after.job.steps).toMatchObject({ a: { state: 'Processed' }, b: { state: 'NotStarted' } })
    expect(after.step('b').dispatch).toBe(0)
    expect(after.deciding()).toEqual({ kind: 'nothing' })
  })

  it('costs nothing at rest: no supervisor looks at the job or at a step (F-P13)', () => {
    const story = waiting().commanded(pause).scheduled()
    expect(story.job).toMatchObject({ completeByMs: null, processState: 'Processing' })
    const policy = { now: story.now + 1_000 * hour, graceMs, supervisor: 'supervisor-1' }
    expect(recoverJob(story.job, policy)).toEqual({ kind: 'nothing' })
    for (const step of story.steps.values()) {
      expect(mustRead.supervisor(step)).toBe(false)
      expect(story.later(1_000 * hour).recovering(step.stepId)).toEqual({ kind: 'nothing' })
    }
    expect(story.later(1_000 * hour).deciding()).toEqual({ kind: 'nothing' })
  })

  it('does not try a failed attempt again', () => {
    const story = two().commanded(pause).scheduled().settled('a', { kind: 'failed', message: 'no' })
    const held = story.expired('a').scheduled()
    expect(held.step('a')).toMatchObject({ failureCount: 1, lockedBy: null, completeByMs: null })
    expect(held.later(hour).deciding()).toEqual({ kind: 'nothing' })
  })

  it('does not undo a step that failed for good before the job is resumed', () => {
    const failed = JobStory.submitted({ a: [], b: [] }, { undo: true, onExhausted: 'compensate' })
      .scheduled()
      .concluded('a')
      .commanded(pause)
      .scheduled()
      .concluded('b', { kind: 'permanent', message: 'refused' })
    expect(failed.job).toMatchObject({ processState: 'Processing', compensation: null })
    expect(failed.commanded(resume).scheduled().job.compensation).not.toBeNull()
  })

  it('leaves a job alone that has not begun', () => {
    const story = JobStory.submitted({ a: [] }).commanded(pause).scheduled()
    expect(story.job.steps['a']?.state).toBe('NotStarted')
    expect(story.commanded(resume).scheduled().job.steps['a']?.state).toBe('Processing')
  })

  it('does not keep a job open whose last attempt succeeds', () => {
    const story = JobStory.submitted({ a: [] }).scheduled().commanded(pause).scheduled().concluded('a')
    expect(story.job).toMatchObject({ processState: 'Processed', paused: null })
  })

  it('keeps old instances away, because of the schema of the job', () => {
    expect(two().job.schema).toBe(1)
    expect(two().commanded(pause).job.schema).toBe(2)
  })

  it('is kept in the audit with its author and reason', () => {
    const story = two().commanded(pause).later(hour).commanded(resume)
    expect(story.job.audit).toMatchObject([
      { command: 'pause', by: 'ann', why: 'the bank is down' },
      { command: 'resume', by: 'bob', why: 'it is back' },
    ])
    expect(story.job.paused).toBeNull()
  })

  it('reads all steps under way before it decides', () => {
    const story = two().commanded(pause)
    expect(story.deciding(['b'])).toEqual({ kind: 'read', stepIds: ['a'] })
  })
})

describe('a resumed job', () => {
  it('moves every deadline by the time of the pause', () => {
    const story = waiting(3 * hour).later(hour / 2)
    const back = story
      .commanded(pause)
      .scheduled()
      .later(5 * hour)
      .commanded(resume)
      .scheduled()
      .scheduled()
    const moved = 5 * hour
    for (const stepId of ['nap', 'delivery', 'approve']) {
      const before = story.step(stepId).completeByMs ?? 0
      expect(back.step(stepId).completeByMs, stepId).toBe(before + moved)
      expect(back.step(stepId).held).toBeUndefined()
    }
    expect(back.step('nap').notBeforeMs).toBe(submittedAtMs + 2 * hour + moved)
    expect(back.step('approve').asked).toMatchObject({
      remindAtMs: submittedAtMs + hour + moved,
      expiresAtMs: submittedAtMs + 2 * hour + moved,
    })
    expect(back.job.endByMs).toBe(submittedAtMs + 3 * hour + moved)
    expect(back.deciding()).toEqual({ kind: 'nothing' })
  })

  it('goes on with the next steps', () => {
    const story = two().commanded(pause).scheduled().concluded('a').later(hour).commanded(resume).scheduled()
    expect(story.step('b')).toMatchObject({ dispatch: 1, lockedBy: 'scheduler-1' })
    expect(story.concluded('b', success).job.processState).toBe('Processed')
  })

  it('tries a step again whose attempt failed during the pause', () => {
    const story = two().commanded(pause).scheduled().settled('a', { kind: 'failed', message: 'no' })
    const back = story.expired('a').scheduled().later(hour).commanded(resume).scheduled().scheduled()
    expect(back.step('a')).toMatchObject({ attempt: 2, lockedBy: 'scheduler-1', failureCount: 1 })
  })

  it('takes an event and an answer that came during the pause, after the old deadline (F-P14)', () => {
    const held = waiting()
      .commanded(pause)
      .scheduled()
      .later(5 * hour)
    const raised = raiseEvent(held.step('delivery'), 'here', held.now)
    if (raised.kind !== 'write') throw new Error(raised.kind)
    const answered = answerQuestion(held.step('approve'), { data: true, by: 'cyd', note: null }, held.now)
    if (answered.kind !== 'write') throw new Error(answered.kind)
    const told = held.withStep(raised.step).withStep(answered.step).scheduled()
    expect(told.step('approve').completeByMs).toBeNull()
    expect(told.job.steps['approve']?.state).toBe('Processing')
    const back = told.later(hour).commanded(resume).scheduled().scheduled()
    expect(back.job.steps).toMatchObject({
      delivery: { state: 'Processed' },
      approve: { state: 'Processed' },
      nap: { state: 'Processing' },
    })
  })

  it('gets back the deadlines of more steps than fit into one transaction (F-P15)', () => {
    const shape = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`s${index}`, []]))
    const workflow = defineWorkflow<unknown>('many', (job) => {
      for (const id of Object.keys(shape)) job.waitFor(id, { completeWithin: '2h' })
    })
    let story = JobStory.of(documentsOf(submit(aSubmission(workflow.plan))))
    const settle = () => {
      for (let rounds = 0; rounds < 10 && story.deciding().kind === 'write'; rounds += 1)
        story = story.scheduled()
    }
    settle()
    story = story.commanded(pause)
    settle()
    expect([...story.steps.values()].filter(({ completeByMs }) => completeByMs !== null)).toEqual([])
    story = story.later(hour).commanded(resume)
    settle()
    const deadlines = new Set([...story.steps.values()].map(({ completeByMs }) => completeByMs))
    expect([...deadlines]).toEqual([submittedAtMs + 3 * hour])
  })

  it('is undone if it was cancelled during the pause, and not before (F-P14)', () => {
    const cancel = { kind: 'cancel' as const, by: 'ann', why: 'wrong order' }
    const done = JobStory.submitted({ a: [], b: ['a'] }, { undo: true })
      .scheduled()
      .concluded('a')
    const story = done.commanded(pause).scheduled().commanded(cancel).scheduled()
    expect(story.step('a').direction).toBe('do')
    const back = story.commanded(resume).scheduled()
    expect(back.job.processState).toBe('Compensating')
  })
})

describe('the commands', () => {
  it('refuse a second pause, a resume without a pause, and a job that has ended', () => {
    const story = two()
    const paused = story.commanded(pause)
    expect(paused.commanding(pause)).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('already paused by ann') as string,
    })
    expect(story.commanding(resume)).toMatchObject({ kind: 'refused', reason: 'job job-1 is not paused' })
    const ended = story.concluded('a').concluded('b')
    expect(ended.commanding(pause)).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('nothing to pause') as string,
    })
  })
})
