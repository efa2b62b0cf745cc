import { describe, expect, it } from 'vitest'
import { defineAgent } from '../../../../src/sas/agents/agent.js'
import { decodeDocument } from '../../../../src/sas/model/decode.js'
import { beginning, owedBy } from '../../../../src/sas/decisions/owed-undos.js'
import type { Outcome } from '../../../../src/sas/decisions/settle.js'
import { submit } from '../../../../src/sas/submission/submit.js'
import { exceeds, maxTransactionBytes } from '../../../../src/sas/store/transaction.js'
import { defineWorkflow } from '../../../../src/sas/workflow/workflow.js'
import { aSubmission, documentsOf, type ShapeOptions, type WorkflowShape } from '../../../support/a-job.js'
import { JobStory, success } from '../../../support/job-story.js'

const refused = { kind: 'permanent', message: 'no such card', didNothing: true } as const
const unsure = { kind: 'permanent', message: 'charged already' } as const
const unheard = { kind: 'failed', message: 'no answer' } as const
const by = { by: 'ann', why: 'the bank answers again' }
const resubmit = { kind: 'resubmit', ...by } as const
const cancel = { kind: 'cancel', ...by } as const
const release = { kind: 'release', ...by } as const
const withUndo = { undo: true, retry: { tries: 1 }, completeWithin: '30s' } as const

const edited = (item: string) => ({ ...resubmit, steps: [{ stepId: 'a', input: { item } }] })

function states({ job }: JobStory): Record<string, string> {
  return Object.fromEntries(Object.entries(job.steps).map(([stepId, { state }]) => [stepId, state]))
}

/** A job in Error: the attempts of its step `a` may have acted, but none of them was answered. */
function lost(options: ShapeOptions = {}, shape: WorkflowShape = { a: [] }): JobStory {
  const story = JobStory.submitted(shape, { ...withUndo, ...options }).scheduled()
  return story.settled('a', unheard).expired('a').scheduled()
}

/** Completes the undos of a step until its job has ended; returns the key and input of each, in order. */
function undone(story: JobStory, stepId = 'a'): readonly (readonly [string, unknown])[] {
  const found: (readonly [string, unknown])[] = []
  let next = story
  while (next.job.processState === 'Compensating') {
    const step = next.step(stepId)
    found.push([step.idempotencyKey, step.undo?.input])
    next = next.concluded(stepId)
  }
  expect(next.job.processState).toBe('Compensated')
  expect(next.step(stepId)).toMatchObject({ processState: 'Compensated', owed: [], mayHaveActed: false })
  return found
}

it('a repeated step owes the undo of its earlier round, with the output of that round', () => {
  const step = JobStory.submitted({ a: [] }, withUndo).scheduled().step('a')
  const inputTemplate = { of: { $from: ['steps', 'a', 'output'] } }
  const undo = step.undo && { ...step.undo, inputTemplate, whenUncertain: false }
  const round = { first: 1, until: null, previous: 'sold' }
  expect(owedBy({ ...step, undo, round: { ...round, number: 2 } })).toEqual([
    { generation: 1, input: { of: 'sold' } },
  ])
  expect(owedBy({ ...step, undo, round: { ...round, number: 1 } })).toEqual([])
  expect(owedBy({ ...step, undo })).toEqual([])
  const uncertain = undo && { ...undo, whenUncertain: true }
  expect(owedBy({ ...step, undo: uncertain, mayHaveActed: true })).toEqual([{ generation: 1, input: {} }])
})

describe('the idempotency key of a step that begins again', () => {
  it('is one of its own job after it was carried over and undone (I34)', () => {
    const story = JobStory.submitted({ a: [] }, withUndo).scheduled()
    const carried = { ...story.step('a'), keyJobId: 'job-0' }
    expect(beginning({ ...carried, direction: 'undo' })).not.toHaveProperty('keyJobId')
    expect(beginning(carried)).toMatchObject({ keyJobId: 'job-0', direction: 'do' })
  })

  it('stays when its job is resubmitted, so that a bank does not charge twice (I9, F-K13)', () => {
    const again = lost().commanded(resubmit).scheduled()
    expect(again.job.generation).toBe(2)
    expect(again.step('a')).toMatchObject({ generation: 1, idempotencyKey: 'job-1/a/g1/do', attempt: 1 })
  })

  it('stays after a refusal, as the input is the same', () => {
    const story = JobStory.submitted({ a: [] }, withUndo).scheduled().concluded('a', refused)
    expect(story.commanded(resubmit).scheduled().step('a').idempotencyKey).toBe('job-1/a/g1/do')
  })

  it('changes with the input, and never back to a key that was used before', () => {
    const other = lost().commanded(edited('other')).scheduled()
    expect(other.step('a')).toMatchObject({ generation: 2, idempotencyKey: 'job-1/a/g2/do' })
    const failed = other.settled('a', unheard).expired('a').scheduled()
    const back = failed.commanded(edited('a')).scheduled()
    expect(back.step('a').idempotencyKey).toBe('job-1/a/g3/do')
  })

  it('stays when an operator enters the same input with its fields in another order', () => {
    const story = lost().withStep({ ...lost().step('a'), input: { b: 1, a: 2 } })
    const same = { ...resubmit, steps: [{ stepId: 'a', input: { a: 2, b: 1 } }] }
    expect(story.commanded(same).scheduled().step('a').idempotencyKey).toBe('job-1/a/g1/do')
  })

  it('stays after a cancellation if the step has no undo, and changes if it was undone', () => {
    const shape = { a: [], b: ['a'], c: ['b'] }
    const done = JobStory.submitted(shape, withUndo).scheduled().concluded('a')
    const noUndo = done.withStep({ ...done.step('a'), undo: null })
    const cancelled = noUndo.concluded('b').concluded('c', refused)
    const back = cancelled.commanded(cancel).scheduled().concluded('b')
    expect(back.job.processState).toBe('Compensated')
    const again = back.commanded(resubmit).scheduled()
    expect(again.step('a').idempotencyKey).toBe('job-1/a/g1/do')
    const next = again.concluded('a')
    expect(next.step('b')).toMatchObject({ idempotencyKey: 'job-1/b/g2/do', mayHaveActed: false, owed: [] })
  })

  it('changes once when a step that was undone gets another input', () => {
    const back = lost().commanded(cancel).scheduled().concluded('a')
    expect(back.job.processState).toBe('Compensated')
    expect(back.commanded(edited('other')).scheduled().step('a').idempotencyKey).toBe('job-1/a/g2/do')
  })

  it('stays, as `mayHaveActed` does, when a new input is too large', () => {
    const story = lost()
      .commanded(edited('x'.repeat(3_000_000)))
      .scheduled()
    expect(story.step('a')).toMatchObject({ processState: 'Error', generation: 1, mayHaveActed: true })
    const back = story.scheduled().commanded(edited('a')).scheduled()
    expect(back.step('a').idempotencyKey).toBe('job-1/a/g1/do')
  })

  it('stays when a job that ran out of time is resubmitted with the same input', () => {
    const { job, steps } = JobStory.submitted({ a: [], b: ['a'] }, withUndo)
    const story = JobStory.of({ job: { ...job, completeWithinMs: 20_000 }, steps })
      .scheduled()
      .concluded('a')
    const ended = story.later(20_000).scheduled()
    expect(ended.job).toMatchObject({
      processState: 'Error',
      attention: { message: 'the job was not done within 20000 ms' },
    })
    const again = ended.commanded(resubmit).scheduled()
    expect(again.step('a')).toBe(story.step('a'))
    expect(again.step('b')).toMatchObject({ idempotencyKey: 'job-1/b/g1/do', mayHaveActed: true })
    const done = ended.commanding({ ...resubmit, steps: [{ stepId: 'a', input: 1 }] })
    expect(done).toEqual({
      kind: 'refused',
      reason: 'step a will not run again, so a new input has no effect',
    })
    const other = ended.commanded({ ...resubmit, steps: [{ stepId: 'b', input: { item: 'other' } }] })
    expect(other.scheduled().step('b').idempotencyKey).toBe('job-1/b/g2/do')
  })
})

describe('the undos of a step', () => {
  it('run for each generation that may have acted, newest first, each with its key (I6, F-K13)', () => {
    const story = lost({}, { a: [], b: ['a'] })
      .commanded(edited('other'))
      .scheduled()
    const done = story.concluded('a')
    expect(done.step('a').owed).toEqual([{ generation: 1, input: { item: 'a' } }])
    const back = done.commanded(cancel).scheduled()
    const later = back.expired('b').scheduled().concluded('b')
    expect(undone(later)).toEqual([
      ['job-1/a/g2/undo', { item: 'a', sold: 'sold' }],
      ['job-1/a/g1/undo', { item: 'a' }],
    ])
  })

  it('fit into one transaction even after a large output of the step (F-K12, I16)', () => {
    const sold = { sold: 'x'.repeat(700_000) }
    const done = JobStory.submitted({ a: [], b: ['a'] }, withUndo)
      .scheduled()
      .settled('a', { kind: 'success', output: sold })
      .scheduled()
    const back = done.commanded(cancel).scheduled().expired('b').scheduled().concluded('b')
    const { job } = back
    expect(exceeds([job, back.step('a')], maxTransactionBytes)).toBe(false)
    expect(undone(back)).toEqual([['job-1/a/g1/undo', { item: 'a', sold }]])
  })

  it('are recorded in `owed` while they run', () => {
    const back = lost().commanded(cancel).scheduled()
    expect(owedBy(back.step('a'))).toEqual([{ generation: 1, input: { item: 'a' } }])
  })

  it('are recorded for each generation left, without a second copy of the newest input (I16)', () => {
    const second = lost()
      .commanded(edited('other'))
      .scheduled()
      .settled('a', unheard)
      .expired('a')
      .scheduled()
    const large = second.withStep({ ...second.step('a'), output: 'x'.repeat(2_000_000) })
    const back = large.commanded(cancel).scheduled()
    expect(back.step('a')).toMatchObject({ input: null, output: null })
    expect(back.step('a').owed).toEqual([
      { generation: 1, input: { item: 'a' } },
      { generation: 2, input: null },
    ])
    const first = lost()
    const alone = first.withStep({ ...first.step('a'), output: 'x'.repeat(2_000_000) })
    expect(alone.commanded(cancel).scheduled().step('a').owed).toEqual([{ generation: 1, input: null }])
  })

  it('cover each of three generations (I6)', () => {
    const again = (story: JobStory, item: string): JobStory =>
      story.commanded(edited(item)).scheduled().settled('a', unheard).expired('a').scheduled()
    const back = again(again(lost(), 'second'), 'third').commanded(cancel).scheduled()
    expect(undone(back).map(([key]) => key)).toEqual([
      'job-1/a/g3/undo',
      'job-1/a/g2/undo',
      'job-1/a/g1/undo',
    ])
  })

  it('run when a resubmitted job is cancelled before its step begins again', () => {
    const story = lost().commanded(resubmit).commanded(cancel).scheduled()
    expect(states(story)).toEqual({ a: 'Compensating' })
    expect(undone(story)).toEqual([['job-1/a/g1/undo', { item: 'a' }]])
  })

  it('run once, and not again with the next generation', () => {
    const back = lost().commanded(cancel).scheduled().concluded('a')
    const again = back.commanded(resubmit).scheduled().settled('a', unheard).expired('a').scheduled()
    expect(undone(again.commanded(cancel).scheduled())).toEqual([['job-1/a/g2/undo', { item: 'a' }]])
    const idle = back.commanded(resubmit).commanded(cancel).scheduled()
    expect(idle.job.processState).toBe('Compensated')
  })

  it('run once, even if a foreign agent marks the step Compensated and does not clear `owed`', () => {
    const back = lost().commanded(cancel).scheduled()
    const step = back.step('a')
    const free = { lockedBy: null, completeBy: null, completeByMs: null, currentState: step.initialState }
    const said = back.withStep({ ...step, ...free, processState: 'Compensated' as const }).scheduled()
    expect(said.job.processState).toBe('Compensated')
    expect(said.commanded(resubmit).commanded(cancel).scheduled().job.processState).toBe('Compensated')
  })

  it('run for a skipped step only if it may have acted before it was skipped (F-K2)', () => {
    const never = { operator: 'present', of: [{ $from: ['input', 'coupon'] }] }
    const leftOut = (story: JobStory): JobStory => story.withStep({ ...story.step('a'), when: never })
    const again = leftOut(lost({}, { a: [], b: ['a'] }))
      .commanded(resubmit)
      .scheduled()
    expect(states(again)).toEqual({ a: 'Skipped', b: 'Processing' })
    expect(states(again.concluded('b', refused).commanded(cancel).scheduled())).toMatchObject({
      a: 'Compensating',
    })
    const first = JobStory.submitted({ a: [], b: ['a'] }, withUndo)
    // A step of an earlier version is read as one that may have acted, although it never began.
    const old = leftOut(first.withStep({ ...first.step('a'), mayHaveActed: true })).scheduled()
    const failed = old.concluded('b', refused).commanded(cancel).scheduled()
    expect(failed.job.processState).toBe('Compensated')
  })

  it('stay recorded when one of them fails, and run when the job is resubmitted (F-K4)', () => {
    const other = lost().commanded(edited('other')).scheduled().settled('a', unheard).expired('a').scheduled()
    const stuck = other.commanded(cancel).scheduled().concluded('a', unsure)
    expect(states(stuck)).toEqual({ a: 'CompensationFailed' })
    expect(undone(stuck.commanded(resubmit).scheduled())).toEqual([
      ['job-1/a/g2/undo', { item: 'a' }],
      ['job-1/a/g1/undo', { item: 'a' }],
    ])
  })

  it('have a failure count each (R111)', () => {
    const options = { retry: { tries: 2, backoff: { min: 1, max: 1 } } } as const
    const first = JobStory.submitted({ a: [] }, { ...withUndo, ...options }).scheduled()
    const twice = first.settled('a', unheard).expired('a').scheduled().expired('a').scheduled()
    const other = twice.commanded(edited('other')).scheduled().concluded('a', unsure)
    const again = other.commanded(cancel).scheduled().settled('a', unheard).expired('a').scheduled()
    expect(again.step('a')).toMatchObject({ attempt: 2, undo: { failureCount: 1 } })
    const next = again.concluded('a')
    expect(next.step('a')).toMatchObject({ attempt: 1, undo: { failureCount: 0 } })
  })

  it('run only for known successes when the step has `undoUncertain: false`', () => {
    const certain = { undoUncertain: false } as const
    expect(lost(certain).commanded(cancel).scheduled().job.processState).toBe('Compensated')
    const edits = lost(certain, { a: [], b: ['a'] })
      .commanded(edited('other'))
      .scheduled()
    expect(edits.step('a').owed).toEqual([])
    const done = edits.concluded('a').concluded('b', refused)
    expect(undone(done.commanded(cancel).scheduled())).toEqual([
      ['job-1/a/g2/undo', { item: 'a', sold: 'sold' }],
    ])
  })

  it('go on when a foreign agent that knows of one undo only marks the step Compensated', () => {
    const other = lost().commanded(edited('other')).scheduled().settled('a', unheard).expired('a').scheduled()
    const back = other.commanded(cancel).scheduled()
    const step = back.step('a')
    const outcome = { kind: 'success' as const, attempt: 1, at: '', by: 'python', didNothing: false }
    const free = { lockedBy: null, completeBy: null, completeByMs: null, outcome }
    const said = { ...step, ...free, currentState: step.initialState, processState: 'Compensated' as const }
    const next = back.withStep(said).scheduled()
    expect(states(next)).toEqual({ a: 'Compensating' })
    expect(next.step('a').idempotencyKey).toBe('job-1/a/g1/undo')
  })
})

describe('`mayHaveActed` of a step', () => {
  const twice = { ...withUndo, retry: { tries: 3, backoff: { min: 1, max: 1 } } } as const
  const begun = JobStory.submitted({ a: [] }, twice).scheduled()
  const undoes = (story: JobStory): boolean =>
    story.commanded(cancel).scheduled().job.processState !== 'Compensated'

  it.each<[string, Outcome]>([
    ['a failure', unheard],
    ['a refusal that was not the first call of its attempt', unsure],
  ])('stays true after %s, whatever the next attempt says (F-A20)', (_what, outcome) => {
    const parked = JobStory.submitted({ a: [] }, { ...twice, onExhausted: 'park' })
    const first = parked.scheduled().settled('a', outcome)
    const next = first.step('a').attention === null ? first.expired('a') : first.commanded(release)
    expect(undoes(next.scheduled().concluded('a', refused))).toBe(true)
  })

  it('is false after its first call was refused, until it is called again', () => {
    const story = begun.concluded('a', refused)
    expect(story.step('a').mayHaveActed).toBe(false)
    expect(undoes(story)).toBe(false)
    expect(undoes(story.commanded(resubmit).scheduled().settled('a', unheard))).toBe(true)
  })

  it('stays true after a release, which resets the failure count (R117)', () => {
    const parked = lost({ onExhausted: 'park' })
    const again = parked.commanded(release).scheduled()
    expect(again.step('a')).toMatchObject({ failureCount: 0, attempt: 1, mayHaveActed: true })
    expect(undoes(again.concluded('a', refused))).toBe(true)
  })

  it('is true after its deadline has passed, and after it was stopped', () => {
    expect(begun.expired('a').step('a').mayHaveActed).toBe(true)
    const certain = JobStory.submitted({ a: [] }, { ...twice, undoUncertain: false }).scheduled()
    expect(certain.commanded(cancel).scheduled().step('a')).toMatchObject({
      processState: 'Pending',
      mayHaveActed: true,
    })
  })

  it('is false if the step must be claimed and no agent has claimed it (F-A6)', () => {
    const claimed = JobStory.submitted({ a: [] }, { ...twice, claim: true }).scheduled()
    expect(claimed.expired('a').step('a').mayHaveActed).toBe(false)
    expect(undoes(claimed)).toBe(false)
    const { fence } = claimed.step('a')
    const taken = { ...claimed.step('a'), claim: { by: 'agents-1', token: 't', fence, at: '' } }
    expect(claimed.withStep(taken).expired('a').step('a').mayHaveActed).toBe(true)
    expect(undoes(claimed.withStep(taken))).toBe(true)
  })

  it('is false for the new key that another input brings', () => {
    const other = lost().commanded(edited('other')).scheduled()
    expect(other.step('a')).toMatchObject({ generation: 2, mayHaveActed: false })
    const failed = other.concluded('a', refused)
    expect(undone(failed.commanded(cancel).scheduled())).toEqual([['job-1/a/g1/undo', { item: 'a' }]])
  })

  it('is false when the step begins for the first time, even if its document lacks the field', () => {
    const submitted = JobStory.submitted({ a: [] }, withUndo)
    const { mayHaveActed: _unsaid, ...old } = submitted.step('a')
    const decoded = decodeDocument(old)
    if (decoded.kind !== 'step') throw new Error(decoded.kind)
    const failed = submitted.withStep(decoded.step).scheduled().concluded('a', refused)
    expect(undoes(failed)).toBe(false)
  })

  it('is true in a stored document that lacks the field', () => {
    const { mayHaveActed: _unsaid, owed: _none, ...old } = begun.settled('a', refused).step('a')
    const decoded = decodeDocument(old)
    expect(decoded).toMatchObject({ kind: 'step', step: { mayHaveActed: true, owed: [] } })
  })
})

describe('the input of an undo', () => {
  const bank = defineAgent('bank', {
    open: (_input: null): { account: string } => ({ account: '' }),
    pay: (_input: null): null => null,
    refund: (_input: { account: string }): null => null,
  })

  it('refers to what other steps returned in the same generation (R41, I9)', () => {
    const { plan } = defineWorkflow<null>('paying', (job) => {
      const opened = job.step('open', bank.open, null, { undo: 'none' })
      const options = { undo: () => bank.refund({ account: opened.output.account }), after: [opened] }
      job.step('pay', bank.pay, null, options)
      job.step('fail', bank.pay, null, { undo: 'none', after: [] })
      job.onExhausted('compensate')
    })
    const account = (name: string): Outcome => ({ kind: 'success', output: { account: name } })
    const story = JobStory.of(documentsOf(submit(aSubmission(plan, { input: null })))).scheduled()
    const first = story.settled('open', account('one')).scheduled().concluded('pay')
    expect(first.step('pay').undo?.input).toEqual({ account: 'one' })
    const back = first.concluded('fail', refused).concluded('pay')
    const again = back.commanded(resubmit).scheduled().settled('open', account('two')).scheduled()
    expect(again.settled('pay', success).step('pay').undo?.input).toEqual({ account: 'two' })
  })
})
