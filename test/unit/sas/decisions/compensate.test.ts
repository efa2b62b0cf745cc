import { describe, expect, it } from 'vitest'
import type { Schedule } from '../../../../src/sas/decisions/continue-or-end-job.js'
import { graceMs, JobStory, success } from '../../../support/job-story.js'
import { submittedAtMs } from '../../../support/a-job.js'

const permanent = { kind: 'permanent', message: 'no such card', didNothing: true } as const
const compensating = { undo: true, onExhausted: 'compensate', completeWithin: '30s' } as const
const chain = { a: [], b: ['a'], c: ['b'] }

function written(decision: Schedule): Schedule & { kind: 'write' } {
  if (decision.kind !== 'write') throw new Error(`decided ${decision.kind}`)
  return decision
}

function states({ job }: JobStory): Record<string, string> {
  return Object.fromEntries(Object.entries(job.steps).map(([stepId, { state }]) => [stepId, state]))
}

/** A chain of which the last step has failed for good, and whose compensation has begun. */
function failedAtTheEnd(options = {}): JobStory {
  return JobStory.submitted(chain, { ...compensating, ...options })
    .scheduled()
    .concluded('a')
    .concluded('b')
    .concluded('c', permanent)
}

describe('a job that is to be undone', () => {
  it('R93, R110: says so and why, and begins with the last step that was done, in one write', () => {
    const story = failedAtTheEnd()
    expect(story.job).toMatchObject({
      processState: 'Compensating',
      currentState: 'Between',
      desiredState: 'NotStarted',
      compensation: { by: 'scheduler-1', reason: 'step c: no such card', thenRetry: false },
      attention: null,
    })
    expect(states(story)).toEqual({ a: 'Processed', b: 'Compensating', c: 'Error' })
    expect(story.step('b')).toMatchObject({
      processState: 'Compensating',
      direction: 'undo',
      currentState: 'Completed',
      desiredState: 'NotStarted',
      attempt: 1,
      idempotencyKey: 'job-1/b/g1/undo',
      completeByMs: submittedAtMs + 30_000,
    })
  })

  it('R41: gives the undo what was recorded with the success', () => {
    const done = JobStory.submitted({ a: [] }, compensating).scheduled().settled('a', success)
    expect(done.step('a').undo).toEqual({
      actor: 'shop',
      action: 'takeBack',
      inputTemplate: { item: 'a', sold: { $from: ['steps', 'a', 'output'] } },
      input: { item: 'a', sold: 'sold' },
      failureCount: 0,
      whenUncertain: true,
    })
  })

  it('I6, F-K7: goes back in reverse order, and ends where it began', () => {
    const first = failedAtTheEnd().concluded('b')
    expect(states(first)).toEqual({ a: 'Compensating', b: 'Compensated', c: 'Error' })
    const ended = first.concluded('a')
    expect(ended.job).toMatchObject({
      processState: 'Compensated',
      currentState: 'NotStarted',
      desiredState: 'NotStarted',
      lockedBy: null,
      completeByMs: null,
      endedAtMs: submittedAtMs,
      attention: null,
    })
    expect(ended.step('a')).toMatchObject({ processState: 'Compensated', output: 'sold' })
    expect(ended.deciding()).toEqual({ kind: 'nothing' })
  })

  it('I6: leaves what has no undo, and still undoes what lies behind it first', () => {
    const all = JobStory.submitted({ ...chain, d: ['c'] }, compensating)
      .scheduled()
      .concluded('a')
      .concluded('b')
      .concluded('c')
      .settled('d', permanent)
    const noUndo = all.withStep({ ...all.step('b'), undo: null }).scheduled()
    expect(states(noUndo)).toEqual({ a: 'Processed', b: 'Processed', c: 'Compensating', d: 'Error' })
    const next = noUndo.concluded('c')
    expect(states(next)).toMatchObject({ a: 'Compensating', b: 'Processed', c: 'Compensated' })
  })

  it('I6: keeps the order of steps between which one was left out', () => {
    const story = JobStory.submitted({ ...chain, d: ['c'] }, compensating)
    const never = { operator: 'present', of: [{ $from: ['input', 'coupon'] }] }
    const leftOut = story
      .withStep({ ...story.step('b'), when: never })
      .scheduled()
      .settled('a', success)
    const failed = leftOut.scheduled().concluded('c').settled('d', permanent)
    expect(failed.deciding(['a', 'c', 'd'])).toEqual({ kind: 'read', stepIds: ['b'] })
    const back = failed.scheduled()
    expect(states(back)).toEqual({ a: 'Processed', b: 'Skipped', c: 'Compensating', d: 'Error' })
    expect(states(back.concluded('c'))).toMatchObject({ a: 'Compensating' })
  })

  it.each<[string, 'compensate' | 'compensateThenRetry', boolean]>([
    ['begins again where both say so', 'compensateThenRetry', true],
    ['ends undone where one of two that failed says only that', 'compensate', false],
  ])('%s', (_what, other, thenRetry) => {
    const story = JobStory.submitted(
      { a: [], b: [] },
      { ...compensating, onExhausted: 'compensateThenRetry' },
    )
    const two = story.withStep({ ...story.step('b'), onExhausted: other }).scheduled()
    const failed = two.settled('a', permanent).settled('b', permanent)
    expect(written(failed.deciding()).job).toMatchObject(
      thenRetry ? { generation: 2 } : { processState: 'Compensated', compensation: { thenRetry: false } },
    )
  })

  it('is not undone where one of two that failed ends the job in error', () => {
    const story = JobStory.submitted({ a: [], b: [] }, compensating)
    const two = story.withStep({ ...story.step('b'), onExhausted: 'error' }).scheduled()
    const failed = two.settled('a', permanent).concluded('b', permanent)
    expect(failed.job).toMatchObject({ processState: 'Error', compensation: null })
  })

  it('needs no step that has not begun', () => {
    const cancelled = JobStory.submitted(chain, compensating).scheduled().settled('a', success)
    const back = cancelled.commanded({ kind: 'cancel', by: 'ann', why: 'x' })
    expect(states(back.applying(written(back.deciding(['a']))))).toEqual({
      a: 'Compensating',
      b: 'NotStarted',
      c: 'NotStarted',
    })
  })

  it('is gone through once, however many ways lead from its end to its beginning', () => {
    const layers = Array.from({ length: 40 }, (_, index) => [`l${index}`, `r${index}`] as const)
    const shape = Object.fromEntries(
      layers.flatMap((ids, index) => ids.map((id) => [id, layers[index - 1] ?? []])),
    )
    let story = JobStory.submitted({ ...shape, end: ['l39', 'r39'] }, compensating).scheduled()
    for (const [left, right] of layers) story = story.settled(left, success).concluded(right)
    const back = story.concluded('end', permanent)
    expect(states(back)).toMatchObject({ l38: 'Processed', l39: 'Compensating', r39: 'Compensating' })
  })

  it('undoes side by side what is not ordered', () => {
    const story = JobStory.submitted({ a: [], b: [], c: ['a', 'b'] }, compensating).scheduled()
    const failed = story.settled('a', success).concluded('b').settled('c', permanent)
    const back = failed.scheduled()
    expect(states(back)).toEqual({ a: 'Compensating', b: 'Compensating', c: 'Error' })
    const next = back.concluded('a')
    expect(states(next)).toEqual({ a: 'Compensated', b: 'Compensating', c: 'Error' })
    expect(next.step('b')).toBe(back.step('b'))
  })

  it('R10: follows used-up attempts as it follows a permanent failure', () => {
    const story = JobStory.submitted({ a: [], b: ['a'] }, { ...compensating, retry: { tries: 1 } })
      .scheduled()
      .concluded('a')
      .settled('b', { kind: 'failed', message: 'busy' })
      .expired('b')
      .scheduled()
    expect(states(story)).toEqual({ a: 'Processed', b: 'Compensating' })
    const undone = story.concluded('b')
    expect(states(undone)).toEqual({ a: 'Compensating', b: 'Compensated' })
    expect(undone.concluded('a').job.processState).toBe('Compensated')
  })

  it('F-K2, F-A20: undoes what may have taken effect in an attempt before the one that failed for good', () => {
    const first = JobStory.submitted({ a: [] }, { ...compensating, retry: { tries: 3 } }).scheduled()
    expect(states(first.concluded('a', permanent))).toEqual({ a: 'Error' })
    const unheard = first.settled('a', { kind: 'failed', message: 'no answer' }).expired('a').scheduled()
    expect(states(unheard.concluded('a', permanent))).toEqual({ a: 'Compensating' })
  })
})

describe('an attempt that is under way when the job turns back', () => {
  const turning = JobStory.submitted({ a: [], b: [] }, compensating).scheduled().settled('a', permanent)

  it('I3, F-K2: is fenced off in the same write; its undo waits until it must have ended', () => {
    const story = turning.later(5).scheduled()
    expect(states(story)).toEqual({ a: 'Error', b: 'Compensating' })
    expect(story.step('b')).toMatchObject({
      fence: 2,
      dispatch: 2,
      lockedBy: null,
      direction: 'undo',
      currentState: 'Between',
      notBeforeMs: submittedAtMs + 30_000,
      completeByMs: submittedAtMs + 30_000,
      undo: { input: { item: 'b' } },
    })
    expect(() => story.settled('b', success)).toThrow('discarded')
    expect(story.deciding()).toEqual({ kind: 'nothing' })
  })

  it('F-K6: is undone then, without what it would have returned, and the job ends', () => {
    const due = turning.scheduled().expired('b')
    expect(due.step('b')).toMatchObject({ notBeforeMs: null, fence: 3, failureCount: 0 })
    const undoing = due.scheduled()
    expect(undoing.step('b')).toMatchObject({ attempt: 1, idempotencyKey: 'job-1/b/g1/undo' })
    expect(undoing.concluded('b').job.processState).toBe('Compensated')
  })

  it('is simply stopped where its step says that there is nothing to undo then', () => {
    const certain = JobStory.submitted({ a: [], b: [] }, { ...compensating, undoUncertain: false })
    const story = certain.scheduled().concluded('a', permanent)
    expect(story.step('b')).toMatchObject({ processState: 'Pending', lockedBy: null, completeByMs: null })
    expect(() => story.settled('b', success)).toThrow('discarded')
    expect(story.job.processState).toBe('Compensated')
  })

  it('is undone at once when its deadline has passed, or when it was given up for now', () => {
    const { completeByMs } = turning.step('b')
    expect(turning.later(29_999).scheduled().step('b').lockedBy).toBeNull()
    const late = turning.later(30_000).scheduled()
    expect(late.now).toBe(completeByMs)
    expect(late.step('b')).toMatchObject({ direction: 'undo', lockedBy: 'scheduler-1', notBeforeMs: null })
    const again = turning.expired('b')
    expect(again.step('b')).toMatchObject({ processState: 'Pending', failureCount: 1 })
    expect(again.scheduled().step('b')).toMatchObject({ direction: 'undo', lockedBy: 'scheduler-1' })
  })

  it('is undone at once when it was given up without an answer', () => {
    const silent = JobStory.submitted({ a: [] }, { ...compensating, retry: { tries: 1 } })
      .scheduled()
      .expired('a')
    expect(states(silent.scheduled())).toEqual({ a: 'Compensating' })
  })
})

describe('an undo that fails', () => {
  const options = { retry: { tries: 2, backoff: { min: 1, max: 1 } } } as const

  it('F-K3, R111: is tried again, and counted for itself', () => {
    const again = failedAtTheEnd(options)
      .settled('b', { kind: 'failed', message: 'busy' })
      .expired('b')
      .scheduled()
    expect(again.step('b')).toMatchObject({
      attempt: 2,
      failureCount: 0,
      undo: { failureCount: 1 },
      idempotencyKey: 'job-1/b/g1/undo',
    })
  })

  it('F-K4, R111: for good ends the job for a person to look at, and leaves what it depended on', () => {
    const story = failedAtTheEnd(options).concluded('b', permanent)
    expect(states(story)).toEqual({ a: 'Processed', b: 'CompensationFailed', c: 'Error' })
    expect(story.job).toMatchObject({
      processState: 'Error',
      attention: {
        kind: 'compensationFailed',
        stepId: 'b',
        message: 'step b could not be undone: no such card',
      },
    })
    expect(story.deciding()).toEqual({ kind: 'nothing' })
  })

  it('R111: out of attempts does the same', () => {
    const story = failedAtTheEnd({ ...options, retry: { ...options.retry, tries: 1 } })
      .expired('b')
      .scheduled()
    expect(story.step('b')).toMatchObject({ failureCount: 0, attention: { kind: 'compensationFailed' } })
    expect(story.job.attention?.kind).toBe('compensationFailed')
  })
})

describe('a job that begins again when it is undone', () => {
  const retrying = { onExhausted: 'compensateThenRetry', maxGenerations: 2 } as const
  const undone = failedAtTheEnd(retrying).concluded('b').settled('a', success)

  it('R112, I9, F-K9: does so in the same write, a generation later, with new keys', () => {
    const { job, changed } = written(undone.deciding())
    expect(job).toMatchObject({
      processState: 'Processing',
      currentState: 'NotStarted',
      desiredState: 'Completed',
      generation: 2,
      compensation: null,
      steps: {
        a: { state: 'Processing', dispatch: 3 },
        b: { state: 'NotStarted', dispatch: 2 },
        c: { state: 'NotStarted', dispatch: 1 },
      },
    })
    expect(changed).toMatchObject([
      {
        stepId: 'a',
        direction: 'do',
        generation: 2,
        attempt: 1,
        idempotencyKey: 'job-1/a/g2/do',
        output: null,
        undo: { input: null },
      },
    ])
  })

  it('I9: writes what it stops before it begins again, so that no step is behind its ledger', () => {
    const options = { ...compensating, ...retrying, undoUncertain: false }
    const begun = JobStory.submitted({ a: [], b: ['a'], c: [] }, options)
      .scheduled()
      .settled('a', success)
    const noUndo = begun.scheduled()
    const failed = noUndo.withStep({ ...noUndo.step('a'), undo: null }).settled('c', permanent)
    const stopped = failed.scheduled()
    expect(stopped.job).toMatchObject({ generation: 1, steps: { b: { state: 'NotStarted', dispatch: 2 } } })
    expect(stopped.step('b')).toMatchObject({ processState: 'Pending', dispatch: 2, fence: 2 })
    const again = stopped.scheduled()
    expect(again.job).toMatchObject({ generation: 2, steps: { b: { state: 'NotStarted', dispatch: 2 } } })
    expect(again.step('a')).toMatchObject({ processState: 'Processing', idempotencyKey: 'job-1/a/g1/do' })
    expect(again.concluded('a').step('b').dispatch).toBe(3)
  })

  it('F-K10: ends in error, undone, when its generations are used up', () => {
    const second = undone
      .scheduled()
      .concluded('a')
      .concluded('b')
      .concluded('c', permanent)
      .concluded('b')
      .concluded('a')
    expect(second.job).toMatchObject({
      processState: 'Error',
      currentState: 'NotStarted',
      attention: { kind: 'error', message: 'given up after 2 generations: step c: no such card' },
    })
  })

  it('R98: is taken up by another scheduler on its way back, though nothing has happened to its steps', () => {
    const back = failedAtTheEnd()
    const freed = back.withJob({ ...back.job, lockedBy: null })
    expect(written(freed.deciding(undefined, 'scheduler-2'))).toMatchObject({
      job: { lockedBy: 'scheduler-2', processState: 'Compensating' },
      changed: [],
    })
  })

  it('F-K1, F-K8: after any crash the next instance decides from the documents alone', () => {
    expect(written(undone.deciding(undefined, 'scheduler-2')).job).toMatchObject({ generation: 2, fence: 2 })
    expect(undone.deciding([])).toMatchObject({ kind: 'read', stepIds: ['a', 'b', 'c'] })
  })
})

describe('a step set aside', () => {
  it('R94: parked, waits for an operator, and its job says so and does not end', () => {
    const story = JobStory.submitted({ a: [] }, { onExhausted: 'park', retry: { tries: 1 } })
      .scheduled()
      .expired('a')
    expect(story.step('a')).toMatchObject({
      processState: 'Pending',
      lockedBy: null,
      completeByMs: null,
      attention: { kind: 'parked' },
    })
    const flagged = story.scheduled()
    expect(flagged.job).toMatchObject({
      processState: 'Processing',
      attention: { kind: 'parked', stepId: 'a' },
      completeByMs: null,
      endedAt: null,
    })
    expect(flagged.deciding()).toEqual({ kind: 'nothing' })
    expect(flagged.later(86_400_000).recovering('a')).toEqual({ kind: 'nothing' })
  })

  it('R92: in an extended wait, is tried again when that is over, flagged in the meantime', () => {
    const options = {
      onExhausted: { extendedWait: '1h' },
      retry: { tries: 1 },
      completeWithin: '30s',
    } as const
    const story = JobStory.submitted({ a: [] }, options).scheduled().expired('a')
    const untilMs = story.now + 3_600_000
    expect(story.step('a')).toMatchObject({ notBeforeMs: untilMs, completeByMs: untilMs, failureCount: 1 })
    const flagged = story.scheduled()
    expect(flagged.job).toMatchObject({ attention: { kind: 'extendedWait' }, completeByMs: untilMs })
    expect(flagged.deciding()).toEqual({ kind: 'nothing' })
    expect(flagged.recovering('a')).toEqual({ kind: 'wait', untilMs: untilMs + graceMs })
    const again = flagged.expired('a').scheduled()
    expect(again.job.attention).toBeNull()
    expect(again.step('a')).toMatchObject({ processState: 'Processing', attempt: 2, attention: null })
  })
})
