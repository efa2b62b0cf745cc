import { describe, expect, it } from 'vitest'
import { condition } from '../../../src/sas/plan/condition.js'
import type { JobDocument } from '../../../src/sas/model/documents.js'
import { withDerivedState } from '../../../src/sas/model/process-state.js'
import { JobClient } from '../../../src/sas/client/job-client.js'
import { reference } from '../../../src/sas/model/values/reference.js'
import { aWorkflow, type ShapeOptions, type WorkflowShape } from '../../support/a-job.js'
import { JobStory, success } from '../../support/job-story.js'
import { StateWorld } from '../../support/state-world.js'

const permanent = { kind: 'permanent', message: 'no' } as const
const by = { by: 'ann', why: 'x' }
const stepIds = Array.from({ length: 200 }, (_, index) => `s${index}`)
const beside: WorkflowShape = Object.fromEntries(stepIds.map((stepId) => [stepId, []]))
const undoing: ShapeOptions = {
  undo: true,
  retry: { tries: 1 },
  onExhausted: 'compensate',
  undoUncertain: false,
}

/** Applies all that the scheduler decides; returns the story and the number of steps in each write. */
function settledDown(story: JobStory): { readonly story: JobStory; readonly writes: number[] } {
  const writes: number[] = []
  let next = story
  for (let decision = next.deciding(); decision.kind === 'write'; decision = next.deciding()) {
    writes.push(decision.changed.length)
    next = next.applying(decision)
  }
  return { story: next, writes }
}

function settled(story: JobStory, ...ids: readonly string[]): JobStory {
  return ids.reduce((before, stepId) => before.settled(stepId, success), story)
}

describe('a job with more steps than fit into one transaction', () => {
  const begun = settledDown(JobStory.submitted(beside, undoing))
  const [last = '', ...others] = [...stepIds].reverse()
  const back = settledDown(settled(begun.story, ...others).settled(last, permanent))

  it('begins in as many transactions as it needs (F-S7)', () => {
    expect(begun.writes).toEqual([90, 90, 20])
  })

  it('is undone in as many transactions as that needs', () => {
    expect(back.writes).toEqual([90, 90, 19])
    expect(settledDown(settled(back.story, ...others)).story.job.processState).toBe('Compensated')
  })

  it('has its failed undos put back in parts, and none runs before the last part (R111)', () => {
    const resubmit = { kind: 'resubmit', ...by } as const
    const stuck = settledDown(others.reduce((story, stepId) => story.settled(stepId, permanent), back.story))
    expect(stuck.story.job.attention).toMatchObject({ kind: 'compensationFailed' })
    const first = stuck.story.commanded(resubmit)
    expect(first.job).toMatchObject({ processState: 'Error', fence: stuck.story.job.fence + 1, audit: [] })
    expect(first.deciding()).toEqual({ kind: 'nothing' })
    const second = first.commanded(resubmit)
    expect([second.commanding(resubmit), second.deciding()]).toMatchObject([
      { kind: 'write', isComplete: true },
      { kind: 'nothing' },
    ])
    const last = second.commanded(resubmit)
    expect(last.job).toMatchObject({ processState: 'Compensating', audit: [{ command: 'resubmit' }] })
    const again = settledDown(last).story
    expect(others.map((stepId) => again.step(stepId).lockedBy)).toEqual(others.map(() => 'scheduler-1'))
    expect(settledDown(settled(again, ...others)).story.job.processState).toBe('Compensated')
  })

  it('restarts all its failed steps, although they do not fit into one transaction (R115)', () => {
    const story = settledDown(JobStory.submitted(beside, { retry: { tries: 1 } })).story
    const failed = settledDown(stepIds.reduce((before, stepId) => before.settled(stepId, permanent), story))
    const again = failed.story.commanded({ kind: 'resubmit', ...by })
    const running = settledDown(again).story
    const keys = stepIds.map((stepId) => running.step(stepId).idempotencyKey)
    expect(keys).toEqual(stepIds.map((stepId) => `job-1/${stepId}/g1/do`))
    expect(settledDown(settled(running, ...stepIds)).story.job.processState).toBe('Processed')
    const edited = {
      kind: 'resubmit',
      steps: stepIds.map((stepId) => ({ stepId, input: 1 })),
      ...by,
    } as const
    expect(failed.story.commanding(edited)).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(
        /^200 steps do not fit .* resubmit without inputs, or submit a new job$/,
      ) as unknown,
    })
  })

  it('has all its parked steps released in parts by one command', async () => {
    const story = settledDown(JobStory.submitted(beside, { retry: { tries: 1 }, onExhausted: 'park' })).story
    const parked = settledDown(stepIds.reduce((before, stepId) => before.settled(stepId, permanent), story))
    const world = new StateWorld()
    const documents = [parked.story.job, ...parked.story.steps.values()]
    for (let start = 0; start < documents.length; start += 100) {
      const part = documents.slice(start, start + 100)
      await world.put(
        'job-1',
        part.map((document) => ({ kind: 'create', document })),
      )
    }
    // The reply to the second part is lost.
    world.faults.failWrites(
      { kind: 'rival', write: () => Promise.resolve() },
      { kind: 'unknownOutcome', truth: 'applied' },
    )
    await new JobClient(world).release('job-1')
    expect(world.faults.writes.map((writes) => writes.length)).toEqual([91, 91, 21])
    const left = await world.truth.listSteps('job-1', 'job-1')
    expect(left.filter(({ attention }) => attention !== null)).toEqual([])
  })
})

it('a job of a thousand steps in sequence is quickly undone from its end (I6)', () => {
  const ids = Array.from({ length: 1_000 }, (_, index) => `s${index}`)
  const shape = Object.fromEntries(ids.map((id, index) => [id, index === 0 ? [] : [`s${index - 1}`]]))
  const { job, steps } = JobStory.submitted(shape, undoing)
  const done = [...steps.values()].map((step) =>
    withDerivedState({
      ...step,
      dispatch: 1,
      currentState: step.targetState,
      desiredState: step.targetState,
    }),
  )
  const ledger = ids.map((stepId) => [stepId, { state: 'Processed' as const, dispatch: 1 }])
  const story = JobStory.of({
    job: { ...job, steps: Object.fromEntries(ledger) as JobDocument['steps'] },
    steps: new Map(done.map((step) => [step.stepId, step])),
  })
  const decision = story.commanded({ kind: 'cancel', ...by }).deciding()
  const undone = decision.kind === 'write' ? decision.changed.map(({ stepId }) => stepId) : []
  expect(undone).toEqual(['s999'])
})

describe('a job with many steps and `retainFor`', () => {
  it('expires before its steps, in parts that several schedulers write (I18, F-X8, F-D10)', async () => {
    const world = new StateWorld()
    const never = aWorkflow(beside, { when: condition.present(reference(['input', 'missing'])) })
    await new JobClient(world).submit(never, {}, { jobId: 'job-1', retainFor: '1h' })
    const lasting: number[] = []
    for (let page = await world.changes(); page.length > 0; page = await world.changes()) {
      // The scheduler of the previous part has crashed.
      await world.scheduler(`scheduler-${lasting.length}`).onChanges(page)
      const steps = await world.truth.listSteps('job-1', 'job-1')
      lasting.push(steps.filter(({ ttl }) => ttl === -1).length)
      const { processState, ttl } = await world.job()
      expect([processState, ttl]).toEqual(['Processed', lasting.at(-1) === 0 ? 3_600 : -1])
    }
    expect(lasting).toEqual([200, 110, 20, 0, 0])
    const steps = await world.truth.listSteps('job-1', 'job-1')
    expect(new Set(steps.map(({ ttl }) => ttl))).toEqual(new Set([7_200]))
    expect(world.telemetry.of('job.finished')).toHaveLength(1)
  })

  it('stops expiring when it is resubmitted, unless too many steps have begun to expire (I18)', () => {
    const story = JobStory.submitted(beside, undoing)
    const kept = story.withJob({ ...story.job, retainForMs: 1_000 })
    const undone = kept.commanded({ kind: 'cancel', ...by }).scheduled()
    expect([undone.job.processState, undone.job.ttl]).toEqual(['Compensated', -1])
    expect(undone.commanded({ kind: 'resubmit', ...by }).scheduled().job.processState).toBe('Processing')
    const part = undone.scheduled()
    const again = part.commanded({ kind: 'resubmit', ...by })
    expect([...again.steps.values()].every(({ ttl }) => ttl === -1)).toBe(true)
    const reason = expect.stringMatching(
      /^job job-1 was undone, has begun to expire, and 180 steps .* again under another id$/,
    ) as unknown
    expect(part.scheduled().commanding({ kind: 'resubmit', ...by })).toEqual({ kind: 'refused', reason })
  })
})
