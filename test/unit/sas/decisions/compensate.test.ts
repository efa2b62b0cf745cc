import { describe, expect, it } from 'vitest'
import type { Schedule } from '../../../../src/sas/decisions/continue-or-end-job.js'
import { JobStory, success } from '../../../support/job-story.js'
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

/** A chain whose last step failed for good and whose compensation has begun. */
function failedAtTheEnd(options = {}): JobStory {
  return JobStory.submitted(chain, { ...compensating, ...options })
    .scheduled()
    .concluded('a')
    .concluded('b')
    .concluded('c', permanent)
}

describe('a job whose steps have undos', () => {
  it('records the reason and begins to undo the last step that was done, in one write (R93, R110)', () => {
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

  it('gives an undo an input made from the output of its step (R41)', () => {
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

  it('undoes its steps in reverse order and returns to its initial state (I6, F-K7)', () => {
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

  it('leaves out a step without an undo and keeps the order of the others (I6)', () => {
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

  it('keeps the order of the steps on both sides of a skipped step (I6)', () => {
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
  ])('after two failures %s', (_what, other, thenRetry) => {
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

  it('is not undone when one of two failed steps says that the job ends in Error', () => {
    const story = JobStory.submitted({ a: [], b: [] }, compensating)
    const two = story.withStep({ ...story.step('b'), onExhausted: 'error' }).scheduled()
    const failed = two.settled('a', permanent).concluded('b', permanent)
    expect(failed.job).toMatchObject({ processState: 'Error', compensation: null })
  })

  it('is undone without a read of the steps that have not begun', () => {
    const cancelled = JobStory.submitted(chain, compensating).scheduled().settled('a', success)
    const back = cancelled.commanded({ kind: 'cancel', by: 'ann', why: 'x' })
    expect(states(back.applying(written(back.deciding(['a']))))).toEqual({
      a: 'Compensating',
      b: 'NotStarted',
      c: 'NotStarted',
    })
  })

  it('is walked through once, however many paths lead from its last step to its first', () => {
    const layers = Array.from({ length: 40 }, (_, index) => [`l${index}`, `r${index}`] as const)
    const shape = Object.fromEntries(
      layers.flatMap((ids, index) => ids.map((id) => [id, layers[index - 1] ?? []])),
    )
    let story = JobStory.submitted({ ...shape, end: ['l39', 'r39'] }, compensating).scheduled()
    for (const [left, right] of layers) story = story.settled(left, success).concluded(right)
    const back = story.concluded('end', permanent)
    expect(states(back)).toMatchObject({ l38: 'Processed', l39: 'Compensating', r39: 'Compensating' })
  })

  it('undoes steps in parallel when none depends on the other', () => {
    const story = JobStory.submitted({ a: [], b: [], c: ['a', 'b'] }, compensating).scheduled()
    const failed = story.settled('a', success).concluded('b').settled('c', permanent)
    const back = failed.scheduled()
    expect(states(back)).toEqual({ a: 'Compensating', b: 'Compensating', c: 'Error' })
    const next = back.concluded('a')
    expect(states(next)).toEqual({ a: 'Compensated', b: 'Compensating', c: 'Error' })
    expect(next.step('b')).toBe(back.step('b'))
  })

  it('is undone when a step has used up its attempts, as after a permanent failure (R10)', () => {
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

  it('undoes a step that failed for good if an earlier attempt may have acted (F-K2, F-A20)', () => {
    const first = JobStory.submitted({ a: [] }, { ...compensating, retry: { tries: 3 } }).scheduled()
    expect(states(first.concluded('a', permanent))).toEqual({ a: 'Error' })
    const unheard = first.settled('a', { kind: 'failed', message: 'no answer' }).expired('a').scheduled()
    expect(states(unheard.concluded('a', permanent))).toEqual({ a: 'Compensating' })
  })
})

describe('an attempt that is under way when compensation begins', () => {
  const turning = JobStory.submitted({ a: [], b: [] }, compensating).scheduled().settled('a', permanent)

  it('is fenced off in the same write, and its undo waits for its deadline (I3, F-K2)', () => {
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

  it('is undone after its deadline, and the job ends (F-K6)', () => {
    const due = turning.scheduled().expired('b')
    expect(due.step('b')).toMatchObject({ notBeforeMs: null, fence: 3, failureCount: 0 })
    const undoing = due.scheduled()
    expect(undoing.step('b')).toMatchObject({ attempt: 1, idempotencyKey: 'job-1/b/g1/undo' })
    expect(undoing.concluded('b').job.processState).toBe('Compensated')
  })

  it('is stopped and not undone when its step has `undoUncertain: false`', () => {
    const certain = JobStory.submitted({ a: [], b: [] }, { ...compensating, undoUncertain: false })
    const story = certain.scheduled().concluded('a', permanent)
    expect(story.step('b')).toMatchObject({ processState: 'Pending', lockedBy: null, completeByMs: null })
    expect(() => story.settled('b', success)).toThrow('discarded')
    expect(story.job.processState).toBe('Compensated')
  })

  it('is undone at once when its deadline has passed or the supervisor has given its step back', () => {
    const { completeByMs } = turning.step('b')
    expect(turning.later(29_999).scheduled().step('b').lockedBy).toBeNull()
    const late = turning.later(30_000).scheduled()
    expect(late.now).toBe(completeByMs)
    expect(late.step('b')).toMatchObject({ direction: 'undo', lockedBy: 'scheduler-1', notBeforeMs: null })
    const again = turning.expired('b')
    expect(again.step('b')).toMatchObject({ processState: 'Pending', failureCount: 1 })
    expect(again.scheduled().step('b')).toMatchObject({ direction: 'undo', lockedBy: 'scheduler-1' })
  })

  it('is undone at once when it was the last one of its step and never answered', () => {
    const silent = JobStory.submitted({ a: [] }, { ...compensating, retry: { tries: 1 } })
      .scheduled()
      .expired('a')
    expect(states(silent.scheduled())).toEqual({ a: 'Compensating' })
  })
})

describe('an undo that fails', () => {
  const options = { retry: { tries: 2, backoff: { min: 1, max: 1 } } } as const

  it('is tried again, with a failure count of its own (F-K3, R111)', () => {
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

  it('for good ends the job in Error, and earlier steps are not undone (F-K4, R111)', () => {
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

  it('in its last attempt flags the job in the same way (R111)', () => {
    const story = failedAtTheEnd({ ...options, retry: { ...options.retry, tries: 1 } })
      .expired('b')
      .scheduled()
    expect(story.step('b')).toMatchObject({ failureCount: 0, attention: { kind: 'compensationFailed' } })
    expect(story.job.attention?.kind).toBe('compensationFailed')
  })
})

describe('a job that begins again after its compensation', () => {
  const retrying = { onExhausted: 'compensateThenRetry', maxGenerations: 2 } as const
  const undone = failedAtTheEnd(retrying).concluded('b').settled('a', success)

  it('begins a generation with new keys in the write that ends the undo (R112, I9, F-K9)', () => {
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

  it('first stops steps in a separate write, so that no step is behind its ledger (I9)', () => {
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

  it('ends in Error, undone, when its generations are used up (F-K10)', () => {
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

  it('is claimed by another scheduler while it compensates, without a change to its steps (R98)', () => {
    const back = failedAtTheEnd()
    const freed = back.withJob({ ...back.job, lockedBy: null })
    expect(written(freed.deciding(undefined, 'scheduler-2'))).toMatchObject({
      job: { lockedBy: 'scheduler-2', processState: 'Compensating' },
      changed: [],
    })
  })

  it('is continued from its documents alone after the scheduler crashed (F-K1, F-K8)', () => {
    expect(written(undone.deciding(undefined, 'scheduler-2')).job).toMatchObject({ generation: 2, fence: 2 })
    expect(undone.deciding([])).toMatchObject({ kind: 'read', stepIds: ['a', 'b', 'c'] })
  })
})

describe('a step that has used up its attempts', () => {
  it('waits for an operator when it is parked; its job is flagged and does not end (R94)', () => {
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

  it('is flagged during an extended wait and tried again after it (R92)', () => {
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
    expect(flagged.recovering('a')).toEqual({ kind: 'wait', untilMs })
    const again = flagged.expired('a').scheduled()
    expect(again.job.attention).toBeNull()
    expect(again.step('a')).toMatchObject({ processState: 'Processing', attempt: 2, attention: null })
  })
})
