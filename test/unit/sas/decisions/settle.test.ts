import { describe, expect, it } from 'vitest'
import { decodeDocument } from '../../../../src/sas/model/decode.js'
import { isOpen, settle, type Attempt, type Outcome } from '../../../../src/sas/decisions/settle.js'
import { continuingSchema, type StepDocument } from '../../../../src/sas/model/documents.js'
import { ticketFor } from '../../../../src/sas/model/values/ticket.js'
import { submittedAtMs } from '../../../support/a-job.js'
import { JobStory, longestBackoff, success } from '../../../support/job-story.js'

const options = { completeWithin: '30s', retry: { tries: 9, backoff: { min: '2s', max: '8s' } } } as const
const story = JobStory.submitted({ pay: [] }, options).scheduled()
const step = story.step('pay')
const attempt: Attempt = { number: step.attempt, fence: step.fence, by: 'agents-1' }
const failed: Outcome = { kind: 'failed', message: 'busy' }
const permanent: Outcome = { kind: 'permanent', message: 'no such card', didNothing: true }
const noted = { attempt: 1, at: '2026-01-01T00:00:10.000Z', by: 'agents-1' }

/** Returns the step after an outcome, 10 s into the attempt; fails the test if the outcome is discarded. */
function settled(
  outcome: Outcome,
  at: { readonly step?: StepDocument; readonly now?: number } = {},
): StepDocument {
  const { step: before = step, now = submittedAtMs + 10_000 } = at
  const settlement = settle(before, attempt, outcome, { now, random: longestBackoff })
  if (settlement.kind !== 'write') throw new Error(settlement.reason)
  expect(decodeDocument(settlement.step).kind).toBe('step')
  return settlement.step
}

function reasonOf(outcome: Outcome, before: StepDocument, now: number, by: Attempt = attempt): string | null {
  const settlement = settle(before, by, outcome, { now, random: longestBackoff })
  return settlement.kind === 'discarded' ? settlement.reason : null
}

describe('the settlement of an attempt', () => {
  it('after a success puts the step into its target state, with its output and without a lock', () => {
    expect(settled(success)).toStrictEqual({
      ...step,
      currentState: 'Completed',
      processState: 'Processed',
      output: 'sold',
      lockedBy: null,
      completeBy: null,
      completeByMs: null,
      mayHaveActed: true,
      outcome: { kind: 'success', ...noted, didNothing: false },
    })
  })

  it('removes the progress that the attempt reported', () => {
    const reported = { ...step, progress: { done: 1, of: 2, at: noted.at } }
    for (const outcome of [success, failed, permanent])
      expect(settled(outcome, { step: reported }).progress).toBeNull()
    expect(settled(success)).not.toHaveProperty('progress')
  })

  it('marks a step whose output has parts in the payload store, so that older instances leave it alone', () => {
    const marked = settled({ kind: 'success', output: 'sold', hasTickets: true })
    expect(marked).toMatchObject({ hasTickets: true, schema: continuingSchema })
    expect(settled(success)).not.toHaveProperty('hasTickets')
  })

  it('fails a repeated step for good if its condition asks for a value that is in the payload store', () => {
    const output = { state: ticketFor({ id: 'p', hash: 'h', bytes: 1_000, at: [] }), size: 3 }
    const until = (name: string) => ({
      operator: 'equal',
      of: [{ $from: ['steps', 'pay', 'output', name] }, 3],
    })
    const repeated = (name: string): StepDocument => ({
      ...step,
      repeat: { until: until(name), everyMs: 1_000, atMost: 9 },
      round: { number: 1, first: 1, until: until(name), previous: null },
    })
    const refused = settled({ kind: 'success', output, hasTickets: true }, { step: repeated('state') })
    expect(refused).toMatchObject({ processState: 'Error', output: null, outcome: { kind: 'permanent' } })
    expect(refused.attention?.message).toContain('the condition asks for a large value')
    const done = settled({ kind: 'success', output, hasTickets: true }, { step: repeated('size') })
    expect(done.processState).toBe('Processed')
  })

  it('with an output too large for a transaction with its undo fails the step for good (F-A17)', () => {
    const undo = { actor: 'shop', action: 'takeBack', input: null, failureCount: 0, whenUncertain: true }
    const inputTemplate = { $from: ['steps', 'pay', 'output'] }
    const before = { ...step, undo: { ...undo, inputTemplate } }
    const output = 'x'.repeat(960_000)
    const after = settled({ kind: 'success', output }, { step: before })
    expect(after).toMatchObject({ processState: 'Error', output: null, mayHaveActed: true })
    expect(after.attention?.message).toMatch(
      /^the output has 960002 bytes, and with the input and undo 192\d{4} bytes; the limit is 1900000: store the output elsewhere/u,
    )
    expect(settled({ kind: 'success', output }).processState).toBe('Processed')
  })

  it('after a failure notes it and moves the deadline to the back-off’s end (R58, R78, R107)', () => {
    expect(settled(failed)).toStrictEqual({
      ...step,
      completeBy: '2026-01-01T00:00:12.000Z',
      completeByMs: submittedAtMs + 12_000,
      mayHaveActed: true,
      outcome: { kind: 'failed', ...noted, didNothing: false },
      diagnostics: [{ at: '2026-01-01T00:00:10.000Z', by: 'agents-1', attempt: 1, message: 'busy' }],
    })
  })

  it.each([
    [1, 2_000],
    [2, 4_000],
    [3, 8_000],
    [7, 8_000],
  ])('after failed attempt %d waits %d ms', (number, waitMs) => {
    const now = submittedAtMs + 1_000
    const settlement = settle(step, { ...attempt, number }, failed, { now, random: longestBackoff })
    expect(settlement).toMatchObject({ step: { completeByMs: now + waitMs } })
  })

  it.each([
    { failureCount: 1, maxFailures: 2 },
    { failureCount: 2, maxFailures: 2 },
  ])('after the last attempt does not wait: %j', (failures) => {
    const now = submittedAtMs + 1_000
    const settlement = settle({ ...step, ...failures }, attempt, failed, { now, random: longestBackoff })
    expect(settlement).toMatchObject({ step: { completeByMs: now, processState: 'Processing' } })
  })

  it('after a failure never postpones the deadline', () => {
    expect(settled(failed, { now: submittedAtMs + 29_000 }).completeByMs).toBe(submittedAtMs + 30_000)
  })

  it('after a permanent failure flags the step at once and counts the failure (R79, F-A16)', () => {
    expect(settled(permanent)).toStrictEqual({
      ...step,
      processState: 'Error',
      lockedBy: null,
      failureCount: 1,
      completeBy: null,
      completeByMs: null,
      mayHaveActed: false,
      outcome: { kind: 'permanent', ...noted, didNothing: true },
      diagnostics: [{ at: '2026-01-01T00:00:10.000Z', by: 'agents-1', attempt: 1, message: 'no such card' }],
      attention: {
        kind: 'error',
        since: '2026-01-01T00:00:10.000Z',
        by: 'agents-1',
        message: 'no such card',
        stepId: 'pay',
      },
    })
  })

  it('after a permanent failure assumes an effect unless the agent rules it out', () => {
    expect(settled({ kind: 'permanent', message: 'no' })).toMatchObject({
      mayHaveActed: true,
      outcome: { kind: 'permanent', didNothing: false },
    })
  })

  const undoing = { ...step, direction: 'undo' as const, processState: 'Compensating' as const }

  it('of an undo succeeds, however large the output of its step is', () => {
    const large = { ...undoing, desiredState: step.initialState, output: 'x'.repeat(1_950_000) }
    expect(settled(success, { step: large }).processState).toBe('Compensated')
  })

  it('of an undo does not change `mayHaveActed`', () => {
    expect(settled(failed, { step: undoing }).mayHaveActed).toBe(false)
    expect(settled(failed, { step: { ...undoing, mayHaveActed: true } }).mayHaveActed).toBe(true)
  })

  it('cuts a huge message wherever it is stored (F-A19)', () => {
    const flagged = settled({ kind: 'permanent', message: 'x'.repeat(5_000_000) })
    expect(flagged.attention?.message).toHaveLength(2_000)
    expect(JSON.stringify(flagged).length).toBeLessThan(10_000)
  })
})

describe('an outcome', () => {
  it.each([success, failed, permanent])(
    'of an earlier attempt is discarded: $kind (R84, F-A10, F-D7)',
    (outcome) => {
      const again = story.expired('pay').scheduled()
      expect(reasonOf(outcome, again.step('pay'), again.now)).toBe(
        'the step was stopped or given to another attempt',
      )
    },
  )

  it.each([success, failed, permanent])(
    'at or after the deadline is discarded: $kind (R62, R75, F-A7)',
    (outcome) => {
      const deadlineMs = submittedAtMs + 30_000
      expect(reasonOf(outcome, step, deadlineMs - 1)).toBeNull()
      expect(reasonOf(outcome, step, deadlineMs)).toBe('the deadline of the attempt has passed')
    },
  )

  it.each([success, failed, permanent])('after a recorded one is discarded: $kind (F-A14)', (outcome) => {
    for (const first of [success, failed, permanent]) {
      expect(reasonOf(outcome, settled(first), submittedAtMs + 10_001)).toBe('the attempt is settled already')
    }
  })

  it('of a step that was given back and not dispatched again is discarded', () => {
    const given = story.expired('pay')
    const { fence } = given.step('pay')
    expect(reasonOf(success, given.step('pay'), given.now, { ...attempt, fence })).toBe(
      'the deadline of the attempt has passed',
    )
  })
})

describe('a step', () => {
  it('is open from its dispatch to its deadline, unless it is settled', () => {
    const submitted = JobStory.submitted({ pay: [] }, options).step('pay')
    expect(isOpen(submitted, submittedAtMs)).toBe(false)
    expect(isOpen(step, submittedAtMs)).toBe(true)
    expect(isOpen(step, submittedAtMs + 30_000)).toBe(false)
    expect(isOpen(settled(failed), submittedAtMs)).toBe(false)
    expect(isOpen({ ...step, completeByMs: null }, submittedAtMs)).toBe(false)
    expect(isOpen({ ...step, direction: 'undo', processState: 'Compensating' }, submittedAtMs)).toBe(true)
  })

  it('is not open when a foreign agent has ended it but still holds its lock', () => {
    expect(isOpen({ ...step, currentState: 'Completed', processState: 'Processed' }, submittedAtMs)).toBe(
      false,
    )
  })
})
