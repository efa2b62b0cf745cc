import { describe, expect, it } from 'vitest'
import { raiseEvent } from '../../../../src/sas/decisions/operator/raise-event.js'
import { extend } from '../../../../src/sas/decisions/extend.js'
import { recoverJob } from '../../../../src/sas/decisions/recover-job.js'
import { recoverStep } from '../../../../src/sas/decisions/recover-step.js'
import type { JobDocument, StepDocument } from '../../../../src/sas/model/documents.js'
import { plannedStep } from '../../../../src/sas/plan/planned-plan.js'
import { aWorkflow, submittedAtMs } from '../../../support/a-job.js'
import { graceMs, JobStory } from '../../../support/job-story.js'
import { agentsAt, aPosition } from '../../../support/waiting-agents.js'

const supervisor = 'supervisor-1'
const minuteMs = 60_000
const _ts = submittedAtMs / 1_000

/** A step that no agents read, after it was offered again this many times. */
function offeredAgain(times: number): JobStory {
  let story = JobStory.submitted({ pay: [] }, { completeWithin: '30s', undo: true }).scheduled()
  for (let offers = 0; offers < times; offers += 1) {
    const step = story.step('pay')
    const dueMs = (step.completeByMs ?? 0) + graceMs
    story = story.later(dueMs - story.now)
    const agents = agentsAt(aPosition(0, {}, true))
    const recovery = recoverStep({ ...step, _ts: 0 }, { now: story.now, graceMs, supervisor, agents })
    if (recovery.kind !== 'unclaimed') throw new Error(recovery.kind)
    const { _ts: _none, ...again } = recovery.step as StepDocument & { readonly _ts: number }
    story = story.withStep(again).scheduled()
  }
  return story
}

describe('a step that is offered for long because no agents read it', () => {
  it('keeps its flag, and its offers become longer than an attempt', () => {
    const step = offeredAgain(9).step('pay')
    expect(step).toMatchObject({ attention: { kind: 'unclaimed' }, lateDispatches: 9, failureCount: 0 })
    expect((step.completeByMs ?? 0) - offeredAgain(9).now).toBeGreaterThan(10 * minuteMs)
  })

  it('gets the time of one attempt when an agent begins it, and loses the flag', () => {
    const story = offeredAgain(9)
    const step = story.step('pay')
    const claimant = { fence: step.fence, by: 'agents-1', token: 't' }
    const extension = extend(step, claimant, { now: story.now, endByMs: null, late: { isFirst: true } })
    expect(extension).toMatchObject({
      kind: 'write',
      step: {
        completeByMs: story.now + 30_000,
        attention: null,
        lateDispatches: 0,
        claim: { by: 'agents-1' },
      },
    })
  })

  it('gets this time by the clock of the store if the clock of the agent is slow', () => {
    const story = offeredAgain(9)
    const step = { ...story.step('pay'), _ts: story.now / 1_000 }
    const claimant = { fence: step.fence, by: 'agents-1', token: 't' }
    const asked = { now: story.now - 5 * minuteMs, endByMs: null, late: { isFirst: true } }
    expect(extend(step, claimant, asked)).toMatchObject({ step: { completeByMs: story.now + 30_000 } })
  })

  it('is undone after the time of one attempt when its job is cancelled', () => {
    const story = offeredAgain(9).later(1_000)
    const cancelled = story.commanded({ kind: 'cancel', by: 'ann', why: 'x' } as never).scheduled()
    const { direction, notBeforeMs } = cancelled.step('pay')
    expect([direction, notBeforeMs]).toEqual(['undo', cancelled.now + 30_000])
  })
})

describe('a late job of which one step waits in a line', () => {
  const two = JobStory.submitted({ a: [], b: [] }, { completeWithin: '30s', retry: { tries: 1 } }).scheduled()
  const decided = (story: JobStory): string => {
    const now = story.now + 10 * minuteMs
    const steps = [...story.steps.values()].map((step) => ({ ...step, _ts }))
    const agents = agentsAt(aPosition(now, { shop: submittedAtMs }))
    return recoverJob(story.job, { now, graceMs, supervisor }, { steps, agents }).kind
  }

  it('is left alone if its scheduler has nothing to take over', () => {
    expect(decided(two)).toBe('inLine')
  })

  it('goes to another scheduler if an outcome, an event or the end of another step was missed', () => {
    const lost = two.expired('a')
    expect(lost.step('a')).toMatchObject({ processState: 'Error', outcome: null })
    expect(decided(lost)).toBe('standing')
    const raised = raiseEvent({ ...two.step('a'), kind: 'waitFor' }, 'paid', two.now)
    if (raised.kind !== 'write') throw new Error(raised.kind)
    expect(decided(two.withStep(raised.step))).toBe('standing')
    const { steps } = two
    const withoutOne = new Map([...steps].filter(([stepId]) => stepId !== 'a'))
    const now = two.now + 10 * minuteMs
    const agents = agentsAt(aPosition(now, { shop: submittedAtMs }))
    const answer = { steps: [...withoutOne.values()].map((step) => ({ ...step, _ts })), agents }
    expect(recoverJob(two.job, { now, graceMs, supervisor }, answer).kind).toBe('standing')
  })
})

it('a late job with an attempt that only it has goes to another scheduler, also if the step waits in a line (I46)', () => {
  const story = JobStory.submitted({ a: [] }, { completeWithin: '30s' }).scheduled()
  const now = story.now + 10 * minuteMs
  const step = { ...story.step('a'), firstBy: 'agents-1' }
  const { input, lockedBy, firstBy, completeByMs } = step
  const attempt = { input, lockedBy: lockedBy ?? '', firstBy, completeByMs: completeByMs ?? 0 }
  const planned = aWorkflow({ a: [] }, { completeWithin: '30s' }).plan.steps.map(plannedStep)
  const answer = { steps: [{ ...step, _ts }], agents: agentsAt(aPosition(now, { shop: submittedAtMs })) }
  const kindOf = (job: JobDocument) => recoverJob(job, { now, graceMs, supervisor }, answer).kind
  expect(kindOf(story.job)).toBe('inLine')
  expect(kindOf({ ...story.job, planned: planned.map((plan) => ({ ...plan, attempt })) })).toBe('standing')
})

describe('a job of which two steps are flagged', () => {
  const flag = (stepId: string, kind: 'unclaimed' | 'parked' = 'unclaimed') => {
    const since = new Date(submittedAtMs).toISOString()
    return { kind, since, by: supervisor, message: 'no agent', stepId }
  }
  const two = JobStory.submitted({ a: [], b: [] }).scheduled()
  const flagged = ['a', 'b']
    .reduce((story, stepId) => story.withStep({ ...story.step(stepId), attention: flag(stepId) }), two)
    .scheduled()
  const ended = flagged.withStep({ ...flagged.step('a'), attention: null })

  it('shows the flag of the first one, also to a scheduler that knows only this step', () => {
    expect(flagged.job.attention).toEqual(flag('a'))
    expect(flagged.deciding(['a'])).toEqual({ kind: 'nothing' })
  })

  it('shows the other flag when the first one has ended; its scheduler first reads an unknown step', () => {
    expect(ended.deciding(['a'])).toEqual({ kind: 'read', stepIds: ['b'] })
    expect(ended.scheduled().job.attention).toEqual(flag('b'))
  })

  it('shows the flag that needs an operator before that of an earlier step', () => {
    const parked = flagged.withStep({ ...flagged.step('b'), attention: flag('b', 'parked') })
    expect(parked.scheduled().job.attention).toEqual(flag('b', 'parked'))
  })
})
