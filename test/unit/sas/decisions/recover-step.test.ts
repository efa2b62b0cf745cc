import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { StepDocument } from '../../../../src/sas/model/documents.js'
import { decodeDocument } from '../../../../src/sas/model/decode.js'
import { graceOf, recoverStep, retireStep } from '../../../../src/sas/decisions/recover-step.js'
import { submittedAtMs } from '../../../support/a-job.js'
import { graceMs, JobStory, success } from '../../../support/job-story.js'
import type { AgentsKnown } from '../../../../src/sas/waiting/agents-position.js'
import { agentsAt, aPosition } from '../../../support/waiting-agents.js'

const options = { completeWithin: '30s', retry: { tries: 3, backoff: { min: 1_000, max: 1_000 } } } as const
const submitted = JobStory.submitted({ pay: [] }, options)
const dispatched = submitted.scheduled()
const failed = { kind: 'failed', message: 'busy' } as const
const late = dispatched.later(30_000 + graceMs)

describe('the supervisor leaves alone', () => {
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

  it('a step that a foreign agent has ended without clearing its deadline', () => {
    const { completeBy, completeByMs } = dispatched.step('pay')
    const done = { ...dispatched.settled('pay', success).step('pay'), completeBy, completeByMs }
    expect(late.withStep(done).recovering('pay')).toEqual({ kind: 'nothing' })
  })

  it('a step until its deadline and the grace have passed', () => {
    const dueMs = submittedAtMs + 30_000 + graceMs
    expect(dispatched.recovering('pay')).toEqual({ kind: 'wait', untilMs: dueMs })
    expect(late.later(-1).recovering('pay')).toEqual({ kind: 'wait', untilMs: dueMs })
    expect(late.recovering('pay').kind).toBe('retry')
  })
})

describe('the time that is added for clocks that differ', () => {
  const free = { ...dispatched.step('pay'), lockedBy: null, notBeforeMs: submittedAtMs + 1_000 }
  const place = { entry: 1, gates: [], waitsFor: null, turn: null, since: null, reservedMs: null }

  it.each<[string, StepDocument, number]>([
    ['an attempt under way', dispatched.step('pay'), graceMs],
    ['an attempt that has reported its failure', dispatched.settled('pay', failed).step('pay'), 0],
    ['a step between two rounds', free, 0],
    ['a step that no scheduler has taken', { ...free, notBeforeMs: null }, graceMs],
    ['a step that has left its limit', { ...free, place }, 0],
    ['a step that waits at a limit', { ...free, place: { ...place, waitsFor: 'bank' } }, graceMs],
    ['a step whose rate has reserved a time', { ...free, place: { ...place, reservedMs: 1 } }, graceMs],
    ['a sleep', { ...free, kind: 'sleep' }, graceMs],
  ])('of %s', (_what, step, expected) => {
    expect(graceOf(step, graceMs)).toBe(expected)
  })
})

describe('an attempt that may still wait for a slot (I44)', () => {
  const policy = { now: late.now, graceMs, supervisor: 'supervisor-1' }
  const dispatchedAt = Math.floor(submittedAtMs / 1_000)
  const dispatchedMs = dispatchedAt * 1_000
  const decided = (step: StepDocument, agents: AgentsKnown, now = policy.now) =>
    recoverStep({ ...step, _ts: dispatchedAt }, { ...policy, now, agents })
  const notReached = agentsAt(aPosition(dispatchedMs))
  const inLine = agentsAt(aPosition(late.now, { shop: dispatchedMs }))

  it.each([
    ['have not come to its dispatch', notReached],
    ['have a line since its dispatch', inLine],
    ['have not come to its dispatch in one of two ranges', agentsAt(aPosition(late.now), aPosition(1))],
  ])('is left alone if its agents %s, and is looked at again later', (_what, agents) => {
    const dueMs = submittedAtMs + 30_000
    const untilMs = late.now + (late.now - dispatchedMs) / 2
    expect(decided(late.step('pay'), agents)).toEqual({ kind: 'inLine', untilMs, dueMs })
    const afterAnHour = submittedAtMs + 3_600_000
    const later = { kind: 'inLine', untilMs: afterAnHour + 600_000, dueMs }
    expect(decided(late.step('pay'), agents, afterAnHour)).toEqual(later)
  })

  it('is looked at again after five seconds if it is young', () => {
    const step = { ...late.step('pay'), completeByMs: submittedAtMs + 1 }
    const now = submittedAtMs + graceMs + 1
    expect(decided(step, notReached, now)).toMatchObject({ kind: 'inLine', untilMs: now + 5_000 })
  })

  it.each<[string, AgentsKnown]>([
    ['agents have come further', agentsAt(aPosition(dispatchedMs + 1))],
    ['only younger steps of its agent wait', agentsAt(aPosition(late.now, { shop: dispatchedMs + 1 }))],
    ['only steps of other agents wait', agentsAt(aPosition(late.now, { bank: 0 }))],
    ['agents of this process have begun it', { ...notReached, hasBegun: () => true }],
    ['there are no leases of agents', agentsAt()],
  ])('counts as failed if %s', (_when, agents) => {
    expect(decided(late.step('pay'), agents).kind).toBe('retry')
  })

  it('counts as failed if a process has said that it makes the attempt', () => {
    const { fence } = late.step('pay')
    const claim = { by: 'agents-1', token: 't', fence, at: '2026-01-01T00:00:00.000Z' }
    expect(decided({ ...late.step('pay'), claim }, notReached).kind).toBe('retry')
    expect(decided({ ...late.step('pay'), claim: { ...claim, fence: fence - 1 } }, notReached).kind).toBe(
      'inLine',
    )
  })

  it('is left alone also if it needs a claim, and otherwise offered again', () => {
    const step = { ...late.step('pay'), isClaimRequired: true }
    expect(decided(step, inLine).kind).toBe('inLine')
    expect(decided(step, agentsAt(aPosition(late.now))).kind).toBe('unclaimed')
  })

  it('does not hold up a failure that was reported, or a step that no scheduler has taken', () => {
    expect(decided(dispatched.settled('pay', failed).later(40_000).step('pay'), notReached).kind).toBe(
      'retry',
    )
    expect(decided({ ...late.step('pay'), lockedBy: null }, notReached).kind).toBe('unclaimed')
  })

  it('is offered again without a failure if no instance reads its range, each time longer', () => {
    const agents = agentsAt(aPosition(dispatchedMs, { shop: 0 }, true))
    const before = late.step('pay')
    const once = decided(before, agents)
    if (once.kind !== 'unclaimed') throw new Error(once.kind)
    const message = 'no agent "shop" took the step within 30000 ms: check that one is running'
    expect(once.step).toMatchObject({
      processState: 'Pending',
      failureCount: 0,
      fence: before.fence + 1,
      mayHaveActed: true,
      lateDispatches: 1,
      attention: { kind: 'unclaimed', stepId: 'pay', message },
      completeByMs: late.now + 30_000,
    })
    const anHour = 3_600_000
    const flagged = { ...before, attention: once.step.attention, lateDispatches: 1 }
    const twice = decided(flagged, agents, late.now + anHour / 2)
    expect(twice).toMatchObject({ kind: 'unclaimed', step: { completeByMs: late.now + anHour } })
  })

  it('is left alone if the line of other agents holds up the feed, or if another range may have it', () => {
    expect(decided(late.step('pay'), agentsAt(aPosition(dispatchedMs, { bank: 0 }))).kind).toBe('inLine')
    const away = aPosition(dispatchedMs, {}, true)
    expect(decided(late.step('pay'), agentsAt(away, aPosition(1, { shop: 0 }))).kind).toBe('inLine')
  })

  it('is looked at again soon while an owner has not read its range yet', () => {
    const afterAnHour = submittedAtMs + 3_600_000
    const beginning = agentsAt(aPosition(0))
    expect(decided(late.step('pay'), beginning, afterAnHour)).toMatchObject({ untilMs: afterAnHour + 30_000 })
  })

  it('counts as failed if agents claimed it when its time was up, although this was written after the deadline', () => {
    const step = late.step('pay')
    const at = (ms: number) => new Date((step.completeByMs ?? 0) + ms).toISOString()
    const claimed = (ms: number) => ({
      ...step,
      claim: { by: 'agents-1', token: 't', fence: step.fence, at: at(ms) },
      _ts: Math.ceil(late.now / 1_000),
    })
    expect(recoverStep(claimed(0), policy).kind).toBe('retry')
    // This claim is older than the deadline, so it was written too late because clocks disagree.
    expect(recoverStep(claimed(-1), policy).kind).toBe('unclaimed')
    // This claim is that of an earlier attempt.
    const { claim } = claimed(1)
    const earlier = { ...claimed(1), claim: { ...claim, fence: claim.fence - 1 } }
    expect(recoverStep(earlier, policy).kind).toBe('unclaimed')
  })
})

describe('an attempt that was not done in time', () => {
  it('counts as failed; its step is offered again with a new fence and deadline (R34, R88, R90)', () => {
    expect(late.recovering('pay')).toStrictEqual({
      kind: 'retry',
      step: {
        ...late.step('pay'),
        processState: 'Pending',
        lockedBy: null,
        failureCount: 1,
        fence: 2,
        mayHaveActed: true,
        completeBy: '2026-01-01T00:01:02.000Z',
        completeByMs: late.now + 30_000,
      },
    })
  })

  it('is retried when the back-off after a reported failure has passed (R64)', () => {
    const reported = dispatched.settled('pay', failed)
    // No outcome of the attempt could still count, so no time is added for clocks that differ.
    expect(reported.recovering('pay')).toEqual({ kind: 'wait', untilMs: submittedAtMs + 1_000 })
    expect(reported.later(999).recovering('pay').kind).toBe('wait')
    expect(reported.later(1_000).recovering('pay').kind).toBe('retry')
  })

  it('flags its step when the failures reach the number of tries (R5, R91, F-V15, C7)', () => {
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

  it('flags its step with the last message of the agent', () => {
    const once = JobStory.submitted({ pay: [] }, { ...options, retry: { tries: 1 } })
    const story = once.scheduled().settled('pay', failed).later(60_000)
    expect(story.recovering('pay')).toMatchObject({
      kind: 'exhausted',
      step: { attention: { message: 'given up after 1 failed attempt: busy' } },
    })
  })

  it('leads to a flagged extended wait where the workflow says so, and is tried again after it', () => {
    const wait = { ...options, retry: { tries: 1 }, onExhausted: { extendedWait: '1h' } } as const
    const story = JobStory.submitted({ pay: [] }, wait).scheduled()
    const given = story.later(30_000 + graceMs)
    const untilMs = given.now + 3_600_000
    expect(given.recovering('pay')).toMatchObject({
      kind: 'exhausted',
      step: {
        processState: 'Pending',
        notBeforeMs: untilMs,
        completeByMs: untilMs,
        attention: { kind: 'extendedWait' },
      },
    })
    const waited = given.expired('pay').later(3_600_000)
    expect(waited.recovering('pay')).toMatchObject({
      kind: 'due',
      step: { notBeforeMs: null, failureCount: 1, completeByMs: waited.now + 30_000 },
    })
  })

  it('flags the step for good, without an extended wait, when it was the last of an undo (R111)', () => {
    const wait = { ...options, undo: true, retry: { tries: 1 }, onExhausted: { extendedWait: '1h' } } as const
    const done = JobStory.submitted({ pay: [], ship: ['pay'] }, wait)
      .scheduled()
      .settled('pay', success)
    const cancel = { kind: 'cancel', by: 'ann', why: 'x' } as const
    const undoing = done.scheduled().commanded(cancel).scheduled().expired('ship').scheduled()
    const back = undoing.concluded('ship')
    expect(back.step('pay').direction).toBe('undo')
    expect(back.expired('pay').step('pay')).toMatchObject({
      processState: 'Error',
      attention: { kind: 'compensationFailed' },
      notBeforeMs: null,
    })
  })

  it('leaves documents that decode', () => {
    for (const recovery of [late.recovering('pay'), late.expired('pay').later(90_000).recovering('pay')]) {
      expect('step' in recovery && decodeDocument(recovery.step).kind).toBe('step')
    }
  })
})

describe('a step that fails again and again', () => {
  it('stays small, whatever it reports (F-X10, I16)', () => {
    let story = JobStory.submitted({ pay: [] }, { completeWithin: '30s', retry: { tries: 100 } }).scheduled()
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
  it('does not depend on the input and output of the step (I19, R100)', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.nat(120_000), (input, output, ms) => {
        const { step, now } = { step: dispatched.step('pay'), now: dispatched.now + ms }
        const policy = { now, graceMs, supervisor: 'supervisor-1' }
        const opaque = { ...step, input, inputTemplate: input, output } as StepDocument
        const [plain, other] = [recoverStep(step, policy), recoverStep(opaque, policy)]
        const envelopeOf = (recovery: typeof plain) =>
          'step' in recovery ? { ...recovery.step, input: 0, inputTemplate: 0, output: 0 } : null
        expect(other.kind).toBe(plain.kind)
        expect(envelopeOf(other)).toEqual(envelopeOf(plain))
      }),
      { numRuns: 50 },
    )
  })
})

describe('a step that no scheduler took up', () => {
  it('is flagged and offered again, and no failure is counted (C8)', () => {
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
          message: 'no scheduler took the step within 30000 ms: check that one is running',
          stepId: 'pay',
        },
        completeBy: new Date(ignored.now + 30_000).toISOString(),
        completeByMs: ignored.now + 30_000,
      },
    })
  })
})

describe('an attempt that must be claimed', () => {
  it('is flagged and offered again when no agent claims it (F-A22)', () => {
    const offered = JobStory.submitted({ pay: [] }, { ...options, claim: true }).scheduled()
    const recovery = offered.later(30_000 + graceMs).recovering('pay')
    expect(recovery).toMatchObject({
      kind: 'unclaimed',
      step: {
        attention: { message: 'no agent "shop" took the step within 30000 ms: check that one is running' },
      },
    })
  })
})

describe('a dispatch that was stored after its deadline', () => {
  /** Returns the step as the store has it if it was written `lateMs` after its deadline. */
  const writtenLate = (story: JobStory, lateMs: number) => {
    const step = story.step('pay')
    return { ...step, _ts: Math.floor(((step.completeByMs ?? 0) + lateMs) / 1_000) }
  }
  const recovered = (story: JobStory, lateMs: number) =>
    recoverStep(writtenLate(story, lateMs), { now: story.now, graceMs, supervisor: 'supervisor-1' })
  const stored = (recovery: ReturnType<typeof recoverStep>): StepDocument => {
    if (!('step' in recovery)) throw new Error(recovery.kind)
    return recovery.step
  }

  it('is not counted as an attempt, but flagged and repeated after a pause', () => {
    expect(recovered(late, 0)).toMatchObject({
      kind: 'unclaimed',
      step: {
        processState: 'Pending',
        failureCount: 0,
        lateDispatches: 1,
        lockedBy: null,
        fence: 2,
        notBeforeMs: late.now + 1_000,
        completeByMs: late.now + 1_000,
        attention: { kind: 'unclaimed', message: expect.stringContaining('clocks') as unknown },
      },
    })
    expect(decodeDocument(stored(recovered(late, 0))).kind).toBe('step')
  })

  it('counts as a failure if time was left, an outcome exists, or the store’s time is unknown', () => {
    expect(recovered(late, -1_000).kind).toBe('retry')
    expect(late.recovering('pay').kind).toBe('retry')
    const answered = dispatched.settled('pay', failed).later(60_000)
    expect(recovered(answered, 60_000).kind).toBe('retry')
  })

  it('counts as a failure if no agent is involved, as in a step that waits for an event', () => {
    const waiting = late.withStep({ ...late.step('pay'), kind: 'waitFor' })
    expect(recovered(waiting, 5_000).kind).toBe('retry')
  })

  it('uses no attempts: its pauses double up to an hour, and its flag keeps the first time', () => {
    for (const direction of ['do', 'undo'] as const) {
      let story = dispatched.withStep({ ...dispatched.step('pay'), direction })
      const pausesMs: number[] = []
      for (let times = 0; times < 15; times += 1) {
        story = story.later(Math.max(0, (story.step('pay').completeByMs ?? 0) + graceMs - story.now))
        const step = stored(recovered(story, 5_000))
        expect(step.attention?.since).toBe(story.step('pay').attention?.since ?? step.attention?.since)
        expect([step.failureCount, step.undo?.failureCount ?? 0]).toEqual([0, 0])
        pausesMs.push((step.notBeforeMs ?? 0) - story.now)
        const due = story.withStep(step).later((step.notBeforeMs ?? 0) + graceMs - story.now)
        story = due.withStep({ ...stored(due.recovering('pay')), lockedBy: 'scheduler-1' })
      }
      expect(pausesMs.slice(0, 4)).toEqual([1_000, 2_000, 4_000, 8_000])
      expect(pausesMs.at(-1)).toBe(3_600_000)
    }
  })

  it('is repeated when clocks agree again, and its step loses the flag when it succeeds or fails', () => {
    const postponed = late.withStep(stored(recovered(late, 0))).later(1_000 + graceMs)
    const again = postponed.withStep(stored(postponed.recovering('pay'))).scheduled()
    expect(again.step('pay')).toMatchObject({ processState: 'Processing', attention: { kind: 'unclaimed' } })
    const done = again.settled('pay', success)
    expect(done.step('pay').attention).toBeNull()
    expect(done.scheduled().job).toMatchObject({ processState: 'Processed', attention: null })
    const failedOnce = again.expired('pay').step('pay')
    expect(failedOnce).toMatchObject({ failureCount: 1, lateDispatches: 0, attention: null })
  })
})

describe('a step whose job has ended', () => {
  it('may have acted if it was under way when it was stopped (F-V25, F-K2)', () => {
    expect(retireStep(dispatched.step('pay'))).toMatchObject({ lockedBy: null, mayHaveActed: true, fence: 2 })
  })

  it('has done nothing if it was never dispatched', () => {
    expect(retireStep(submitted.step('pay'))).toMatchObject({ lockedBy: null, mayHaveActed: false })
  })
})

describe('a step that is never taken up', () => {
  it('is offered for about twice as long each time, up to an hour', () => {
    let story = late.expired('pay')
    const offersMs: number[] = []
    for (let times = 0; times < 10; times += 1) {
      story = story.expired('pay')
      offersMs.push((story.step('pay').completeByMs ?? 0) - story.now)
    }
    expect(offersMs.slice(0, 5)).toEqual([30_000, 32_000, 66_000, 134_000, 270_000])
    expect(offersMs.at(-1)).toBe(3_600_000)
  })

  it('is offered for at least the time that an attempt may take', () => {
    const slow = JobStory.submitted({ pay: [] }, { completeWithin: '2h' }).scheduled().expired('pay')
    const offered = slow.expired('pay').expired('pay')
    expect(offered.step('pay').completeByMs).toBe(offered.now + 2 * 3_600_000)
  })

  it('is dispatched at once by a scheduler that starts in the middle of a long offer', () => {
    let story = late.expired('pay')
    for (let times = 0; times < 8; times += 1) story = story.expired('pay')
    expect(story.later(5).scheduled().step('pay')).toMatchObject({
      processState: 'Processing',
      completeByMs: story.now + 5 + 30_000,
      attention: null,
    })
  })
})
