import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defineWorkflow } from '../../../../src/sas/workflow/workflow.js'
import type { Schedule } from '../../../../src/sas/decisions/continue-or-end-job.js'
import type { JobDocument, StepDocument } from '../../../../src/sas/model/documents.js'
import { schedule } from '../../../../src/sas/decisions/schedule.js'
import { submit } from '../../../../src/sas/submission/submit.js'
import { aSubmission, aWorkflow, documentsOf, shop, submittedAtMs, theStep } from '../../../support/a-job.js'
import { JobStory, replaced, success } from '../../../support/job-story.js'

const permanent = { kind: 'permanent', message: 'no such card' } as const

/** What a decision writes; any other decision fails the test. */
function written(decision: Schedule): Schedule & { kind: 'write' } {
  if (decision.kind !== 'write') throw new Error(`decided ${decision.kind}`)
  return decision
}

function dispatchedIn(decision: Schedule): string[] {
  return written(decision).changed.map(({ stepId }) => stepId)
}

describe('a new job', () => {
  const submitted = JobStory.submitted({ reserve: [], ship: ['reserve'] }, { completeWithin: '30s' })

  it('is claimed and its first step dispatched, in one write (R32, R38, R52, R53, R56)', () => {
    const { job, changed } = written(submitted.deciding())
    expect(job).toStrictEqual({
      ...submitted.job,
      processState: 'Processing',
      lockedBy: 'scheduler-1',
      fence: 1,
      completeBy: '2026-01-01T00:00:30.000Z',
      completeByMs: submittedAtMs + 30_000,
      steps: {
        reserve: { state: 'Processing', dispatch: 1 },
        ship: { state: 'NotStarted', dispatch: 0 },
      },
    })
    expect(changed).toStrictEqual([
      {
        ...submitted.step('reserve'),
        processState: 'Processing',
        desiredState: 'Completed',
        lockedBy: 'scheduler-1',
        fence: 1,
        dispatch: 1,
        attempt: 1,
        input: { item: 'reserve' },
        completeBy: '2026-01-01T00:00:30.000Z',
        completeByMs: submittedAtMs + 30_000,
      },
    ])
  })

  it('has all steps without dependencies dispatched at once (R46)', () => {
    const parallel = JobStory.submitted({ a: [], b: ['a'], c: [] })
    expect(dispatchedIn(parallel.deciding())).toEqual(['a', 'c'])
  })

  it('has those of its steps read that the scheduler does not know', () => {
    expect(submitted.deciding([])).toEqual({ kind: 'read', stepIds: ['reserve', 'ship'] })
    expect(submitted.deciding(['ship'])).toEqual({ kind: 'read', stepIds: ['reserve'] })
  })
})

describe('a step that is done', () => {
  const done = JobStory.submitted({ a: [], b: ['a'] })
    .scheduled()
    .settled('a', success)
    .later(5)

  it('is entered in the ledger, and the steps that waited for it are dispatched', () => {
    const { job, changed } = written(done.deciding())
    expect(job.steps).toEqual({
      a: { state: 'Processed', dispatch: 1 },
      b: { state: 'Processing', dispatch: 1 },
    })
    expect(job).toMatchObject({ fence: 1, completeByMs: done.now + 60_000, lockedBy: 'scheduler-1' })
    expect(changed.map(({ stepId }) => stepId)).toEqual(['b'])
  })

  it('lets another instance claim the job without changing its running steps (F-Q7)', () => {
    const story = JobStory.submitted({ a: [], b: [] }).scheduled().settled('a', success)
    const { job, changed } = written(story.deciding(undefined, 'scheduler-2'))
    expect(job).toMatchObject({ lockedBy: 'scheduler-2', fence: 2 })
    expect(changed).toEqual([])
  })

  it('lets a join begin only when all other steps that it joins are done, too (I5)', () => {
    const forked = JobStory.submitted({ a: [], b: [], join: ['a', 'b'] }).scheduled()
    const half = forked.concluded('b')
    expect(half.job.steps['join']).toEqual({ state: 'NotStarted', dispatch: 0 })
    expect(dispatchedIn(half.settled('a', success).deciding())).toEqual(['join'])
  })

  it('finishes the job when it is the last (R4, R61, F-D5)', () => {
    const story = JobStory.submitted({ a: [], b: [] }).scheduled()
    const last = story.settled('a', success).settled('b', success).later(7)
    expect(written(last.deciding())).toStrictEqual({
      kind: 'write',
      changed: [],
      notices: [],
      job: {
        ...last.job,
        processState: 'Processed',
        currentState: 'Completed',
        lockedBy: null,
        completeBy: null,
        completeByMs: null,
        steps: { a: { state: 'Processed', dispatch: 1 }, b: { state: 'Processed', dispatch: 1 } },
        endedAt: '2026-01-01T00:00:00.007Z',
        endedAtMs: submittedAtMs + 7,
        outputs: { a: last.step('a').output, b: last.step('b').output },
      },
    })
  })

  it('puts no outputs into the ended job if a step is unknown or the outputs are large', () => {
    const story = JobStory.submitted({ a: [], b: [] }).scheduled()
    const last = story.settled('a', success).settled('b', success)
    const folded = { ...last.job.steps, a: { state: 'Processed' as const, dispatch: 1 } }
    const ended = (job: JobDocument, steps: readonly StepDocument[]): JobDocument => {
      const known = new Map(steps.map((step) => [step.stepId, step]))
      return written(schedule({ job, steps: known, now: last.now, scheduler: 'scheduler-1' })).job
    }
    const [a, b] = [last.step('a'), last.step('b')]
    expect(ended(last.job, [a, b])).toHaveProperty('outputs')
    expect(ended({ ...last.job, steps: folded }, [b])).not.toHaveProperty('outputs')
    expect(ended(last.job, [a, { ...b, output: 'x'.repeat(1_000) }])).not.toHaveProperty('outputs')
  })

  it('lets another instance claim and finish a job of one step in one write', () => {
    const only = JobStory.submitted({ only: [] }).scheduled().settled('only', success)
    expect(written(only.deciding(['only'], 'scheduler-2')).job).toMatchObject({ fence: 2, lockedBy: null })
  })
})

describe('the input of a step', () => {
  const { plan } = defineWorkflow<{ item: string }>('chain', (job) => {
    const first = job.step('first', shop.sell, { item: job.input.item })
    const second = job.step('second', shop.sell, { item: first.output.item })
    job.step('third', shop.sell, { item: job.input.item }, { after: [second] })
  })
  const submitted = documentsOf(submit(aSubmission(plan, { input: { item: 'lamp' } })))
  const by = { now: submittedAtMs, scheduler: 'scheduler-1' }

  it('is resolved from the job’s input and earlier outputs at the first dispatch', () => {
    const first = written(schedule({ ...submitted, ...by }))
    expect(first.changed[0]?.input).toEqual({ item: 'lamp' })
    const done = { ...theStep(new Map(first.changed.map((step) => [step.stepId, step])), 'first') }
    const output = {
      ...done,
      currentState: 'Completed',
      processState: 'Processed' as const,
      output: { item: 'lamp #7' },
      lockedBy: null,
    }
    const steps = replaced(submitted.steps, output)
    expect(written(schedule({ job: first.job, steps, ...by })).changed[0]?.input).toEqual({
      item: 'lamp #7',
    })
  })

  it('requires a read of earlier steps that are missing or known only in an old version', () => {
    const first = written(schedule({ ...submitted, ...by }))
    const ledger = { ...first.job.steps, first: { state: 'Processed' as const, dispatch: 1 } }
    const job = { ...first.job, steps: ledger }
    const missing = new Map(submitted.steps)
    missing.delete('first')
    expect(schedule({ job, steps: missing, ...by })).toEqual({ kind: 'read', stepIds: ['first'] })
    expect(schedule({ job, steps: submitted.steps, ...by })).toEqual({ kind: 'read', stepIds: ['first'] })
    const running = replaced(submitted.steps, ...first.changed)
    expect(schedule({ job, steps: running, ...by })).toEqual({ kind: 'read', stepIds: ['first'] })
  })

  it('stays the same when the step is dispatched again', () => {
    const again = JobStory.submitted({ pay: [] }).scheduled().expired('pay')
    const edited = { ...again.step('pay'), input: { item: 'as dispatched' } }
    const steps = replaced(again.steps, edited)
    const { changed } = written(schedule({ job: again.job, steps, now: again.now, scheduler: 's' }))
    expect(changed[0]?.input).toEqual({ item: 'as dispatched' })
  })
})

describe('a step that was given back', () => {
  const given = JobStory.submitted({ pay: [] })
    .scheduled()
    .settled('pay', { kind: 'failed', message: 'busy' })
    .expired('pay')

  it('is dispatched again as the next attempt, without its old outcome', () => {
    const { job, changed } = written(given.deciding())
    expect(job.steps).toEqual({ pay: { state: 'Processing', dispatch: 2 } })
    expect(changed).toEqual([
      expect.objectContaining({
        processState: 'Processing',
        dispatch: 2,
        fence: 3,
        attempt: 2,
        outcome: null,
        failureCount: 1,
        completeByMs: given.now + 60_000,
        idempotencyKey: 'job-1/pay/g1/do',
      }),
    ])
  })
})

describe('a step that failed for good', () => {
  it('ends the job in Error, with its reason (R67)', () => {
    const story = JobStory.submitted({ a: [], b: ['a'] })
      .scheduled()
      .settled('a', permanent)
    const { job, changed } = written(story.deciding())
    expect(changed).toEqual([])
    expect(job).toMatchObject({
      processState: 'Error',
      lockedBy: null,
      completeByMs: null,
      endedAtMs: story.now,
      steps: { a: { state: 'Error' }, b: { state: 'NotStarted' } },
      attention: {
        kind: 'error',
        since: '2026-01-01T00:00:00.000Z',
        by: 'scheduler-1',
        message: 'step a: no such card',
        stepId: 'a',
      },
    })
  })

  it('lets steps under way end first, and no other step begin', () => {
    const failed = JobStory.submitted({ a: [], b: [], c: ['b'] })
      .scheduled()
      .concluded('a', permanent)
    expect(failed.job).toMatchObject({ processState: 'Processing', steps: { a: { state: 'Error' } } })
    expect(failed.deciding().kind).toBe('nothing')
    const { job, changed } = written(failed.settled('b', success).deciding())
    expect(changed).toEqual([])
    expect(job).toMatchObject({
      processState: 'Error',
      steps: { b: { state: 'Processed' }, c: { state: 'NotStarted' } },
    })
  })

  it('is named with the other failed steps, in the order of the workflow', () => {
    const story = JobStory.submitted({ a: [], b: [] }).scheduled()
    const failed = story.settled('b', { ...permanent, message: 'sold out' }).settled('a', permanent)
    expect(written(failed.deciding()).job.attention).toMatchObject({
      message: 'steps a, b: no such card',
      stepId: 'a',
    })
  })

  it('is read for its reason by an instance that does not know it', () => {
    const story = JobStory.submitted({ a: [], b: [] }).scheduled().concluded('a', permanent)
    const ending = story.settled('b', success)
    expect(ending.deciding(['b'])).toEqual({ kind: 'read', stepIds: ['a'] })
    expect(written(ending.deciding(['a', 'b'])).job.attention?.message).toBe('step a: no such card')
  })
})

describe('a job with a failed step', () => {
  const failing = JobStory.submitted({ a: [], b: [] }).scheduled().concluded('a', permanent)

  it('dispatches another step again that was given back', () => {
    const { job, changed } = written(failing.expired('b').deciding())
    expect(changed).toMatchObject([{ stepId: 'b', processState: 'Processing', attempt: 2 }])
    expect(job).toMatchObject({
      processState: 'Processing',
      steps: { b: { state: 'Processing', dispatch: 2 } },
    })
  })

  it('ends with a message of its own when the failed step gives no reason', () => {
    const silent = failing.withStep({ ...failing.step('a'), attention: null }).settled('b', success)
    expect(written(silent.deciding()).job.attention?.message).toBe('step a: no reason recorded')
  })
})

describe('a job with a `completeWithin` of its own (R18, R63)', () => {
  const within = (shape: Readonly<Record<string, string[]>>, options = {}): JobStory => {
    const submitted = JobStory.submitted(shape, options)
    return submitted.withJob({ ...submitted.job, completeWithinMs: 10_000 }).scheduled()
  }
  const begun = within({ a: [], b: [], c: ['a'] })

  it('goes on until it has passed, and then stops its steps and ends in Error', () => {
    expect(begun.job.endByMs).toBe(submittedAtMs + 10_000)
    expect(begun.later(9_999).deciding()).toEqual({ kind: 'nothing' })
    const { job, changed } = written(begun.later(10_000).deciding())
    expect(job).toMatchObject({
      processState: 'Error',
      attention: {
        kind: 'error',
        message: 'the job was not done within 10000 ms',
        stepId: null,
        by: 'scheduler-1',
      },
      steps: { a: { state: 'NotStarted', dispatch: 2 }, c: { state: 'NotStarted', dispatch: 0 } },
    })
    expect(changed).toMatchObject([
      { stepId: 'a', processState: 'Pending', fence: begun.step('a').fence + 1 },
      { stepId: 'b', processState: 'Pending', fence: begun.step('b').fence + 1 },
    ])
  })

  it('has its steps under way read before it ends', () => {
    expect(begun.later(10_000).deciding(['a'])).toEqual({ kind: 'read', stepIds: ['b'] })
  })

  it('ends Processed when its steps are done, however late the scheduler sees that', () => {
    const done = within({ a: [] }).settled('a', success).later(20_000)
    expect(written(done.deciding()).job.processState).toBe('Processed')
  })

  it.each(['compensate', 'compensateThenRetry'] as const)(
    'is undone and does not begin again when its policy is %s',
    (onExhausted) => {
      const late = within({ a: [], b: ['a'] }, { onExhausted, undo: true })
        .concluded('a')
        .later(10_000)
      const { job } = written(late.deciding())
      expect(job.compensation).toMatchObject({
        reason: 'the job was not done within 10000 ms',
        thenRetry: false,
      })
    },
  )

  it('stops its steps in several transactions when one cannot hold them', () => {
    const shape = Object.fromEntries(Array.from({ length: 95 }, (_, index) => [`step-${index}`, []]))
    const begins = within(shape)
    const late = begins.scheduled().later(10_000)
    const first = late.scheduled()
    expect(first.job.processState).toBe('Processing')
    expect(first.scheduled().job).toMatchObject({ processState: 'Error', attention: { stepId: null } })
  })
})

describe('the scheduler', () => {
  const chain = JobStory.submitted({ a: [], b: ['a'] })
  const begun = chain.scheduled()

  it('reads nothing while no step can become ready', () => {
    expect(begun.deciding(['a'])).toEqual({ kind: 'nothing' })
    expect(begun.settled('a', success).deciding(['a'])).toEqual({ kind: 'read', stepIds: ['b'] })
  })

  it('reads every step when none has begun, even if it has claimed the job already', () => {
    const claimed = chain.withJob({ ...chain.job, lockedBy: 'scheduler-1' })
    expect(claimed.deciding([])).toEqual({ kind: 'read', stepIds: ['a', 'b'] })
  })

  it('reads the steps under way of a job that was let go, and then claims the job', () => {
    const free = begun.withJob({ ...begun.job, lockedBy: null })
    expect(free.deciding([])).toEqual({ kind: 'read', stepIds: ['a'] })
    const { job, changed } = written(free.deciding(undefined, 'scheduler-2'))
    expect(job).toMatchObject({ lockedBy: 'scheduler-2', fence: begun.job.fence + 1 })
    expect(changed).toEqual([])
  })

  it('reads the step whose output an undo refers to, unless it knows the last version', () => {
    const { plan } = defineWorkflow('undoing', (job) => {
      const first = job.step('first', shop.sell, { item: 'x' }, { undo: 'none' })
      job.step(
        'second',
        shop.sell,
        { item: 'y' },
        { after: [first], undo: () => shop.takeBack({ item: first.output.item }) },
      )
    })
    const story = JobStory.of(documentsOf(submit(aSubmission(plan))))
      .scheduled()
      .settled('first', success)
    const done = story.withJob({
      ...story.job,
      steps: { ...story.job.steps, first: { state: 'Processed', dispatch: 1 } },
    })
    expect(done.deciding(['second'])).toEqual({ kind: 'read', stepIds: ['first'] })
    expect(dispatchedIn(done.deciding())).toEqual(['second'])
    const newer = { ...done.job.steps, first: { state: 'Processed' as const, dispatch: 2 } }
    expect(done.withJob({ ...done.job, steps: newer }).deciding()).toEqual({
      kind: 'read',
      stepIds: ['first'],
    })
  })
})

describe('a job whose submission is not complete', () => {
  it('is left alone (F-S7)', () => {
    const whole = JobStory.submitted({ a: [] })
    const staged = whole.withJob({ ...whole.job, planHash: 'plan', desiredState: whole.job.initialState })
    expect(staged.deciding()).toEqual({ kind: 'nothing' })
  })
})

describe('documents that contradict each other', () => {
  const before = JobStory.submitted({ a: [], b: ['a'] })
  const after = before.scheduled()

  it('are stale when a step is ahead of the ledger', () => {
    const { now } = after
    expect(schedule({ job: before.job, steps: after.steps, now, scheduler: 's' })).toEqual({ kind: 'stale' })
  })

  it('are stale when the job does not know the step', () => {
    const { only } = Object.fromEntries(JobStory.submitted({ only: [] }).steps)
    if (only === undefined) throw new Error('there is no step')
    const { now } = after
    expect(schedule({ job: after.job, steps: new Map([['only', only]]), now, scheduler: 's' })).toEqual({
      kind: 'stale',
    })
  })

  it('cause no write when a step is older than the ledger', () => {
    const first = JobStory.submitted({ pay: [] }).scheduled()
    const second = first.expired('pay').scheduled()
    const late = first.settled('pay', success)
    const { now } = second
    for (const steps of [late.steps, first.steps, first.expired('pay').steps]) {
      expect(schedule({ job: second.job, steps, now, scheduler: 's' })).toEqual({ kind: 'nothing' })
    }
  })
})

describe('a job whose workflow has changed since', () => {
  it('keeps the plan and policies that it was submitted with (F-Q16, F-X19, F-X20, R66)', () => {
    const begun = JobStory.submitted(
      { a: [], b: ['a'] },
      { completeWithin: '7s', retry: { tries: 2 } },
    ).scheduled()
    const stored = JSON.parse(JSON.stringify({ job: begun.job, steps: [...begun.steps] })) as {
      job: JobDocument
      steps: [string, StepDocument][]
    }
    aWorkflow({ a: [], other: [] }, { completeWithin: '1m', retry: { tries: 9 } })
    const resumed = JobStory.of({ job: stored.job, steps: new Map(stored.steps) })
    const next = resumed.settled('a', success).scheduled('scheduler-of-the-new-version')
    expect(next.job.stepIds).toEqual(['a', 'b'])
    expect(next.step('b')).toMatchObject({
      maxFailures: 2,
      completeByMs: submittedAtMs + 7_000,
      processState: 'Processing',
    })
  })
})

describe('the order of documents', () => {
  const shape = { a: [], b: [], c: ['a'], d: ['a', 'b'] }
  const story = JobStory.submitted(shape).scheduled().settled('a', success).settled('b', success)

  it('does not change the decision', () => {
    const ordered = story.deciding()
    fc.assert(
      fc.property(fc.shuffledSubarray([...story.steps.keys()], { minLength: 4 }), (order) => {
        expect(story.deciding(order)).toEqual(ordered)
      }),
    )
  })

  it('does not change how the job ends, even if some of them are missing (F-C5)', () => {
    const every = [...story.steps.keys()]
    fc.assert(
      fc.property(fc.infiniteStream(fc.shuffledSubarray(every)), (subsets) => {
        let now = JobStory.submitted(shape)
        for (const known of subsets) {
          const decision = now.deciding(known)
          if (decision.kind === 'write') now = now.applying(decision)
          const running = every.find((stepId) => now.step(stepId).processState === 'Processing')
          if (running !== undefined) now = now.settled(running, success)
          if (now.job.processState === 'Processed') break
          // Every change is delivered in the end.
          const complete = now.deciding()
          if (complete.kind === 'write') now = now.applying(complete)
        }
        expect(now.job).toMatchObject({
          processState: 'Processed',
          fence: 1,
          steps: Object.fromEntries(every.map((stepId) => [stepId, { state: 'Processed', dispatch: 1 }])),
        })
      }),
      { numRuns: 50 },
    )
  })
})
