import { describe, expect, it } from 'vitest'
import { settle, type Outcome } from '../../../../src/sas/decisions/settle.js'
import type { JobDocument, StepDocument } from '../../../../src/sas/model/documents.js'
import { doneAttemptOf, successOf } from '../../../../src/sas/model/planned/done-step.js'
import type { BegunAttempt, DoneAttempt } from '../../../../src/sas/model/planned/planned-step.js'
import {
  begunInJob,
  plannedSteps,
  startedInJob,
  withDocumentsOf,
} from '../../../../src/sas/model/planned/planned-steps.js'
import { plannedStep } from '../../../../src/sas/plan/planned-plan.js'
import { submit } from '../../../../src/sas/submission/submit.js'
import {
  aSubmission,
  aWorkflow,
  documentsOf,
  submittedAtMs,
  type ShapeOptions,
} from '../../../support/a-job.js'
import { longestBackoff } from '../../../support/job-story.js'

const at = new Date(submittedAtMs + 50).toISOString()
const attempt: BegunAttempt = {
  input: { item: 'only' },
  lockedBy: 'one',
  firstBy: 'token',
  completeByMs: submittedAtMs + 60_000,
}

/** Returns the job as another process would read it. */
const read = (job: JobDocument): JobDocument => JSON.parse(JSON.stringify(job)) as JobDocument

/** A job of two steps, in which the first attempt of the first one has begun. */
function aBegunJob(options: ShapeOptions = {}): JobDocument {
  const { plan } = aWorkflow({ only: [], later: ['only'] }, options)
  const { job } = documentsOf(submit(aSubmission(plan)))
  const [first, ...others] = plan.steps.map(plannedStep)
  if (first === undefined) throw new Error('the job has planned steps')
  return read({ ...job, schema: 7, planned: [{ ...first, attempt }, ...others] })
}

/** The step that only the job has, without the system fields that it has as one that was read. */
function inJob(job: JobDocument, stepId = 'only'): StepDocument {
  const step = plannedSteps(job).get(stepId)
  if (step === undefined) throw new Error(`${stepId} has no plan`)
  const { _etag, _ts, ...document } = step
  expect([_etag, _ts]).toEqual(['', 0])
  return document
}

/** The step after this outcome, accepted as a scheduler writes it. */
function after(before: StepDocument, outcome: Outcome): StepDocument {
  const how = { now: submittedAtMs + 50, random: longestBackoff }
  const settlement = settle(before, { number: 1, fence: 1, by: 'one' }, outcome, how)
  if (settlement.kind !== 'write') throw new Error(settlement.reason)
  const { step } = settlement
  return { ...step, outcome: step.outcome && { ...step.outcome, accepted: true } }
}

const sold = { kind: 'success', output: { item: 'only', price: [1, null, 'x'] } } as const

function nested(levels: number): StepDocument['output'] {
  let value: StepDocument['output'] = 1
  for (let level = 0; level < levels; level += 1) value = [value]
  return value
}

/** The step that the job gives with this success. */
function givenBy(job: JobDocument, done: DoneAttempt): StepDocument {
  const planned = job.planned?.map((plan) => (plan.id === 'only' ? { ...plan, done } : plan))
  return inJob(read({ ...job, ...(planned && { planned }) }))
}

describe('the success of a first attempt in the job (I47)', () => {
  it.each([
    ['without an undo', {}],
    ['with an undo', { undo: true }],
    [
      'with other names, tries and a policy',
      { targetState: 'Sold', retry: { tries: 1 }, onExhausted: 'park' },
    ],
    ['without which the job goes on', { onExhausted: 'continue', undo: true, undoUncertain: false }],
  ] as const)('gives a step %s as it is after its outcome, field by field', (_what, options) => {
    const job = aBegunJob(options)
    const before = inJob(job)
    expect(before).toMatchObject({ processState: 'Processing', attempt: 1, fence: 1, outcome: null })
    const done = after(before, sold)
    const kept = doneAttemptOf(before, done)
    expect(kept).toMatchObject({ at, by: 'one', output: sold.output })
    if (kept === null) return
    expect('undo' in kept).toBe('undo' in options)
    const given = givenBy(job, kept)
    expect(given).toStrictEqual(done)
    expect(given).toMatchObject({
      processState: 'Processed',
      completeBy: null,
      completeByMs: null,
      lockedBy: null,
    })
  })

  it('has the input of an undo that contains outputs of other steps', () => {
    const job = aBegunJob({ undo: true })
    const [first, ...others] = job.planned ?? []
    const undoInput = { item: 'from another', sold: { $ref: 'none' } }
    if (first === undefined) throw new Error('the job has planned steps')
    const begun = read({ ...job, planned: [{ ...first, attempt: { ...attempt, undoInput } }, ...others] })
    const before = inJob(begun)
    const done = after(before, sold)
    const kept = doneAttemptOf(before, done)
    expect(kept?.undo).toEqual(done.undo?.input)
    expect(kept && givenBy(begun, kept)).toStrictEqual(done)
  })

  it('has values that are null', () => {
    const job = aBegunJob()
    const before = inJob(job)
    const kept = doneAttemptOf(before, after(before, { kind: 'success', output: null }))
    expect(kept).toEqual({ at, by: 'one', output: null })
    expect(kept && givenBy(job, kept)).toMatchObject({ output: null, processState: 'Processed' })
  })

  it('is a success of attempt 1 that was accepted', () => {
    expect(successOf({ at, by: 'one', output: 1 })).toEqual({
      kind: 'success',
      attempt: 1,
      at,
      by: 'one',
      didNothing: false,
      accepted: true,
    })
  })

  it('is written into the plan of its step, and the job has schema 8 and keeps it', () => {
    const job = aBegunJob({ undo: true })
    const before = inJob(job)
    const step = after(before, sold)
    const done = doneAttemptOf(before, step)
    if (done === null) throw new Error('the step needs no document')
    const next = withDocumentsOf(job, [], [{ step, done }])
    expect([next.schema, next.planned?.map(({ id }) => id)]).toEqual([8, ['only', 'later']])
    expect(next.planned?.[0]).toEqual({ ...job.planned?.[0], done })
    expect([...plannedSteps(next)]).toEqual([...plannedSteps(read(next))])
    expect([begunInJob(next), startedInJob(next).map(({ stepId }) => stepId)]).toEqual([[], ['only']])
    const both = withDocumentsOf(withDocumentsOf(next, [{ stepId: 'only' }]), [{ stepId: 'later' }])
    expect([both.schema, both.planned]).toEqual([8, undefined])
    // The version that was written before stays as it was.
    expect(begunInJob(job).map(({ stepId }) => stepId)).toEqual(['only'])
  })
})

describe('a step that needs a document after its first attempt (I47)', () => {
  const before = inJob(aBegunJob({ undo: true, onExhausted: 'continue' }))
  const done = after(before, sold)

  it.each([
    ['a failure', { kind: 'failed', message: 'busy' }],
    ['a permanent failure', { kind: 'permanent', message: 'impossible' }],
    ['a refusal that did nothing', { kind: 'permanent', message: 'refused', didNothing: true }],
    ['an output of 101 levels', { kind: 'success', output: nested(101) }],
    ['an output with tickets', { kind: 'success', output: 'x', hasTickets: true }],
  ] as const satisfies readonly (readonly [string, Outcome])[])('has %s', (_what, outcome) => {
    expect(doneAttemptOf(before, after(before, outcome))).toBeNull()
  })

  it('has no outcome', () => {
    expect(doneAttemptOf(before, before)).toBeNull()
  })

  it('has an output of more than 100 levels, also without an undo', () => {
    const plain = inJob(aBegunJob())
    const keptOf = (levels: number) =>
      doneAttemptOf(plain, after(plain, { kind: 'success', output: nested(levels) }))
    expect(keptOf(100)?.output).toEqual(nested(100))
    expect(keptOf(101)).toBeNull()
  })

  it.each([
    ['was not accepted', { accepted: false }],
    ['does not say whether it was accepted', { accepted: undefined }],
    ['did nothing', { didNothing: true }],
    ['is of another attempt', { attempt: 2 }],
    ['is a failure', { kind: 'failed' }],
  ] as const)('has an outcome that %s', (_what, change) => {
    const outcome = { ...done.outcome, ...change } as StepDocument['outcome']
    expect(doneAttemptOf(before, { ...done, outcome })).toBeNull()
  })

  it('has an outcome of which agents in other languages say more', () => {
    const outcome = { ...done.outcome, more: 1 } as unknown as StepDocument['outcome']
    expect(doneAttemptOf(before, { ...done, outcome })).toBeNull()
  })

  /** The success has these. `processState` and `completeBy` follow from other fields (I20). */
  const free = new Set(['output', 'outcome', 'undo', 'processState', 'completeBy'])
  const others = Object.keys(done).filter((name) => !free.has(name))

  it.each(others)('has another value of %s', (name) => {
    const value = (done as unknown as Readonly<Record<string, unknown>>)[name]
    const other = typeof value === 'boolean' ? !value : typeof value === 'number' ? value + 1 : { is: value }
    for (const another of [other, ...(value === null ? [] : [null])])
      expect(doneAttemptOf(before, { ...done, [name]: another })).toBeNull()
  })

  it('has a field no more that its plan gives it', () => {
    const { jobGoesOn, ...without } = done
    expect(jobGoesOn).toBe(true)
    expect(doneAttemptOf(before, without)).toBeNull()
  })

  it.each([
    ['progress', { done: 1, of: 2 }],
    ['joinedFence', 1],
    ['leftFence', 1],
    ['mayRunUntilMs', submittedAtMs],
    ['returned', { key: 'k', attempt: 1, times: 1 }],
    ['keyJobId', 'job-0'],
    ['planNumber', 1],
    ['hasTickets', true],
    ['unknown', {}],
  ])('has the field %s', (name, value) => {
    expect(doneAttemptOf(before, { ...done, [name]: value })).toBeNull()
  })

  it.each([
    ['failures', { failureCount: 1 }],
    ['another template', { inputTemplate: 'another' }],
    ['another operation', { action: 'another' }],
    ['an input of more than 100 levels', { input: nested(101) }],
  ])('has an undo with %s', (_what, change) => {
    const undo = { ...done.undo, ...change } as StepDocument['undo']
    expect(doneAttemptOf(before, { ...done, undo })).toBeNull()
  })

  it('has an undo that its plan has not, or the other way round', () => {
    expect(doneAttemptOf({ ...before, undo: null }, done)).toBeNull()
    expect(doneAttemptOf(before, { ...done, undo: null })).toBeNull()
  })

  it('needs none if only the input of its undo is another one, which the job then has', () => {
    const undo = done.undo && { ...done.undo, input: { item: 'another' } }
    expect(doneAttemptOf(before, { ...done, undo })?.undo).toEqual({ item: 'another' })
  })
})
