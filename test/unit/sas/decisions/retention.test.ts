import { describe, expect, it } from 'vitest'
import { submit } from '../../../../src/sas/submission/submit.js'
import { defineWorkflow } from '../../../../src/sas/workflow/workflow.js'
import { aSubmission, documentsOf } from '../../../support/a-job.js'
import { JobStory } from '../../../support/job-story.js'

const ended = { processState: 'Processed', retainForMs: 1_500, ttl: -1 } as const

describe('a job with more steps than fit into one transaction', () => {
  const shape = Object.fromEntries(Array.from({ length: 95 }, (_, index) => [`step-${index}`, []]))
  const submitted = JobStory.submitted(shape)
  const story = submitted.withJob({ ...submitted.job, ...ended })

  it('begins to expire in parts, the job with the last, and is gone before its steps (I18)', () => {
    expect(story.deciding()).toMatchObject({ kind: 'write', notices: [] })
    const first = story.scheduled()
    const expiring = [...first.steps.values()].filter(({ ttl }) => ttl === 3_602)
    expect(expiring).toHaveLength(90)
    expect(first.job).toEqual(story.job)
    const last = first.scheduled()
    expect([...last.steps.values()].every(({ ttl }) => ttl === 3_602)).toBe(true)
    expect(last.job).toEqual({ ...story.job, ttl: 2 })
    expect(last.deciding()).toEqual({ kind: 'nothing' })
  })

  it('has all its steps read before it begins to expire', () => {
    expect(story.deciding(Object.keys(shape).slice(2))).toEqual({
      kind: 'read',
      stepIds: ['step-0', 'step-1'],
    })
  })

  it('expires after at least a second', () => {
    const soon = JobStory.submitted({ a: [] })
    const brief = soon.withJob({ ...soon.job, ...ended, retainForMs: 1 })
    expect(brief.scheduled().job.ttl).toBe(1)
  })

  it('expires at the latest time that the store allows when `retainFor` is longer', () => {
    const long = story.withJob({ ...story.job, retainForMs: 36_525 * 86_400_000 })
    const last = long.scheduled().scheduled()
    expect([last.job.ttl, last.step('step-0').ttl]).toEqual([2 ** 31 - 3_601, 2 ** 31 - 1])
  })
})

it('a job that is cancelled while it sleeps stops and begins to expire in one write', () => {
  const { plan } = defineWorkflow('resting', (job) => void job.sleep('rest', '30d'))
  const submitted = JobStory.of(documentsOf(submit(aSubmission(plan, { retainForMs: 1_500 }))))
  const cancelled = submitted.scheduled().commanded({ kind: 'cancel', by: 'ann', why: 'x' }).scheduled()
  expect(cancelled.job).toMatchObject({
    processState: 'Compensated',
    ttl: 2,
    steps: { rest: { dispatch: 2 } },
  })
  expect(cancelled.step('rest')).toMatchObject({ ttl: 2, dispatch: 2, notBeforeMs: null })
})
