import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeDocument, type StepDocument } from '../../../src/sas/documents.js'
import { recover } from '../../../src/sas/recover.js'
import { submittedAtMs } from '../../support/a-job.js'
import { graceMs, JobStory, success } from '../../support/job-story.js'

const options = { completeWithin: '30s', maxFailures: 3, retryBackoff: { min: 1_000, max: 1_000 } } as const
const submitted = JobStory.submitted({ pay: [] }, options)
const dispatched = submitted.scheduled()
const failed = { kind: 'failed', message: 'busy' } as const
const late = dispatched.later(30_000 + graceMs)

describe('what the supervisor leaves alone', () => {
  it.each([
    ['a step that was never dispatched', submitted.later(3_600_000)],
    ['F-D6: a step that is done', dispatched.settled('pay', success).later(3_600_000)],
    [
      'a step that is flagged',
      dispatched.settled('pay', { kind: 'permanent', message: 'no' }).later(3_600_000),
    ],
  ])('%s', (_what, story) => {
    expect(story.recovering('pay')).toEqual({ kind: 'nothing' })
  })

  it('a deadline that is ahead, the grace included', () => {
    const dueMs = submittedAtMs + 30_000 + graceMs
    expect(dispatched.recovering('pay')).toEqual({ kind: 'wait', untilMs: dueMs })
    expect(late.later(-1).recovering('pay')).toEqual({ kind: 'wait', untilMs: dueMs })
    expect(late.recovering('pay').kind).toBe('retry')
  })
})

describe('an attempt that was not done in time', () => {
  it('counts as failed; the step is up again, with a higher fence and a pick-up ultimatum (R34, R88, R90)', () => {
    expect(late.recovering('pay')).toStrictEqual({
      kind: 'retry',
      step: {
        ...late.step('pay'),
        processState: 'Pending',
        lockedBy: null,
        failureCount: 1,
        fence: 2,
        completeBy: '2026-01-01T00:01:02.000Z',
        completeByMs: late.now + 30_000,
      },
    })
  })

  it('R64: is retried when its reported failure’s back-off has passed', () => {
    const reported = dispatched.settled('pay', failed)
    expect(reported.recovering('pay')).toEqual({ kind: 'wait', untilMs: submittedAtMs + 1_000 + graceMs })
    expect(reported.later(1_000 + graceMs).recovering('pay').kind).toBe('retry')
  })

  it('R5, R91, F-V15: the last allowed one flags the step; equal to the threshold is exhausted (C7)', () => {
    const second = dispatched.expired('pay').scheduled().expired('pay')
    expect(second.step('pay')).toMatchObject({ failureCount: 2, processState: 'Pending' })
    const third = second.scheduled().later(30_000 + graceMs)
    const recovery = third.recovering('pay')
    expect(recovery).toStrictEqual({
      kind: 'exhausted',
      step: {
        ...third.step('pay'),
        processState: 'Error',
        lockedBy: null,
        failureCount: 3,
        fence: 6,
        completeBy: null,
        completeByMs: null,
        attention: {
          kind: 'error',
          since: new Date(third.now).toISOString(),
          by: 'supervisor-1',
          message: 'given up after 3 failed attempts: no answer before the deadline',
          stepId: 'pay',
        },
      },
    })
  })

  it('flags the step with what the agent last said', () => {
    const once = JobStory.submitted({ pay: [] }, { ...options, maxFailures: 1 })
    const story = once.scheduled().settled('pay', failed).later(60_000)
    expect(story.recovering('pay')).toMatchObject({
      kind: 'exhausted',
      step: { attention: { message: 'given up after 1 failed attempt: busy' } },
    })
  })

  it('leaves documents that can be read again', () => {
    for (const recovery of [late.recovering('pay'), late.expired('pay').later(90_000).recovering('pay')]) {
      expect('step' in recovery && decodeDocument(recovery.step).kind).toBe('step')
    }
  })
})

describe('a step that fails again and again', () => {
  it('F-X10, I16: stays small, whatever it reports', () => {
    let story = JobStory.submitted({ pay: [] }, { completeWithin: '30s', maxFailures: 100 }).scheduled()
    for (let failures = 1; failures < 100; failures += 1) {
      story = story
        .settled('pay', { kind: 'failed', message: 'x'.repeat(10_000) })
        .expired('pay')
        .scheduled()
    }
    expect(story.step('pay').failureCount).toBe(99)
    expect(JSON.stringify(story.step('pay')).length).toBeLessThan(50_000)
  })
})

describe('a recovery', () => {
  it('I19, R100: is the same whatever the step is about', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.nat(120_000), (input, output, ms) => {
        const { step, now } = { step: dispatched.step('pay'), now: dispatched.now + ms }
        const policy = { now, graceMs, supervisor: 'supervisor-1' }
        const opaque = { ...step, input, inputTemplate: input, output } as StepDocument
        const [plain, other] = [recover(step, policy), recover(opaque, policy)]
        const envelopeOf = (recovery: typeof plain) =>
          'step' in recovery ? { ...recovery.step, input: 0, inputTemplate: 0, output: 0 } : null
        expect(other.kind).toBe(plain.kind)
        expect(envelopeOf(other)).toEqual(envelopeOf(plain))
      }),
      { numRuns: 50 },
    )
  })
})

describe('a step that nobody took up', () => {
  it('is offered again without counting (C8)', () => {
    const given = late.expired('pay')
    const ignored = given.later(30_000 + graceMs)
    expect(ignored.recovering('pay')).toStrictEqual({
      kind: 'unclaimed',
      step: {
        ...given.step('pay'),
        fence: 3,
        attention: {
          kind: 'unclaimed',
          since: new Date(ignored.now).toISOString(),
          by: 'supervisor-1',
          message: 'no scheduler took it up in 30000 ms: see that one runs',
          stepId: 'pay',
        },
        completeBy: new Date(ignored.now + 30_000).toISOString(),
        completeByMs: ignored.now + 30_000,
      },
    })
  })
})
