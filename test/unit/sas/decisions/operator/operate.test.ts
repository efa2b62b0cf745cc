import { describe, expect, it } from 'vitest'
import { submittedAtMs } from '../../../../support/a-job.js'
import { JobStory, success } from '../../../../support/job-story.js'

const permanent = { kind: 'permanent', message: 'no such card', didNothing: true } as const
const by = { by: 'ann', why: 'the card was replaced' }
const resubmit = { kind: 'resubmit', ...by } as const
const cancel = { kind: 'cancel', ...by } as const
const release = { kind: 'release', ...by } as const
const compensating = { undo: true, onExhausted: 'compensate', retry: { tries: 1 } } as const

/** A job whose step `b` failed for good, so that `a` is being undone. */
const goingBack = JobStory.submitted({ a: [], b: ['a'] }, compensating)
  .scheduled()
  .concluded('a')
  .concluded('b', permanent)

const inError = JobStory.submitted({ a: [], b: ['a'] }, { completeWithin: '30s' })
  .scheduled()
  .concluded('a')
  .concluded('b', permanent)

function refusal(story: JobStory, command: Parameters<JobStory['commanding']>[0]): string {
  const operation = story.commanding(command)
  if (operation.kind !== 'refused') throw new Error('the command was not refused')
  return operation.reason
}

describe('a resubmission', () => {
  const again = inError.later(5).commanded(resubmit)

  it('puts a failed step back in a new generation and records operator and reason (R115)', () => {
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
    const { fence } = inError.step('b')
    expect(again.step('b')).toMatchObject({
      processState: 'Pending',
      attention: null,
      completeByMs: null,
      fence: fence + 1,
      currentState: 'NotStarted',
      desiredState: 'NotStarted',
    })
  })

  it('leads the same job to its end without repeating steps that were done (R7, R116)', () => {
    const running = again.scheduled()
    expect(running.step('b')).toMatchObject({
      attempt: 1,
      failureCount: 0,
      generation: 1,
      idempotencyKey: 'job-1/b/g1/do',
    })
    expect(running.step('a')).toBe(inError.step('a'))
    expect(running.concluded('b').job.processState).toBe('Processed')
  })

  it('gives the step the operator’s input unchanged, even if it looks like a reference', () => {
    const input = { item: { $from: ['input'] } }
    const edited = inError.commanded({ ...resubmit, steps: [{ stepId: 'b', input }] })
    expect(edited.scheduled().step('b').input).toEqual(input)
  })

  it('records how the operator changed the input, and nothing if there is no new input', () => {
    const edited = inError.commanded({ ...resubmit, steps: [{ stepId: 'b', input: { item: 'other' } }] })
    const edit = { changes: [{ stepId: 'b', path: 'input.item' }], others: 0 }
    expect(edited.job.audit).toMatchObject([{ command: 'resubmit', edit }])
    expect(inError.commanded(resubmit).job.audit[0]).not.toHaveProperty('edit')
  })

  it('is refused when it is repeated (F-O2)', () => {
    expect(refusal(again, resubmit)).toBe(
      'job job-1 is Pending; only a job in Error or Compensated is resubmitted',
    )
  })

  it('is refused when it names a step that did not fail or omits one that did', () => {
    expect(refusal(inError, { ...resubmit, steps: [{ stepId: 'a' }] })).toBe(
      'step a did not fail; only step b failed',
    )
    expect(refusal(inError, { ...resubmit, steps: [{ stepId: 'a' }, { stepId: 'x' }] })).toBe(
      'steps a, x did not fail; only step b failed',
    )
    const two = JobStory.submitted({ a: [], b: [] }).scheduled().settled('a', permanent)
    const both = two.concluded('b', permanent)
    expect(refusal(both, { ...resubmit, steps: [{ stepId: 'a' }] })).toBe(
      'step b failed as well: name all failed steps, or none',
    )
    expect(both.commanded(resubmit).job).toMatchObject({
      steps: { a: { state: 'NotStarted' }, b: { state: 'NotStarted' } },
      audit: [{ command: 'resubmit', stepId: null }],
    })
  })

  it('starts a job again that was undone (R112)', () => {
    const undone = goingBack.concluded('a')
    const anew = undone.commanded({ ...resubmit, steps: [{ stepId: 'b', input: { item: 'other' } }] })
    expect(anew.job).toMatchObject({ processState: 'Pending', generation: 2, compensation: null })
    const running = anew.scheduled()
    expect(running.step('a').idempotencyKey).toBe('job-1/a/g2/do')
    const next = running.concluded('a')
    expect(next.step('b').input).toEqual({ item: 'other' })
    expect(refusal(undone, { ...resubmit, steps: [{ stepId: 'x', input: 1 }] })).toBe('there is no step x')
  })

  it('is refused while the job compensates (F-K11)', () => {
    expect(goingBack.job.processState).toBe('Compensating')
    expect(refusal(goingBack, resubmit)).toContain('job job-1 is Compensating')
  })

  it('tries a failed undo again under its old key (I9)', () => {
    const stuck = goingBack.concluded('a', permanent)
    const again = stuck.commanded(resubmit)
    expect(again.job).toMatchObject({ processState: 'Compensating', generation: 1, attention: null })
    const { fence } = stuck.step('a')
    expect(again.step('a')).toMatchObject({
      processState: 'Compensating',
      attention: null,
      fence: fence + 1,
      undo: { action: 'takeBack', failureCount: 0 },
      ttl: -1,
    })
    const undoing = again.scheduled()
    expect(undoing.step('a')).toMatchObject({ attempt: 1, idempotencyKey: 'job-1/a/g1/undo' })
    expect(undoing.concluded('a').job.processState).toBe('Compensated')
    expect(refusal(stuck, { ...resubmit, steps: [{ stepId: 'a', input: 1 }] })).toContain('cannot be edited')
  })
})

describe('a cancellation', () => {
  it('stops steps under way and undoes steps that were done (F-D11)', () => {
    const running = JobStory.submitted({ a: [], b: ['a'], c: [] }, { ...compensating, undoUncertain: false })
      .scheduled()
      .concluded('a')
    const cancelled = running.commanded(cancel)
    expect(cancelled.job).toMatchObject({
      processState: 'Compensating',
      compensation: { by: 'ann', reason: 'cancelled: the card was replaced', thenRetry: false },
      audit: [{ command: 'cancel', stepId: null, ...by }],
    })
    // A success that arrives before the scheduler has acted still counts, and is undone.
    const raced = cancelled.concluded('c')
    expect(raced.job.steps).toMatchObject({
      a: { state: 'Compensating' },
      b: { state: 'NotStarted' },
      c: { state: 'Compensating' },
    })
    expect(() => raced.settled('b', success)).toThrow('discarded')
    const ended = raced.settled('a', success).concluded('c')
    expect(ended.job).toMatchObject({ processState: 'Compensated', endedAtMs: ended.now })
  })

  it('ends a job immediately if it has not begun', () => {
    const ended = JobStory.submitted({ a: [] }).commanded(cancel).scheduled()
    expect(ended.job).toMatchObject({ processState: 'Compensated', currentState: 'NotStarted' })
  })

  it('undoes the finished steps of a job in Error', () => {
    const job = JobStory.submitted({ a: [], b: ['a'] }, { undo: true })
    const failed = job.scheduled().concluded('a').concluded('b', permanent)
    expect(failed.job.processState).toBe('Error')
    expect(failed.commanded(cancel).scheduled().job.steps['a']?.state).toBe('Compensating')
  })

  it('is refused when the job has ended or already compensates', () => {
    const done = JobStory.submitted({ a: [] }).scheduled().concluded('a')
    expect(refusal(done, cancel)).toContain('job job-1 is Processed')
    const cancelled = JobStory.submitted({ a: [] }).commanded(cancel)
    expect(refusal(cancelled, cancel)).toContain('already being undone (cancelled')
    expect(refusal(cancelled.scheduled(), cancel)).toContain('job job-1 is Compensated')
  })

  it('keeps a compensating job from starting its next generation (R93)', () => {
    const back = JobStory.submitted(
      { a: [], b: ['a'] },
      { ...compensating, onExhausted: 'compensateThenRetry' },
    )
      .scheduled()
      .concluded('a')
      .concluded('b', permanent)
    expect(back.job.compensation).toMatchObject({ thenRetry: true })
    const stopped = back.commanded(cancel)
    expect(refusal(stopped, cancel)).toContain('already being undone (cancelled')
    const ended = stopped.scheduled().concluded('a')
    expect(ended.job).toMatchObject({ processState: 'Compensated', generation: 1 })
    expect(ended.deciding()).toEqual({ kind: 'nothing' })
  })
})

describe('a release', () => {
  it('resumes a parked step with its failure count reset (R117)', () => {
    const parked = JobStory.submitted({ a: [] }, { onExhausted: 'park', retry: { tries: 1 } })
    const waiting = parked.scheduled().expired('a').scheduled()
    const released = waiting.commanded(release)
    expect(released.job).toMatchObject({ attention: null, audit: [{ command: 'release', stepId: 'a' }] })
    const { fence, completeWithinMs } = waiting.step('a')
    expect(released.step('a')).toMatchObject({
      fence: fence + 1,
      completeByMs: waiting.now + completeWithinMs,
    })
    const again = released.scheduled()
    expect(again.step('a')).toMatchObject({ processState: 'Processing', attempt: 1, failureCount: 0 })
    expect(refusal(released, release)).toBe('no step of job job-1 is parked or waiting')
  })

  it('ends an extended wait (F-V19)', () => {
    const options = { onExhausted: { extendedWait: '1h' }, retry: { tries: 1 } } as const
    const waiting = JobStory.submitted({ a: [], b: [] }, options).scheduled().expired('a')
    expect(refusal(waiting, { ...release, stepId: 'b' })).toBe(
      'step b of job job-1 is not parked or waiting; waiting: step a',
    )
    const released = waiting.commanded({ ...release, stepId: 'a' }).scheduled()
    expect(released.step('a')).toMatchObject({ processState: 'Processing', notBeforeMs: null })
    expect(refusal(released, { ...release, stepId: 'a' })).toBe(
      'step a of job job-1 is not parked or waiting; waiting: none',
    )
  })
})

describe('the audit trail of a job', () => {
  it('keeps the newest twenty commands', () => {
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

describe('a job that is still being submitted', () => {
  it.each([resubmit, release, cancel])('refuses the command $kind (F-S8)', (command) => {
    const { job } = JobStory.submitted({ a: [] })
    const staged = JobStory.submitted({ a: [] }).withJob({ ...job, desiredState: job.initialState })
    expect(refusal(staged, command)).toBe('job job-1 is still being submitted')
  })
})

describe('a job that was set aside', () => {
  const running = JobStory.submitted({ a: [] }).scheduled()
  const corrupt = { kind: 'corrupt', since: '', by: 'x', message: 'unreadable', stepId: null } as const
  const aside = running.withJob({ ...running.job, processState: 'Error', attention: corrupt })

  it('goes on from where it stands when it is resubmitted', () => {
    expect(aside.commanding(resubmit)).toMatchObject({
      kind: 'write',
      job: { processState: 'Pending', attention: null, generation: 1 },
      changed: [],
    })
  })

  it('refuses a resubmission that names steps', () => {
    const named = { ...resubmit, steps: [{ stepId: 'a' }] }
    expect(refusal(aside, named)).toContain('was set aside as a whole')
  })
})

describe('a job that was undone', () => {
  const undone = goingBack.concluded('a')
  const editedA = { ...resubmit, steps: [{ stepId: 'a', input: { item: 'other' } }, { stepId: 'b' }] }

  it('is resubmitted together with the steps that get a new input, which stay Compensated', () => {
    const operation = undone.commanding(editedA)
    if (operation.kind !== 'write') throw new Error(operation.kind)
    expect(operation.changed.map(({ stepId }) => stepId)).toEqual(['a'])
    expect(undone.commanded(editedA).step('a')).toMatchObject({
      processState: 'Compensated',
      inputTemplate: { item: 'other' },
      fence: undone.step('a').fence + 1,
    })
  })

  it('may start again beyond the generations that its workflow allows (F-K10)', () => {
    expect(undone.commanded(resubmit).job).toMatchObject({ generation: 2, maxGenerations: 3 })
    const last = undone.withJob({ ...undone.job, maxGenerations: 1 })
    expect(last.commanded(resubmit).job).toMatchObject({ generation: 2, maxGenerations: 2 })
  })

  it('starts again after it ended in Error with its generations used up (F-K10)', () => {
    const attention = { kind: 'error', since: '', by: 'x', message: 'given up', stepId: null } as const
    const compensation = { since: '', by: 'x', reason: 'x', thenRetry: true }
    const given = { ...undone.job, processState: 'Error' as const, attention, compensation }
    expect(undone.withJob(given).commanded(resubmit).job).toMatchObject({
      processState: 'Pending',
      desiredState: 'Completed',
      compensation: null,
      steps: { a: { state: 'NotStarted' }, b: { state: 'NotStarted' } },
    })
  })

  it('stops its steps from expiring when resubmitted, unless one write cannot hold them (I18)', () => {
    const expiring = undone.withJob({ ...undone.job, ttl: 60 }).withStep({ ...undone.step('b'), ttl: 60 })
    const again = expiring.commanded(resubmit)
    expect([again.job.ttl, again.step('a').ttl, again.step('b').ttl]).toEqual([-1, -1, -1])
    expect(again.step('a')).toBe(undone.step('a'))
    const large = { ttl: 60, output: 'x'.repeat(1_000_000) }
    const two = undone.withStep({ ...undone.step('a'), ...large }).withStep({ ...undone.step('b'), ...large })
    expect(refusal(two, resubmit)).toContain('has begun to expire, and 2 steps do not fit')
  })
})

describe('a command that changes more than fits into one transaction', () => {
  const shape = { a: [], b: [], c: [] }
  const large = (story: JobStory): JobStory =>
    Object.keys(shape).reduce(
      (before, id) => before.withStep({ ...before.step(id), output: 'x'.repeat(800_000) }),
      story,
    )
  const failed = (options = {}, outcome: typeof permanent | typeof success = permanent): JobStory => {
    const begun = JobStory.submitted(shape, options).scheduled()
    return begun.settled('a', outcome).settled('b', outcome).settled('c', outcome)
  }
  const written = (story: JobStory, command: Parameters<JobStory['commanding']>[0]) => {
    const operation = story.commanding(command)
    if (operation.kind !== 'write') throw new Error(operation.reason)
    return { ...operation, changed: operation.changed.map(({ stepId }) => stepId) }
  }
  const edits = Object.keys(shape).map((stepId) => ({ stepId, input: 'x'.repeat(800_000) }))
  const tooMany = '3 steps do not fit into one transaction'

  it('restarts all failed steps, including those that its write leaves out (R115)', () => {
    const story = large(failed().scheduled())
    expect(written(story, resubmit)).toMatchObject({ changed: ['a', 'b'], isComplete: true })
    expect(refusal(story, { ...resubmit, steps: edits })).toContain(tooMany)
  })

  it('is refused when it has more new inputs than one write can hold', () => {
    const { job, steps } = JobStory.submitted({ first: [], a: ['first'], b: ['first'], c: ['first'] })
    const begun = JobStory.of({ job: { ...job, completeWithinMs: 20_000 }, steps }).scheduled()
    const late = begun.later(20_000).scheduled()
    expect(refusal(late, { ...resubmit, steps: edits })).toContain(tooMany)
    expect(written(late, { ...resubmit, steps: edits.slice(1) })).toMatchObject({ changed: ['b', 'c'] })
    expect(written(late, { ...resubmit, steps: [{ stepId: 'a' }] })).toMatchObject({
      changed: [],
      job: { generation: 2 },
    })
    expect(refusal(late, { ...resubmit, steps: [{ stepId: 'x', input: 1 }] })).toContain(
      'step x will not run again',
    )
    const undone = JobStory.submitted(shape).commanded(cancel).scheduled()
    expect(refusal(undone, { ...resubmit, steps: edits })).toContain(tooMany)
  })

  it('puts failed undos back in parts, and none runs before the last part (R111)', () => {
    const back = failed({ undo: true }, success).commanded(cancel).scheduled()
    const stuck = ['a', 'b', 'c'].reduce((story, id) => story.settled(id, permanent), back).scheduled()
    const first = large(stuck)
    expect(written(first, resubmit)).toMatchObject({
      changed: ['a', 'b'],
      isComplete: false,
      job: { processState: 'Error', fence: stuck.job.fence + 1 },
    })
    const rest = first.commanded(resubmit)
    expect(written(rest, resubmit)).toMatchObject({
      changed: ['c'],
      isComplete: true,
      job: { processState: 'Compensating', steps: { a: { state: 'Compensating' } } },
    })
  })

  it('releases parked steps in parts (R117)', () => {
    const parked = failed({ onExhausted: 'park' }).scheduled()
    expect(written(parked, release)).toMatchObject({ changed: ['a', 'b', 'c'], isComplete: true })
    expect(written(large(parked), release)).toMatchObject({ changed: ['a', 'b'], isComplete: false })
  })
})
