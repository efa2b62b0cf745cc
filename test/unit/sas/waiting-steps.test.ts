import { describe, expect, it } from 'vitest'
import { type Condition, condition } from '../../../src/sas/plan/condition.js'
import type { Json } from '../../../src/sas/model/documents.js'
import { raiseEvent } from '../../../src/sas/decisions/operator/raise-event.js'
import { submit } from '../../../src/sas/submission/submit.js'
import { defineWorkflow, type WorkflowBuilder } from '../../../src/sas/workflow/workflow.js'
import { WorkflowInvalid } from '../../../src/sas/model/errors.js'
import { aSubmission, documentsOf, shop, submittedAtMs } from '../../support/a-job.js'
import { JobStory, success } from '../../support/job-story.js'

interface Order {
  readonly total: number
  readonly country: string
  readonly dueAt: string
}

const order: Order = { total: 30, country: 'PT', dueAt: '2026-01-02T00:00:00.000Z' }

function storyOf(
  build: (job: WorkflowBuilder<Order>) => void,
  input: Readonly<Record<string, Json>> = {},
): JobStory {
  const { plan } = defineWorkflow<Order>('shopping', build)
  return JobStory.of(documentsOf(submit(aSubmission(plan, { input: { ...order, ...input } }))))
}

function states({ job }: JobStory): Record<string, string> {
  return Object.fromEntries(Object.entries(job.steps).map(([stepId, { state }]) => [stepId, state]))
}

describe('a step with a condition', () => {
  it.each<[string, boolean, (job: WorkflowBuilder<Order>) => Condition]>([
    ['equal values', true, (job) => condition.equal(job.input.country, 'PT')],
    ['different values', false, (job) => condition.equal(job.input.country, 'DE')],
    ['a larger number', true, (job) => condition.greater(job.input.total, 29)],
    ['a number that is not larger', false, (job) => condition.greater(job.input.total, 30)],
    ['a value that is there', true, (job) => condition.present(job.input.dueAt)],
    ['the contrary', false, (job) => condition.not(condition.present(job.input.dueAt))],
    [
      'all of two',
      false,
      (job) => condition.all(condition.present(job.input.dueAt), condition.greater(1, job.input.total)),
    ],
    [
      'any of two',
      true,
      (job) => condition.any(condition.greater(1, job.input.total), condition.present(job.input.dueAt)),
    ],
    [
      'none of two',
      false,
      (job) => condition.any(condition.greater(1, job.input.total), condition.equal(job.input.country, 'DE')),
    ],
  ])('decides by %s whether it runs: %s', (_what, isRun, when) => {
    const story = storyOf((job) => {
      job.step('always', shop.sell, { item: 'x' })
      job.step('perhaps', shop.sell, { item: 'x' }, { when: when(job) })
    }).scheduled()
    expect(states(story)).toEqual({ always: 'Processing', perhaps: isRun ? 'Processing' : 'Skipped' })
    expect(story.deciding()).toEqual({ kind: 'nothing' })
  })

  const branching = storyOf((job) => {
    const first = job.step('first', shop.sell, { item: 'x' })
    const small = job.step(
      'small',
      shop.sell,
      { item: 'x' },
      { when: condition.not(condition.greater(job.input.total, 10)), after: [first] },
    )
    job.step('needs-it', shop.sell, { item: small.output.item })
    job.step('comes-after', shop.sell, { item: 'x' }, { after: [small] })
  })

  it('when skipped, skips steps that need its output and frees steps that only follow it (R45)', () => {
    const story = branching.scheduled()
    expect(states(story)).toMatchObject({ small: 'NotStarted', 'needs-it': 'NotStarted' })
    const next = story.settled('first', success).scheduled()
    expect(states(next)).toEqual({
      first: 'Processed',
      small: 'Skipped',
      'needs-it': 'Skipped',
      'comes-after': 'Processing',
    })
    expect(next.settled('comes-after', success).scheduled().job.processState).toBe('Processed')
  })

  it('ignores what a step returned in an earlier generation when this one skips that step', () => {
    const build = (job: WorkflowBuilder<Order>): void => {
      const first = job.step('first', shop.sell, { item: 'x' }, { undo: 'none' })
      const gift = { when: condition.equal(first.output.item, 'gift'), undo: 'none' } as const
      const wrapped = job.step('wrap', shop.sell, { item: 'paper' }, gift)
      job.step('tell', shop.sell, { item: 'x' }, { when: condition.present(wrapped.output), undo: 'none' })
      job.step('fail', shop.sell, { item: 'x' }, { after: [wrapped], undo: 'none' })
      job.onExhausted('compensateThenRetry')
    }
    const wrapped = storyOf(build)
      .scheduled()
      .settled('first', { kind: 'success', output: { item: 'gift' } })
      .scheduled()
      .settled('wrap', success)
      .scheduled()
    const again = wrapped
      .settled('tell', success)
      .settled('fail', { kind: 'permanent', message: 'no' })
      .scheduled()
    expect(again.job).toMatchObject({ generation: 2 })
    const plain = again.settled('first', { kind: 'success', output: { item: 'plain' } }).scheduled()
    expect(states(plain)).toEqual({
      first: 'Processed',
      wrap: 'Skipped',
      tell: 'Skipped',
      fail: 'Processing',
    })
  })

  it('may be the only step of its job', () => {
    const story = storyOf((job) => {
      job.step('never', shop.sell, { item: 'x' }, { when: condition.equal(job.input.country, 'DE') })
    })
    expect(story.scheduled().job.processState).toBe('Processed')
  })
})

describe('a step that sleeps', () => {
  it.each([
    ['for a time', 3_600_000, (job: WorkflowBuilder<Order>) => job.sleep('rest', '1h')],
    [
      'until an instant',
      86_400_000,
      (job: WorkflowBuilder<Order>) => job.sleep('rest', { until: job.input.dueAt }),
    ],
  ])('%s is done when that time has come', (_what, ms, sleep) => {
    const story = storyOf((job) => {
      job.step('next', shop.sell, { item: 'x' }, { after: [sleep(job)] })
    }).scheduled()
    expect(story.step('rest')).toMatchObject({
      processState: 'Pending',
      lockedBy: null,
      notBeforeMs: submittedAtMs + ms,
      completeByMs: submittedAtMs + ms,
    })
    expect(story.deciding()).toEqual({ kind: 'nothing' })
    const woken = story.expired('rest')
    expect(woken.step('rest').failureCount).toBe(0)
    const done = woken.scheduled()
    expect(states(done)).toEqual({ rest: 'Processed', next: 'NotStarted' })
    const { fence, dispatch } = woken.step('rest')
    expect(done.step('rest')).toMatchObject({ fence: fence + 1, dispatch: dispatch + 1 })
    expect(states(done.scheduled())).toEqual({ rest: 'Processed', next: 'Processing' })
  })

  it.each([
    ['an instant that has passed', '2020-01-01T00:00:00Z'],
    ['a number of milliseconds that has passed', submittedAtMs - 1],
    ['nothing', null],
  ])('until %s is due at once', (_what, dueAt) => {
    const story = storyOf((job) => void job.sleep('rest', { until: job.input.dueAt }), { dueAt }).scheduled()
    expect(story.step('rest')).toMatchObject({ processState: 'Pending', notBeforeMs: submittedAtMs })
  })

  it.each(['next tuesday', true])('until %j fails, because that is no instant', (dueAt) => {
    const story = storyOf(
      (job) => {
        job.step('next', shop.sell, { item: 'x' }, { after: [job.sleep('rest', { until: job.input.dueAt })] })
      },
      { dueAt },
    ).scheduled()
    const failed = story.scheduled()
    expect(failed.job).toMatchObject({
      processState: 'Error',
      attention: {
        stepId: 'rest',
        message: `step rest: the step sleeps until ${JSON.stringify(dueAt)}, which is not a point in time: write one in ISO 8601 with its time zone, such as "2026-12-24T18:00:00Z"`,
      },
    })
    expect(states(failed)['next']).toBe('NotStarted')
  })

  it('ends its job when it is the last step', () => {
    const last = storyOf((job) => void job.sleep('rest', '1h'))
      .scheduled()
      .expired('rest')
      .scheduled()
    expect(last.scheduled().job.processState).toBe('Processed')
  })

  it('does not keep a job from failing', () => {
    const story = storyOf((job) => {
      job.sleep('rest', '30d')
      job.waitFor('approval')
      job.step('sell', shop.sell, { item: 'x' })
    }).scheduled()
    const failed = story.settled('sell', { kind: 'permanent', message: 'no' }).scheduled()
    expect(failed.job).toMatchObject({ processState: 'Error', steps: { rest: { state: 'NotStarted' } } })
  })

  it('is stopped when its job fails, even if the scheduler has seen only the failed step', () => {
    const story = storyOf((job) => {
      job.sleep('rest', '30d')
      job.step('sell', shop.sell, { item: 'x' })
    }).scheduled()
    const failed = story.settled('sell', { kind: 'permanent', message: 'no' })
    expect(failed.deciding(['sell'])).toEqual({ kind: 'read', stepIds: ['rest'] })
    expect(failed.scheduled().step('rest')).toMatchObject({ processState: 'Pending', notBeforeMs: null })
  })

  it('is refused when its duration is invalid', () => {
    expect(() => defineWorkflow('w', (job) => void job.sleep('rest', 'soon'))).toThrow(WorkflowInvalid)
  })
})

describe('a step that waits for an event', () => {
  const waiting = storyOf((job) => {
    const approval = job.waitFor<{ item: string }>('approval', { completeWithin: '1d' })
    job.step('sell', shop.sell, { item: approval.output.item })
  })

  function raised(story: JobStory, payload = { item: 'approved' }): JobStory {
    const result = raiseEvent(story.step('approval'), payload, story.now)
    if (result.kind !== 'write') throw new Error(result.kind)
    return story.withStep(result.step)
  }

  it('is done, with the payload of the event, when the event is raised', () => {
    const open = waiting.scheduled()
    expect(open.step('approval')).toMatchObject({ processState: 'Processing' })
    const done = raised(open).scheduled()
    expect(done.step('approval')).toMatchObject({ processState: 'Processed', output: { item: 'approved' } })
    expect(raised(open).step('approval').fence).toBe(open.step('approval').fence + 1)
    expect(done.scheduled().step('sell').input).toEqual({ item: 'approved' })
  })

  it('is done at once when the event was raised before', () => {
    expect(states(raised(waiting).scheduled())).toEqual({ approval: 'Processed', sell: 'NotStarted' })
  })

  it('keeps the first payload: the same one again changes nothing, and another one is refused', () => {
    const { steps } = raised(waiting.scheduled())
    const step = steps.get('approval')
    if (step === undefined) throw new Error('there is no such step')
    expect(raiseEvent(step, { item: 'approved' }, 0)).toEqual({ kind: 'nothing' })
    expect(raiseEvent(step, { item: 'other' }, 0).kind).toBe('refused')
    expect(raiseEvent(waiting.step('sell'), null, 0)).toEqual({
      kind: 'refused',
      reason: 'step sell does not wait for an event',
    })
  })

  it('is exhausted when no event is raised in time, and refuses a later one', () => {
    const late = waiting.scheduled().expired('approval')
    expect(late.step('approval')).toMatchObject({ processState: 'Error', failureCount: 1 })
    expect(raiseEvent(late.step('approval'), null, 0).kind).toBe('refused')
  })

  it('is done when its event is raised in an extended wait, but stays with the operator when parked', () => {
    const exhausted = (onExhausted: 'park' | { readonly extendedWait: string }) =>
      storyOf((job) => void job.waitFor('approval', { completeWithin: '1d', onExhausted }))
        .scheduled()
        .expired('approval')
        .scheduled()
    const long = exhausted({ extendedWait: '6h' })
    expect(long.job.attention).toMatchObject({ kind: 'extendedWait', stepId: 'approval' })
    const done = raised(long).scheduled()
    expect(done.step('approval')).toMatchObject({ processState: 'Processed', output: { item: 'approved' } })
    expect(done.scheduled().job).toMatchObject({ processState: 'Processed', attention: null })
    expect(raised(long).step('approval').completeByMs).toBe(long.now + 86_400_000)
    expect(raised(exhausted('park')).deciding()).toEqual({ kind: 'nothing' })
  })

  it('recognises the same event by its value, in any order of fields', () => {
    const both = raised(waiting.scheduled(), { item: 'approved', by: 'ann' } as never)
    const again = { by: 'ann', item: 'approved' }
    expect(raiseEvent(both.step('approval'), again, 0)).toEqual({ kind: 'nothing' })
  })
})
