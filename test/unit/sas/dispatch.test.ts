import { describe, expect, it } from 'vitest'
import { schedule } from '../../../src/sas/schedule.js'
import type { JobDocument, Json, StepDocument } from '../../../src/sas/documents.js'
import { submittedAtMs } from '../../support/a-job.js'
import { JobStory } from '../../support/job-story.js'

/** A job whose parallel steps each take the whole input. */
function withInputOf(
  bytes: number,
  stepIds: readonly string[],
): { job: JobDocument; steps: Map<string, StepDocument> } {
  const shape = Object.fromEntries(stepIds.map((stepId) => [stepId, []]))
  const story = JobStory.submitted(shape)
  const steps = stepIds.map((id): [string, StepDocument] => [
    id,
    { ...story.step(id), inputTemplate: { $from: ['input'] } },
  ])
  return { job: { ...story.job, input: 'x'.repeat(bytes) }, steps: new Map(steps) }
}

function dispatched(job: JobDocument, steps: ReadonlyMap<string, StepDocument>) {
  const decision = schedule({ job, steps, now: submittedAtMs, scheduler: 'scheduler-1' })
  if (decision.kind !== 'write') throw new Error(`decided ${decision.kind}`)
  return decision
}

describe('steps that are ready together', () => {
  it('F-Q8: are dispatched as far as one transaction holds them, and the rest in the next', () => {
    const { job, steps } = withInputOf(400_000, ['a', 'b', 'c', 'd', 'e'])
    const first = dispatched(job, steps)
    expect(first.changed.map((step) => step.stepId)).toEqual(['a', 'b', 'c'])
    expect(Buffer.byteLength(JSON.stringify([first.job, ...first.changed]))).toBeLessThan(2_000_000)
    for (const step of first.changed) steps.set(step.stepId, step)
    const second = dispatched(first.job, steps)
    expect(second.changed.map((step) => step.stepId)).toEqual(['d', 'e'])
    expect(Object.values(second.job.steps).map((entry) => entry.state)).toEqual(Array(5).fill('Processing'))
  })
})

describe('a step whose input no transaction holds', () => {
  it('F-D13: is flagged for a person, and with it the job, instead of standing still', () => {
    const { job, steps } = withInputOf(1_000_000, ['a'])
    const first = dispatched(job, steps)
    expect(first.changed).toMatchObject([
      {
        processState: 'Error',
        input: null,
        attention: { message: expect.stringContaining('1000002 bytes') as string },
      },
    ])
    for (const step of first.changed) steps.set(step.stepId, step)
    const { job: ended } = dispatched(first.job, steps)
    expect(ended.processState).toBe('Error')
    expect(ended.attention?.message).toContain('step a: its input has')
  })

  it('F-D13: nor the store, because it is nested too deep', () => {
    const { job, steps } = withInputOf(1, ['a'])
    const input = JSON.parse(`${'['.repeat(101)}${']'.repeat(101)}`) as Json
    expect(dispatched({ ...job, input }, steps).changed).toMatchObject([
      {
        processState: 'Error',
        input: null,
        attention: { message: expect.stringContaining('nested more than 100 levels deep') as string },
      },
    ])
  })
})
