import { describe, expect, it } from 'vitest'
import {
  endJob,
  continueJob,
  isFlagCurrent,
  type SchedulingState,
} from '../../../../src/sas/decisions/continue-or-end-job.js'
import type { Attention, JobDocument, StepDocument } from '../../../../src/sas/model/documents.js'
import { JobStory } from '../../../support/job-story.js'

const story = JobStory.submitted({ a: [], b: [] }, { completeWithin: '30s' }).scheduled()
const { job, now } = story

/** Returns what a scheduler knows: the job, and the steps with these changes. */
function knowing(
  steps: Readonly<Record<string, Partial<StepDocument>>>,
  changed: Partial<JobDocument> = {},
): SchedulingState {
  const known = Object.entries(steps).map(([id, own]) => [id, { ...story.step(id), ...own }] as const)
  return { job: { ...job, ...changed }, steps: new Map(known), now, scheduler: 'scheduler-1' }
}

/** Returns the job as it continues, with this state of its step `b`. */
function goingOn(state: SchedulingState, b: 'Processing' | 'Processed' | 'NotStarted' = 'Processing') {
  const ledger = { a: { state: 'Processing', dispatch: 1 }, b: { state: b, dispatch: 1 } } as const
  const decision = continueJob(state, ledger, [])
  if (decision.kind !== 'write') throw new Error(decision.kind)
  expect(decision.notices).toEqual([])
  return decision.job
}

function flag(kind: Attention['kind'], stepId = 'a'): Attention {
  return { kind, stepId, since: 'then', by: 'supervisor-1', message: 'waits' }
}

describe('the deadline of a job that continues', () => {
  const at = (completeByMs: number | null) => ({ completeByMs })

  it('is the latest deadline of the steps under way', () => {
    expect(goingOn(knowing({ a: at(now + 5), b: at(now + 9) })).completeByMs).toBe(now + 9)
    const done = goingOn(knowing({ a: at(now + 5), b: at(now + 9) }), 'Processed')
    expect(done.completeByMs).toBe(now + 5)
  })

  it('ignores steps that are not under way', () => {
    const state = knowing({ a: at(now + 5) }, at(now + 1_000))
    expect(goingOn(state, 'NotStarted').completeByMs).toBe(now + 5)
  })

  it('is not earlier than before while a step under way is unknown', () => {
    expect(goingOn(knowing({ a: at(now + 5) }, at(now + 1_000))).completeByMs).toBe(now + 1_000)
    expect(goingOn(knowing({ a: at(now + 5) }, at(null))).completeByMs).toBe(now + 5)
    expect(goingOn(knowing({}, at(now + 1_000))).completeByMs).toBe(now + 1_000)
  })

  it('is null while all steps under way wait for an operator, unless the job has its own end', () => {
    const waiting = { a: at(null), b: at(null) }
    expect(goingOn(knowing(waiting)).completeByMs).toBeNull()
    expect(goingOn(knowing(waiting, { endByMs: now + 7 })).completeByMs).toBe(now + 7)
  })

  it('is a minute from now when no step is under way, or when all of those are due', () => {
    expect(goingOn(knowing({ a: at(now), b: at(now - 1) })).completeByMs).toBe(now + 60_000)
    const none = continueJob(knowing({}), { a: { state: 'NotStarted', dispatch: 1 } }, [])
    expect(none).toMatchObject({ job: at(now + 60_000) })
  })

  it('is not later than the end of the whole job, except during compensation (R18)', () => {
    const steps = { a: at(now + 9), b: at(now + 9) }
    expect(goingOn(knowing(steps, { endByMs: now + 7 })).completeByMs).toBe(now + 7)
    const compensation = { since: 'then', by: 'ann', reason: 'x', thenRetry: false }
    expect(goingOn(knowing(steps, { endByMs: now + 7, compensation })).completeByMs).toBe(now + 9)
  })
})

describe('the flag of a job that continues', () => {
  it.each(['parked', 'extendedWait', 'unclaimed'] as const)('is that of a step under way: %s', (kind) => {
    expect(goingOn(knowing({ a: {}, b: { attention: flag(kind, 'b') } })).attention).toEqual(flag(kind, 'b'))
  })

  it('is not that of a step that is not under way or has ended', () => {
    const state = knowing({ a: {}, b: { attention: flag('parked', 'b') } })
    expect(goingOn(state, 'NotStarted').attention).toBeNull()
    expect(goingOn(knowing({ a: { attention: flag('error') }, b: {} })).attention).toBeNull()
  })

  it('stays while its step is unknown, or known only in an earlier version', () => {
    const attention = flag('parked')
    expect(goingOn(knowing({ b: {} }, { attention })).attention).toEqual(attention)
    expect(goingOn(knowing({ a: { dispatch: 0 }, b: {} }, { attention })).attention).toEqual(attention)
    expect(goingOn(knowing({ a: {}, b: {} }, { attention })).attention).toBeNull()
  })

  it('is current when it names the same step and reason as the flag of the step', () => {
    const isCurrent = (step: Attention | null, attention: Attention | null): boolean =>
      isFlagCurrent(knowing({ a: { attention: step }, b: {} }, { attention }), job.steps)
    expect(isCurrent(null, null)).toBe(true)
    expect(isCurrent(flag('parked'), flag('parked'))).toBe(true)
    expect(isCurrent(flag('parked'), null)).toBe(false)
    expect(isCurrent(null, flag('parked'))).toBe(false)
    expect(isCurrent(flag('parked'), flag('unclaimed'))).toBe(false)
    expect(isCurrent(flag('parked'), flag('parked', 'b'))).toBe(false)
  })
})

describe('a job that ends', () => {
  it('has no owner and no deadline, and records when it ended', () => {
    expect(endJob(knowing({}), { ledger: job.steps, changes: [] }, {})).toMatchObject({
      kind: 'write',
      job: { lockedBy: null, completeByMs: null, attention: null, endedAtMs: now },
      changed: [],
      notices: [],
    })
  })
})
