import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/sas/model/documents.js'
import { continuingSchema } from '../../../src/sas/model/documents.js'
import { raiseEvent, type Raised } from '../../../src/sas/decisions/operator/raise-event.js'
import { condition } from '../../../src/sas/plan/condition.js'
import { submit } from '../../../src/sas/submission/submit.js'
import { defineWorkflow } from '../../../src/sas/workflow/workflow.js'
import { WorkflowInvalid } from '../../../src/sas/model/errors.js'
import { outputsOf, viewOf } from '../../../src/sas/client/job-view.js'
import { whyNotFurther } from '../../../src/sas/client/why-not-further.js'
import { aSubmission, documentsOf, shop } from '../../support/a-job.js'
import { JobStory } from '../../support/job-story.js'

const collecting = (count: number): JobStory => {
  const { plan } = defineWorkflow('shopping', (job) => {
    const offers = job.waitFor<{ item: string }>('offers', { count, onExhausted: 'continue' })
    const first = offers.output[0]
    job.step('sell', shop.sell, { item: first.item }, { undo: 'none' })
    const late = { when: condition.timedOut(offers), undo: 'none' } as const
    job.step('late', shop.sell, { item: first.item }, late)
  })
  return JobStory.of(documentsOf(submit(aSubmission(plan))))
}

const raise = (story: JobStory, key: string | undefined, payload: Json): Raised =>
  raiseEvent(story.step('offers'), payload, story.now, key)

function raised(story: JobStory, key: string, payload: Json = { item: key }): JobStory {
  const result = raise(story, key, payload)
  if (result.kind !== 'write') throw new Error(result.kind === 'refused' ? result.reason : result.kind)
  return story.withStep(result.step)
}

const why = ({ job, steps, now }: JobStory): string => whyNotFurther(job, [...steps.values()], { now })

describe('a step that collects events', () => {
  it('is done with the last event, and its output is the list of payloads in their order (I38)', () => {
    const open = collecting(3).scheduled()
    const some = raised(raised(open, 'b'), 'a')
    expect(some.deciding()).toEqual({ kind: 'nothing' })
    expect(some.step('offers')).toMatchObject({ processState: 'Processing', event: null })
    expect(some.step('offers').completeByMs).toBe(open.step('offers').completeByMs)
    const done = raised(some, 'c').scheduled()
    expect(done.step('offers')).toMatchObject({
      processState: 'Processed',
      output: [{ item: 'b' }, { item: 'a' }, { item: 'c' }],
    })
    expect(done.scheduled().step('sell').input).toEqual({ item: 'b' })
  })

  it('keeps events that come before it begins', () => {
    const begun = raised(collecting(2), 'a').scheduled()
    expect(begun.step('offers')).toMatchObject({ processState: 'Processing' })
    expect(raised(begun, 'b').scheduled().step('offers')).toMatchObject({ processState: 'Processed' })
    const early = raised(raised(collecting(2), 'a'), 'b').scheduled()
    expect(early.step('offers')).toMatchObject({
      processState: 'Processed',
      output: [{ item: 'a' }, { item: 'b' }],
    })
  })

  it('counts an event once, however often it is raised (I38, F-H5)', () => {
    const one = raised(collecting(2).scheduled(), 'a', { item: 'a', price: 3 })
    expect(raise(one, 'a', { price: 3, item: 'a' })).toEqual({ kind: 'nothing' })
    expect(raise(one, 'a', { item: 'other' })).toEqual({
      kind: 'refused',
      reason: 'step offers has already received another event with the key "a"',
    })
    const done = raised(one, 'b').scheduled()
    expect(raise(done, 'a', { item: 'a', price: 3 })).toEqual({ kind: 'nothing' })
  })

  it('refuses an event after its last, and an event without a key (F-H6)', () => {
    const open = collecting(1).scheduled()
    const rule = 'give each a key of 1 to 200 characters, so that a repeated call counts once'
    const keyless = { kind: 'refused', reason: `step offers collects 1 event: ${rule}` }
    expect(raise(open, undefined, null)).toEqual(keyless)
    expect(raise(open, '', null)).toEqual(keyless)
    expect(raise(open, 'x'.repeat(201), null)).toEqual(keyless)
    const late = {
      kind: 'refused',
      reason: 'step offers has already received 1 event, as many as it collects',
    }
    expect(raise(raised(open, 'a'), 'b', null)).toEqual(late)
    expect(raise(raised(open, 'a').scheduled(), 'b', null)).toEqual(late)
  })

  it('refuses payloads that together are too large for its document (I16)', () => {
    const large = 'x'.repeat(300_000)
    const one = raised(collecting(3).scheduled(), 'a', large)
    const second = raise(one, 'b', large)
    expect(second).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(
        /^step offers would have collected 600\d+ bytes, more than 500000: send the address/u,
      ) as string,
    })
  })

  it('runs out of time with what has arrived, which later steps find in its output (F-H7)', () => {
    const late = raised(raised(collecting(3).scheduled(), 'a'), 'b').expired('offers')
    const message = 'only 2 of 3 events arrived in time'
    expect(late.step('offers')).toMatchObject({ processState: 'Error', attention: { message } })
    expect(raise(late, 'c', null)).toMatchObject({
      reason: 'step offers waited until its deadline and no longer waits',
    })
    const on = late.scheduled()
    expect(on.job.steps).toMatchObject({
      offers: { state: 'TimedOut' },
      sell: { state: 'Skipped' },
      late: { state: 'Processing' },
    })
    expect(on.step('late').input).toEqual({ item: 'a' })
    const arrived = [{ item: 'a' }, { item: 'b' }]
    const documents = [...on.steps.values()]
    expect(viewOf(on.job, documents, { now: on.now }).steps[0]).toMatchObject({
      state: 'TimedOut',
      output: arrived,
    })
    expect(outputsOf(on.job, documents)).toMatchObject({ offers: arrived, sell: null })
  })

  it('says how many events have arrived', () => {
    expect(why(raised(collecting(3).scheduled(), 'a'))).toMatch(
      /^Step offers waits for 2 events, until .*Z at the latest; 1 of 3 have arrived\.$/u,
    )
  })

  it('has a schema that clients and supervisors of version 1 leave alone', () => {
    const { job, steps } = collecting(2)
    expect([job.schema, steps.get('offers')?.schema]).toEqual([continuingSchema, continuingSchema])
    expect(steps.get('sell')?.schema).toBe(1)
  })

  it.each([0, 1_001, 1.5, '3', null])('is refused at its definition with count %s', (count) => {
    const define = () => defineWorkflow('w', (job) => void job.waitFor('offers', { count } as never))
    expect(define).toThrow(WorkflowInvalid)
    expect(define).toThrow(/count (is|must be) .*whole number from 1 to 1000/u)
  })
})

it('a step that waits for one event refuses a key', () => {
  const { plan } = defineWorkflow('w', (job) => void job.waitFor('only'))
  const story = JobStory.of(documentsOf(submit(aSubmission(plan))))
  expect(raiseEvent(story.step('only'), null, 0, 'a')).toEqual({
    kind: 'refused',
    reason: 'step only waits for one event, which has no key',
  })
})
