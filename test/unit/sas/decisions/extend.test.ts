import { describe, expect, it } from 'vitest'
import type { StepDocument } from '../../../../src/sas/model/documents.js'
import { withDerivedState } from '../../../../src/sas/model/process-state.js'
import { extend } from '../../../../src/sas/decisions/extend.js'
import { submittedAtMs } from '../../../support/a-job.js'
import { JobStory, success } from '../../../support/job-story.js'

const story = JobStory.submitted({ pay: [] }, { completeWithin: '30s' }).scheduled()
const open = story.step('pay')
const ours = { fence: open.fence, by: 'agents-1', token: 't1' }

function extendedAfter(ms: number, endByMs: number | null = null, step: StepDocument = open) {
  return extend(step, ours, { now: submittedAtMs + ms, endByMs })
}

function writtenAfter(ms: number, endByMs: number | null = null, step: StepDocument = open): StepDocument {
  const extension = extendedAfter(ms, endByMs, step)
  if (extension.kind !== 'write') throw new Error(`the extension is ${extension.kind}`)
  return extension.step
}

describe('the extension of an open attempt (F-A25)', () => {
  it('moves the deadline to a whole completeWithin from now, and records its claim', () => {
    const extended = writtenAfter(20_000)
    expect(extended).toEqual({
      ...open,
      completeBy: new Date(submittedAtMs + 50_000).toISOString(),
      completeByMs: submittedAtMs + 50_000,
      claim: { ...ours, at: new Date(submittedAtMs + 20_000).toISOString() },
    })
    expect(withDerivedState(extended)).toEqual(extended)
    expect(writtenAfter(40_000, null, extended).completeByMs).toBe(submittedAtMs + 70_000)
  })

  it('is not written while more than half of the time is left', () => {
    expect(extendedAfter(14_999)).toEqual({ kind: 'unchanged' })
    expect(extendedAfter(15_000).kind).toBe('write')
  })

  it('ends with the deadline of the job, except for an undo (F-Q13)', () => {
    expect(writtenAfter(20_000, submittedAtMs + 40_000).completeByMs).toBe(submittedAtMs + 40_000)
    expect(extendedAfter(20_000, submittedAtMs + 30_000)).toEqual({ kind: 'unchanged' })
    const undoing = { ...open, direction: 'undo' as const }
    expect(writtenAfter(20_000, submittedAtMs + 30_000, undoing).completeByMs).toBe(submittedAtMs + 50_000)
  })

  it('writes a report of progress, and another only after ten seconds', () => {
    const reported = (afterMs: number, step: StepDocument, done: number) =>
      extend(step, ours, { now: submittedAtMs + afterMs, endByMs: null, progress: { done, of: 9 } })
    const first = reported(1_000, open, 1)
    if (first.kind !== 'write') throw new Error(`the report is ${first.kind}`)
    expect(first.step.progress).toEqual({ done: 1, of: 9, at: new Date(submittedAtMs + 1_000).toISOString() })
    expect(first.step.completeByMs).toBe(submittedAtMs + 31_000)
    expect(story.withStep(first.step).settled('pay', success).step('pay').progress).toBeNull()
    expect(reported(10_999, first.step, 2)).toEqual({ kind: 'unchanged' })
    expect(reported(11_000, first.step, 3)).toMatchObject({ step: { progress: { done: 3 } } })
    const early = { now: submittedAtMs + 2_000, endByMs: submittedAtMs + 20_000, progress: { note: 'soon' } }
    expect(extend(open, ours, early)).toMatchObject({ step: { completeByMs: open.completeByMs } })
  })

  it('makes the supervisor leave the step alone until its new deadline', () => {
    const late = story.withStep(writtenAfter(20_000)).later(40_000)
    expect(late.recovering('pay')).toEqual({ kind: 'wait', untilMs: submittedAtMs + 52_000 })
    expect(late.settled('pay', success).step('pay').processState).toBe('Processed')
    expect(late.expired('pay').step('pay')).toMatchObject({ failureCount: 1, processState: 'Pending' })
  })
})

describe('an extension (I3)', () => {
  it.each([
    ['after the deadline', extendedAfter(30_000), 'the deadline of the attempt has passed'],
    [
      'for an earlier attempt',
      extend({ ...open, fence: open.fence + 1 }, ours, { now: submittedAtMs + 20_000, endByMs: null }),
      'the step was stopped or given to another attempt',
    ],
    [
      'once the outcome stands',
      extendedAfter(20_000, null, story.settled('pay', { kind: 'failed', message: 'busy' }).step('pay')),
      'the attempt is settled already',
    ],
    [
      'beside another process that makes the same attempt',
      extendedAfter(20_000, null, { ...open, claim: { ...ours, token: 't2', at: 'now' } }),
      'another process makes this attempt',
    ],
  ])('is refused %s', (_what, extension, reason) => {
    expect(extension).toEqual({ kind: 'refused', reason })
  })

  it('is not prevented by the claim of an earlier attempt', () => {
    const earlier = { ...open, claim: { ...ours, fence: open.fence - 1, token: 't2', at: 'now' } }
    expect(writtenAfter(20_000, null, earlier).claim?.token).toBe('t1')
  })
})

describe('an attempt that begins late, because its step waited for a slot (I44)', () => {
  const late = { isFirst: true }
  const begunAfter = (ms: number, step: StepDocument = open, endByMs: number | null = null) =>
    extend(step, ours, { now: submittedAtMs + ms, endByMs, late })

  it('gets its whole time from now, even if its deadline has passed', () => {
    const begun = begunAfter(100_000)
    expect(begun).toMatchObject({ step: { completeByMs: submittedAtMs + 130_000, mayHaveActed: false } })
    expect(begun).toMatchObject({ step: { fence: open.fence, claim: ours, failureCount: 0 } })
    expect(extendedAfter(100_000).kind).toBe('refused')
  })

  it('gets mayHaveActed if another process may have begun it, unless it is an undo', () => {
    const again = { now: submittedAtMs + 100_000, endByMs: null, late: { isFirst: false } }
    expect(extend(open, ours, again)).toMatchObject({ step: { mayHaveActed: true } })
    const undoing = { ...open, direction: 'undo' as const }
    expect(extend(undoing, ours, again)).toMatchObject({ step: { mayHaveActed: false } })
  })

  it('is refused if the time of the job is over, if another attempt has the step, or if a process makes it', () => {
    expect(begunAfter(100_000, open, submittedAtMs + 100_000).kind).toBe('refused')
    expect(begunAfter(100_000, open, submittedAtMs + 100_001)).toMatchObject({
      step: { completeByMs: submittedAtMs + 100_001 },
    })
    expect(begunAfter(100_000, { ...open, fence: open.fence + 1 }).kind).toBe('refused')
    const taken = { ...open, claim: { ...ours, token: 'other', at: '2026-01-01T00:00:00.000Z' } }
    expect(begunAfter(100_000, taken).kind).toBe('refused')
    expect(begunAfter(100_000, story.settled('pay', success).step('pay')).kind).toBe('refused')
  })
})
