import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { raiseEvent } from '../../../../src/sas/decisions/operator/raise-event.js'
import { retireStep } from '../../../../src/sas/decisions/recover-step.js'
import type { Json } from '../../../../src/sas/model/documents.js'
import { condition } from '../../../../src/sas/plan/condition.js'
import { text } from '../../../../src/sas/model/values/text-template.js'
import { submit } from '../../../../src/sas/submission/submit.js'
import { answerQuestion, type Answered } from '../../../../src/sas/waiting/answer-question.js'
import { defineWorkflow, type WorkflowBuilder } from '../../../../src/sas/workflow/workflow.js'
import { WorkflowInvalid } from '../../../../src/sas/model/errors.js'
import { aSubmission, documentsOf, shop, submittedAtMs } from '../../../support/a-job.js'
import { JobStory } from '../../../support/job-story.js'

interface Claim {
  readonly amount: number
  readonly clerks: readonly string[]
}

type Builder = WorkflowBuilder<Claim>

const claim: Claim = { amount: 30, clerks: ['ann', 'bob'] }
const day = 86_400_000
const form = z.object({ approved: z.boolean(), limit: z.number().optional() })

function storyOf(build: (job: Builder) => void, input: Json = { ...claim }): JobStory {
  const { plan } = defineWorkflow<Claim>('claims', build)
  return JobStory.of(documentsOf(submit(aSubmission(plan, { input }))))
}

function answered(story: JobStory, data: Json, by = 'ann', note: string | null = null): Answered {
  return answerQuestion(story.step('approve'), { data, by, note }, story.now)
}

function answering(story: JobStory, data: Json, by = 'ann'): JobStory {
  const result = answered(story, data, by)
  if (result.kind !== 'write') throw new Error(`the answer is ${JSON.stringify(result)}`)
  return story.withStep(result.step)
}

const approval = storyOf((job) => {
  const title = text`Pay ${job.input.amount} EUR?`
  const approved = job.ask('approve', { title, form, assignees: job.input.clerks, onExhausted: 'continue' })
  job.step('pay', shop.sell, { item: 'x' }, { when: condition.equal(approved.output.approved, true) })
  job.step('apologise', shop.sell, { item: 'y' }, { when: condition.timedOut(approved) })
})

const states = ({ job }: JobStory): Record<string, string> =>
  Object.fromEntries(Object.entries(job.steps).map(([stepId, { state }]) => [stepId, state]))

describe('a question', () => {
  it('is put when its step begins, with the values of its job', () => {
    expect(approval.step('approve').asked).toBeUndefined()
    expect(approval.scheduled().step('approve')).toMatchObject({
      processState: 'Processing',
      asked: {
        title: 'Pay 30 EUR?',
        assignees: ['ann', 'bob'],
        since: new Date(submittedAtMs).toISOString(),
        expiresAtMs: submittedAtMs + 7 * day,
      },
    })
  })

  it('makes its job one that older schedulers leave alone, and its step one that they read', () => {
    expect(approval.job.schema).toBe(2)
    expect(approval.step('approve').schema).toBe(1)
  })

  it('is answered once; the answer is the output of the step, with who gave it and when', () => {
    const next = answering(approval.scheduled().later(day), { approved: true })
    expect(next.step('approve')).toMatchObject({
      asked: null,
      event: { payload: { approved: true }, by: 'ann', at: new Date(submittedAtMs + day).toISOString() },
    })
    const gone = next.scheduled()
    expect(states(gone)).toEqual({ approve: 'Processed', pay: 'NotStarted', apologise: 'NotStarted' })
    expect(gone.step('approve').output).toEqual({ approved: true })
    expect(states(gone.scheduled())).toMatchObject({ pay: 'Processing', apologise: 'Skipped' })
  })

  it('keeps the note of an answer', () => {
    const result = answered(approval.scheduled(), true, 'ann', 'by phone')
    expect(result).toMatchObject({ step: { event: { payload: { approved: true }, note: 'by phone' } } })
  })

  it('accepts the same answer of the same person again, and no other (I24)', () => {
    const once = answering(approval.scheduled(), { approved: true })
    for (const story of [once, once.scheduled()]) {
      expect(answered(story, { approved: true })).toEqual({ kind: 'nothing' })
      const reason = `step approve was already answered by ann at ${new Date(submittedAtMs).toISOString()}`
      expect(answered(story, { approved: false })).toEqual({ kind: 'refused', reason })
      expect(answered(story, { approved: true }, 'bob')).toEqual({ kind: 'refused', reason })
    }
  })

  it('refuses an answer that does not fit the form', () => {
    expect(answered(approval.scheduled(), { approved: 'yes' })).toEqual({
      kind: 'invalid',
      reason: expect.stringMatching(/^approved: /u) as string,
    })
  })

  it('refuses an answer before it is put, and after its time is over', () => {
    expect(answered(approval, true)).toEqual({ kind: 'refused', reason: 'step approve is not asked yet' })
    const late = approval.scheduled().later(7 * day)
    expect(answered(late, true)).toMatchObject({
      kind: 'refused',
      reason: 'step approve could be answered until 2026-01-08T00:00:00.000Z',
    })
    expect(answered(late.expired('approve'), true)).toEqual({
      kind: 'refused',
      reason: 'step approve was not answered in time, and can no longer be answered',
    })
  })

  it('that is not answered in time is an outcome and no failed attempt', () => {
    const expired = approval.scheduled().expired('approve')
    expect(expired.step('approve')).toMatchObject({
      failureCount: 0,
      asked: null,
      attention: { message: 'the question "Pay 30 EUR?" was not answered in time' },
    })
    expect(states(expired.scheduled())).toEqual({
      approve: 'TimedOut',
      pay: 'Skipped',
      apologise: 'Processing',
    })
  })

  it('that expires without another way on ends the job in error', () => {
    const story = storyOf((job) => void job.ask('approve', { title: 'Sure?', completeWithin: '1d' }))
    const ended = story.scheduled().expired('approve').scheduled()
    expect(ended.job).toMatchObject({
      processState: 'Error',
      attention: { message: 'step approve: the question "Sure?" was not answered in time' },
    })
    const again = ended.commanded({ kind: 'resubmit', by: 'eve', why: 'again' }).scheduled()
    expect(again.step('approve')).toMatchObject({ asked: { expiresAtMs: ended.now + day } })
  })

  it.each([
    ['is put again after an extended wait', { extendedWait: '1h' }, 'expired'],
    ['is put again when an operator releases it', 'park', 'released'],
  ] as const)('%s', (_what, onExhausted, how) => {
    const story = storyOf(
      (job) => void job.ask('approve', { title: 'Sure?', completeWithin: '1d', onExhausted }),
    )
    const waits = story.scheduled().expired('approve').scheduled()
    expect(waits.step('approve').asked).toBeNull()
    expect(answered(waits, true)).toMatchObject({ kind: 'refused' })
    const again =
      how === 'expired'
        ? waits.expired('approve').scheduled()
        : waits.commanded({ kind: 'release', by: 'eve', why: 'again' }).scheduled()
    expect(again.step('approve')).toMatchObject({ asked: { title: 'Sure?', expiresAtMs: again.now + day } })
    expect(answering(again, false).scheduled().scheduled().job.processState).toBe('Processed')
  })

  it('reminds once and asks more people once; then an answer ends it without a flag', () => {
    const reminding = storyOf((job) => {
      const times = { completeWithin: '9d', remindAfter: '2d', escalateAfter: '5d' } as const
      job.ask('approve', { title: 'Sure?', assignees: ['ann'], escalateTo: job.input.clerks, ...times })
    }).scheduled()
    expect(reminding.step('approve')).toMatchObject({ schema: 2, completeByMs: submittedAtMs + 2 * day })
    const reminded = reminding.expired('approve')
    expect(reminded.step('approve')).toMatchObject({
      processState: 'Processing',
      completeByMs: submittedAtMs + 5 * day,
      asked: { assignees: ['ann'], expiresAtMs: submittedAtMs + 9 * day },
      attention: { kind: 'unanswered', message: expect.stringContaining('asked: ann') as string },
    })
    expect(reminded.scheduled().job.attention).toEqual(reminded.step('approve').attention)
    const escalated = reminded.scheduled().expired('approve')
    expect(escalated.step('approve')).toMatchObject({
      completeByMs: submittedAtMs + 9 * day,
      asked: { assignees: ['ann', 'bob'] },
      attention: { kind: 'escalated', message: expect.stringContaining('asked: ann, bob') as string },
    })
    const flagged = escalated.scheduled()
    expect(flagged.job.attention?.kind).toBe('escalated')
    const done = answering(flagged, true, 'bob').scheduled().scheduled()
    expect(done.job).toMatchObject({ processState: 'Processed', attention: null })
    const late = flagged.expired('approve')
    expect(late.step('approve')).toMatchObject({ processState: 'Error', asked: null })
  })

  it('ends with its job', () => {
    const cancelled = approval
      .scheduled()
      .commanded({ kind: 'cancel', by: 'eve', why: 'withdrawn' })
      .scheduled()
    expect(cancelled.step('approve').asked).toBeNull()
    expect(answered(cancelled, true)).toEqual({
      kind: 'refused',
      reason: 'step approve is not asked any more',
    })
    expect(retireStep(approval.scheduled().step('approve')).asked).toBeNull()
  })

  it('gets an answer and no event, and other steps get no answer', () => {
    const story = approval.scheduled()
    expect(raiseEvent(story.step('approve'), true, story.now)).toEqual({
      kind: 'refused',
      reason: 'step approve asks a question: answer it instead',
    })
    const answer = { data: true, by: 'ann', note: null }
    expect(answerQuestion(story.step('pay'), answer, story.now)).toEqual({
      kind: 'refused',
      reason: 'step pay asks no question',
    })
    const waits = storyOf((job) => void job.waitFor('approve')).scheduled()
    expect(answered(waits, true)).toEqual({
      kind: 'refused',
      reason: 'step approve asks no question: it waits for an event, which is raised',
    })
  })

  it.each<[string, Json, string]>([
    [
      'no names',
      { ...claim, clerks: 'ann' },
      'the assignees of the question must be a list of at most 50 names',
    ],
    [
      'a title that is too long',
      { ...claim, amount: 'x'.repeat(500) },
      'the title of the question must be a text',
    ],
  ])('is refused when it begins with %s', (_what, input, message) => {
    const { plan } = defineWorkflow<Claim>('claims', (job) => {
      job.ask('approve', { title: text`Pay ${job.input.amount}?`, assignees: job.input.clerks })
    })
    const story = JobStory.of(documentsOf(submit(aSubmission(plan, { input })))).scheduled()
    expect(story.step('approve')).toMatchObject({ processState: 'Error' })
    expect(story.step('approve').asked ?? null).toBeNull()
    expect(story.step('approve').attention?.message).toContain(message)
  })

  it('may be a part of a workflow in a workflow', () => {
    const inner = defineWorkflow<{ readonly amount: number }, boolean>('inner', (job) => {
      return job.ask('sure', { title: text`Pay ${job.input.amount}?` }).output
    })
    const story = storyOf((job) => void job.run('approve', inner, { amount: job.input.amount }))
    expect(story.scheduled().step('approve-sure').asked).toMatchObject({ title: 'Pay 30?', assignees: [] })
  })
})

describe('a definition', () => {
  it('is refused with every problem of its questions', () => {
    const build = (job: Builder): void => {
      job.ask('approve', { title: '', form: { properties: {} }, assignees: [''] })
      job.ask('other', { title: 'Sure?', timeout: '1d' } as never)
    }
    const late = (job: Builder): void => {
      job.ask('late', { title: 'Sure?', completeWithin: '2d', remindAfter: '2d', escalateTo: ['eve'] })
      job.ask('soon', { title: 'Sure?', remindAfter: 'soon' })
    }
    expect(() => defineWorkflow<Claim>('claims', late)).toThrow(
      /escalateAfter and escalateTo belong together.*remindAfter \(2d\) must be shorter than completeWithin \(2d; a question without it has 7d\).*remindAfter is "soon"/u,
    )
    expect(() => defineWorkflow<Claim>('claims', build)).toThrow(WorkflowInvalid)
    expect(() => defineWorkflow<Claim>('claims', build)).toThrow(
      /title is ""; .*1 to 500 characters.*assignees.*at most 50 names.*its form: form does not say its "type".*timeout/u,
    )
  })
})
