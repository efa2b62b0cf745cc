import { describe, expect, it } from 'vitest'
import { takeFitting } from '../../../../src/sas/decisions/dispatch.js'
import { schedule } from '../../../../src/sas/decisions/schedule.js'
import { bytesOf, maxTransactionBytes } from '../../../../src/sas/store/transaction.js'
import type { JobDocument, Json, StepDocument } from '../../../../src/sas/model/documents.js'
import { submittedAtMs } from '../../../support/a-job.js'
import { JobStory } from '../../../support/job-story.js'

/** Returns a job whose parallel steps each take the whole input. */
function withInputOf(
  bytes: number,
  stepIds: readonly string[],
  story = JobStory.submitted(Object.fromEntries(stepIds.map((stepId) => [stepId, []]))),
): { job: JobDocument; steps: Map<string, StepDocument> } {
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
  it('are dispatched as far as one transaction holds them, and the rest in the next (F-Q8)', () => {
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

describe('one transaction', () => {
  const { job } = JobStory.submitted({ a: [] })
  const step = JobStory.submitted({ a: [] }).step('a')
  const sized = (bytes: number) => {
    const empty = { ...step, output: '' }
    return { step: { ...empty, output: 'x'.repeat(bytes - bytesOf(empty)) } }
  }
  const roomBytes = maxTransactionBytes - bytesOf(job)

  it('is filled to its last byte, and no further (F-Q8)', () => {
    const [first, second] = [sized(1_000_000), sized(roomBytes - 1_000_000)]
    expect(takeFitting([first, second], job)).toEqual([first, second])
    const larger = sized(roomBytes - 1_000_000 + 1)
    expect(takeFitting([first, larger], job)).toEqual([first])
  })

  it('contains at least one step, however large that is', () => {
    const [huge, small] = [sized(roomBytes + 1), sized(2_000)]
    expect(takeFitting([huge, small], job)).toEqual([huge])
  })
})

describe('a step whose condition cannot be evaluated', () => {
  it('is flagged for a person, and is not dispatched', () => {
    const story = JobStory.submitted({ a: [] })
    const refused = story.withStep({ ...story.step('a'), when: { operator: 'xor', of: [] } }).scheduled()
    expect(refused.step('a')).toMatchObject({
      processState: 'Error',
      attention: {
        message: expect.stringContaining('correct "when" in the document of the step') as unknown,
      },
    })
  })
})

describe('a step whose input cannot be stored', () => {
  it('is flagged for a person together with its job, instead of standing still (F-D13)', () => {
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
    expect(ended.attention?.message).toContain('step a: the input of the step has')
  })

  it('has done nothing, so it is not undone (F-K2)', () => {
    const story = JobStory.submitted({ a: [] }, { undo: true, onExhausted: 'compensate' })
    const { job, steps } = withInputOf(1_000_000, ['a'], story)
    const refused = JobStory.of({ job, steps }).scheduled()
    expect(refused.step('a').outcome).toEqual({
      kind: 'permanent',
      attempt: 1,
      at: '2026-01-01T00:00:00.000Z',
      by: 'scheduler-1',
      didNothing: true,
    })
    expect(refused.scheduled().job.processState).toBe('Compensated')
  })

  it('is also flagged when its input is nested too deeply for the store (F-D13)', () => {
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
