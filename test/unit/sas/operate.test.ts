import { describe, expect, it } from 'vitest'
import { submittedAtMs } from '../../support/a-job.js'
import { JobStory, success } from '../../support/job-story.js'

const permanent = { kind: 'permanent', message: 'no such card', didNothing: true } as const
const by = { by: 'ann', why: 'the card was replaced' }
const resubmit = { kind: 'resubmit', ...by } as const
const cancel = { kind: 'cancel', ...by } as const
const release = { kind: 'release', ...by } as const
const compensating = { undo: true, onExhausted: 'compensate', maxFailures: 1 } as const

const inError = JobStory.submitted({ a: [], b: ['a'] }, { completeWithin: '30s' })
  .scheduled()
  .settled('a', success)
  .scheduled()
  .settled('b', permanent)
  .scheduled()

function refusal(story: JobStory, command: Parameters<JobStory['commanding']>[0]): string {
  const operation = story.commanding(command)
  if (operation.kind !== 'refused') throw new Error('the command was not refused')
  return operation.reason
}

describe('a resubmission', () => {
  const again = inError.later(5).commanded(resubmit)

  it('R115: puts a failed step back, a generation later, and keeps who decided so and why', () => {
    expect(again.job).toMatchObject({
      processState: 'Pending',
      lockedBy: null,
      generation: 2,
      attention: null,
      endedAt: null,
      completeByMs: submittedAtMs + 60_005,
      steps: { a: { state: 'Processed', dispatch: 1 }, b: { state: 'NotStarted', dispatch: 1 } },
      audit: [{ command: 'resubmit', stepId: 'b', at: '2026-01-01T00:00:00.005Z', ...by }],
    })
    expect(again.job.fence).toBeGreaterThan(inError.job.fence)
    expect(again.step('b')).toMatchObject({ processState: 'Pending', attention: null, completeByMs: null })
  })

  it('R7, R116: leads to the end of the same job, without what was done being done again', () => {
    const running = again.scheduled()
    expect(running.step('b')).toMatchObject({
      attempt: 1,
      failureCount: 0,
      generation: 1,
      idempotencyKey: 'job-1/b/g1/do',
    })
    expect(running.step('a')).toBe(inError.step('a'))
    expect(running.settled('b', success).scheduled().job.processState).toBe('Processed')
  })

  it('gives the step the operator’s input instead of the workflow’s, whatever it looks like', () => {
    const input = { item: { $from: ['input'] } }
    const edited = inError.commanded({ ...resubmit, steps: [{ stepId: 'b', input }] })
    expect(edited.scheduled().step('b').input).toEqual(input)
  })

  it('F-O2: is refused when repeated', () => {
    expect(refusal(again, resubmit)).toBe(
      'job job-1 is Pending; only a job in Error or Compensated is resubmitted',
    )
  })

  it('is refused for steps that did not fail, and where it leaves others that did', () => {
    expect(refusal(inError, { ...resubmit, steps: [{ stepId: 'a' }] })).toBe(
      'step a did not fail; failed: step b',
    )
    const two = JobStory.submitted({ a: [], b: [] }).scheduled().settled('a', permanent)
    const both = two.settled('b', permanent).scheduled()
    expect(refusal(both, { ...resubmit, steps: [{ stepId: 'a' }] })).toBe(
      'step b failed as well: name all that failed, or none',
    )
    expect(both.commanded(resubmit).job.steps).toMatchObject({
      a: { state: 'NotStarted' },
      b: { state: 'NotStarted' },
    })
  })

  it('R112: begins a job that was undone once more', () => {
    const undone = JobStory.submitted({ a: [], b: ['a'] }, compensating)
      .scheduled()
      .settled('a', success)
      .scheduled()
      .settled('b', permanent)
      .scheduled()
      .settled('a', success)
      .scheduled()
    const anew = undone.commanded({ ...resubmit, steps: [{ stepId: 'b', input: { item: 'other' } }] })
    expect(anew.job).toMatchObject({ processState: 'Pending', generation: 2, compensation: null })
    const running = anew.scheduled()
    expect(running.step('a').idempotencyKey).toBe('job-1/a/g2/do')
    const next = running.settled('a', success).scheduled()
    expect(next.step('b').input).toEqual({ item: 'other' })
    expect(refusal(undone, { ...resubmit, steps: [{ stepId: 'x', input: 1 }] })).toBe('there is no step x')
  })

  it('F-K11: is refused while the job is on its way back', () => {
    const undoing = JobStory.submitted({ a: [], b: ['a'] }, compensating)
      .scheduled()
      .settled('a', success)
      .scheduled()
      .settled('b', permanent)
      .scheduled()
    expect(undoing.job.processState).toBe('Compensating')
    expect(refusal(undoing, resubmit)).toContain('job job-1 is Compensating')
  })

  it('tries an undo again that had failed, under its old key (I9)', () => {
    const stuck = JobStory.submitted({ a: [], b: ['a'] }, compensating)
      .scheduled()
      .settled('a', success)
      .scheduled()
      .settled('b', permanent)
      .scheduled()
      .settled('a', permanent)
      .scheduled()
    const again = stuck.commanded(resubmit)
    expect(again.job).toMatchObject({ processState: 'Compensating', generation: 1, attention: null })
    const undoing = again.scheduled()
    expect(undoing.step('a')).toMatchObject({ attempt: 1, idempotencyKey: 'job-1/a/g1/undo' })
    expect(undoing.settled('a', success).scheduled().job.processState).toBe('Compensated')
    expect(refusal(stuck, { ...resubmit, steps: [{ stepId: 'a', input: 1 }] })).toContain('cannot be edited')
  })
})

describe('a cancellation', () => {
  it('F-D11: stops what is under way and undoes what was done', () => {
    const running = JobStory.submitted({ a: [], b: ['a'], c: [] }, { ...compensating, undoUncertain: false })
      .scheduled()
      .settled('a', success)
      .scheduled()
    const cancelled = running.commanded(cancel)
    expect(cancelled.job).toMatchObject({
      processState: 'Compensating',
      compensation: { by: 'ann', reason: 'cancelled: the card was replaced', thenRetry: false },
      audit: [{ command: 'cancel', stepId: null, ...by }],
    })
    // A success that arrives before the scheduler has acted still counts, and is undone.
    const raced = cancelled.settled('c', success).scheduled()
    expect(raced.job.steps).toMatchObject({
      a: { state: 'Compensating' },
      b: { state: 'NotStarted' },
      c: { state: 'Compensating' },
    })
    expect(() => raced.settled('b', success)).toThrow('discarded')
    const ended = raced.settled('a', success).settled('c', success).scheduled()
    expect(ended.job).toMatchObject({ processState: 'Compensated', endedAtMs: ended.now })
  })

  it('ends a job at once that has not begun', () => {
    const ended = JobStory.submitted({ a: [] }).commanded(cancel).scheduled()
    expect(ended.job).toMatchObject({ processState: 'Compensated', currentState: 'NotStarted' })
  })

  it('undoes what a job in Error had done', () => {
    const job = JobStory.submitted({ a: [], b: ['a'] }, { undo: true })
    const failed = job.scheduled().settled('a', success).scheduled().settled('b', permanent).scheduled()
    expect(failed.job.processState).toBe('Error')
    expect(failed.commanded(cancel).scheduled().job.steps['a']?.state).toBe('Compensating')
  })

  it('is refused when the job has ended or is on its way back', () => {
    const done = JobStory.submitted({ a: [] }).scheduled().settled('a', success).scheduled()
    expect(refusal(done, cancel)).toContain('job job-1 is Processed')
    const cancelled = JobStory.submitted({ a: [] }).commanded(cancel)
    expect(refusal(cancelled, cancel)).toContain('being undone already, because: cancelled')
    expect(refusal(cancelled.scheduled(), cancel)).toContain('job job-1 is Compensated')
  })

  it('R93: keeps a job from beginning again that is being undone for that', () => {
    const back = JobStory.submitted(
      { a: [], b: ['a'] },
      { ...compensating, onExhausted: 'compensateThenRetry' },
    )
      .scheduled()
      .settled('a', success)
      .scheduled()
      .settled('b', permanent)
      .scheduled()
    expect(back.job.compensation).toMatchObject({ thenRetry: true })
    const stopped = back.commanded(cancel)
    expect(refusal(stopped, cancel)).toContain('being undone already, because: cancelled')
    const ended = stopped.scheduled().settled('a', success).scheduled()
    expect(ended.job).toMatchObject({ processState: 'Compensated', generation: 1 })
    expect(ended.deciding()).toEqual({ kind: 'nothing' })
  })
})

describe('a release', () => {
  it('R117: lets a parked step go on, as if it had not failed', () => {
    const parked = JobStory.submitted({ a: [] }, { onExhausted: 'park', maxFailures: 1 })
    const waiting = parked.scheduled().expired('a').scheduled()
    const released = waiting.commanded(release)
    expect(released.job).toMatchObject({ attention: null, audit: [{ command: 'release', stepId: 'a' }] })
    const again = released.scheduled()
    expect(again.step('a')).toMatchObject({ processState: 'Processing', attempt: 1, failureCount: 0 })
    expect(refusal(released, release)).toContain('waiting: none')
  })

  it('F-V19: ends an extended wait', () => {
    const options = { onExhausted: { extendedWait: '1h' }, maxFailures: 1 } as const
    const waiting = JobStory.submitted({ a: [], b: [] }, options).scheduled().expired('a')
    expect(refusal(waiting, { ...release, stepId: 'b' })).toContain('step b of job job-1')
    const released = waiting.commanded({ ...release, stepId: 'a' }).scheduled()
    expect(released.step('a')).toMatchObject({ processState: 'Processing', notBeforeMs: null })
  })
})

describe('what operators decided', () => {
  it('is kept, the newest twenty', () => {
    const audit = Array.from({ length: 20 }, (_, index) => ({
      command: 'release' as const,
      stepId: null,
      at: '',
      by: `${index}`,
      why: '',
    }))
    const kept = inError.withJob({ ...inError.job, audit }).commanded(resubmit).job.audit
    expect(kept).toHaveLength(20)
    expect(kept.map((entry) => entry.by).slice(-2)).toEqual(['19', 'ann'])
  })
})
