import { expect, it } from 'vitest'
import type { StepDocument } from '../../../../src/sas/model/documents.js'
import { viewOf, type StepView } from '../../../../src/sas/client/job-view.js'
import { aJob, aStep, asStored, submittedAtMs } from '../../../support/a-job.js'

const now = submittedAtMs + 100_000
const at = (second: number): string => new Date(submittedAtMs + second * 1_000).toISOString()

/** Returns what people see of the only step of a job. */
function shown(parts: Partial<StepDocument>): StepView {
  const step = aStep({ stepId: 'only', dispatch: 1, ...parts })
  const job = aJob({ stepIds: ['only'], steps: { only: { state: 'Processing', dispatch: 1 } } })
  const [view] = viewOf(job, [step], { now }).steps
  if (view === undefined) throw new Error('the view has no step')
  return view
}

const done = { kind: 'success', attempt: 1, at: at(30), by: 'x', didNothing: false } as const
const claim = { by: 'x', token: 't', fence: 1, at: at(20) }

it('a step shows when it began and ended', () => {
  const work = { processState: 'Processed', outcome: done, attempt: 1 } as const
  expect(shown({ ...work, claim })).toMatchObject({ startedAt: at(20), endedAt: at(30) })
  expect(shown(work), 'the beginning is not recorded').toMatchObject({ startedAt: at(0), endedAt: at(30) })
  const running = { processState: 'Processing', completeWithinMs: 60_000, completeByMs: now } as const
  expect(shown({ ...running, attempt: 1 })).toMatchObject({ startedAt: at(40), endedAt: null })
})

it('the time of a step does not go back at a further round, or at a report of progress', () => {
  const later = { processState: 'Processing', completeByMs: now, attempt: 1, claim } as const
  const round = (number: number) => ({ number, first: 1, until: null, previous: null })
  expect(shown({ ...later, round: round(1) }).startedAt).toBe(at(20))
  expect(shown({ ...later, round: round(2) }).startedAt).toBe(at(0))
  expect(shown({ ...later, progress: { done: 1, at: at(20) } }).startedAt).toBe(at(0))
  const over = { ...later, processState: 'Processed', outcome: done } as const
  expect(shown({ ...over, round: round(2) })).toMatchObject({ startedAt: at(0), endedAt: at(30) })
  expect(shown({ ...over, progress: null })).toMatchObject({ startedAt: at(0), endedAt: at(30) })
})

it('a step that failed shows the time of its attempts, not that of its wait for an operator', () => {
  const diagnostics = [{ at: at(25), by: 'x', attempt: 1, message: 'no' }]
  const attention = { kind: 'error', since: at(25), by: 'x', message: 'no', stepId: 'only' } as const
  const failed = { processState: 'Error', diagnostics, attention, failureCount: 1 } as const
  expect(shown(failed)).toMatchObject({ startedAt: at(0), endedAt: at(25) })
})

it('a step without which the job goes on has an end, and needs no operator', () => {
  const attention = { kind: 'error', since: at(40), by: 's', message: 'given up', stepId: 'only' } as const
  const late = aStep({ stepId: 'only', dispatch: 1, processState: 'Error', attention, kind: 'waitFor' })
  const after = aStep({
    stepId: 'after',
    dispatch: 1,
    dependsOn: ['only'],
    processState: 'Processed',
    outcome: { ...done, at: at(45) },
  })
  const steps = {
    only: { state: 'TimedOut', dispatch: 1 },
    after: { state: 'Processed', dispatch: 1 },
  } as const
  const job = aJob({ stepIds: ['only', 'after'], steps, processState: 'Processed', endedAt: at(50) })
  expect(viewOf(job, [late, after], { now }).steps).toMatchObject([
    {
      state: 'TimedOut',
      attention: null,
      startedAt: at(0),
      endedAt: at(40),
      diagnostics: [{ at: at(40), message: 'given up' }],
    },
    { startedAt: at(40), endedAt: at(45) },
  ])
})

it('an attempt that was given up without an answer has an end', () => {
  const attention = { kind: 'error', since: at(40), by: 's', message: 'no answer', stepId: 'only' } as const
  const late = { processState: 'Error', attention, failureCount: 1 } as const
  expect(shown(late)).toMatchObject({ attention, startedAt: at(0), endedAt: at(40), diagnostics: [] })
})

it('a question that was answered begins when it was put', () => {
  const event = { payload: true, at: at(30), by: 'ann', askedAt: at(25) }
  const answered = { kind: 'waitFor', processState: 'Processed', event, outcome: null } as const
  expect(shown(answered)).toMatchObject({ startedAt: at(25), endedAt: at(30) })
})

it('a step that has not begun has no times', () => {
  expect(shown({ dispatch: 0 })).toMatchObject({ startedAt: null, endedAt: null, changedAt: null })
})

it('an open question shows its deadline, not the time of its reminder', () => {
  const asked = { title: 'Sure?', assignees: [], since: at(0), expiresAtMs: now, remindAtMs: now - 50_000 }
  const parts = {
    kind: 'waitFor',
    processState: 'Processing',
    completeBy: at(50),
    completeByMs: now - 50_000,
  } as const
  expect(shown({ ...parts, asked }).completeBy).toBe(at(100))
  expect(shown(parts).completeBy).toBe(at(50))
})

it('documents from a store show the time of their last write', () => {
  const [job, step] = [asStored(aJob()), asStored(aStep({ stepId: 'only' }))]
  const view = viewOf({ ...job, stepIds: ['only'] }, [step], { now })
  expect([view.changedAt, view.steps[0]?.changedAt]).toEqual([at(0), at(0)])
  expect(viewOf(aJob(), [], { now }).changedAt).toBeNull()
})

it('a step that waits in a pause of its job has begun no attempt', () => {
  const held = { atMs: submittedAtMs + 30_000, completeByMs: now }
  const waiting = { processState: 'Processing', attempt: 1, completeByMs: null, held } as const
  expect(shown(waiting)).toMatchObject({ attempt: 0, startedAt: null })
  expect(shown({ ...waiting, attempt: 2, failureCount: 1 })).toMatchObject({ attempt: 1 })
})
