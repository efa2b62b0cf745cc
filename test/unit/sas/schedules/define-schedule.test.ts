import { describe, expect, it } from 'vitest'
import { defineSchedule, ScheduleInvalid } from '../../../../src/sas/schedules/define-schedule.js'
import { aWorkflow } from '../../../support/a-job.js'

const workflow = aWorkflow()

function problemsOf(id: string, options: object): readonly string[] {
  try {
    defineSchedule(id, { workflow, ...options })
  } catch (error) {
    if (error instanceof ScheduleInvalid) return error.problems
    throw error
  }
  return []
}

describe('the definition of a schedule', () => {
  it('has defaults', () => {
    expect(defineSchedule('nightly', { workflow, cron: '0 2 * * *' }).definition).toMatchObject({
      workflow: 'shopping',
      calendar: { cron: '0 2 * * *', timeZone: 'UTC' },
      overlap: 'skip',
      catchUpMs: 3_600_000,
      jitterMs: 0,
      job: { inputTemplate: null, priority: 0, replyTo: null, completeWithinMs: null, retainForMs: null },
    })
  })

  it('has the defaults of its workflow, which its options override', () => {
    const { name, plan } = workflow
    const slow = {
      ...workflow,
      name,
      plan,
      submission: { priority: 3, retainFor: '2h', completeWithin: 500 },
    }
    const { job } = defineSchedule('nightly', {
      workflow: slow,
      every: '1h',
      priority: 4,
    }).definition
    expect(job).toMatchObject({ priority: 4, completeWithinMs: 500, retainForMs: 7_200_000 })
  })

  it('has no field for tags unless it has tags, so that the hash of older definitions stays', () => {
    expect(defineSchedule('nightly', { workflow, every: '1h' }).definition.job).not.toHaveProperty('tags')
    expect(problemsOf('nightly', { every: '1h', tags: { 'a b': 1 } }).join()).toContain('the name "a b" must')
  })

  it('reports all problems together', () => {
    const options = {
      cron: '61 * * * *',
      timeZone: 'Berlin',
      overlap: 'wait',
      catchUp: '1s',
      retainFor: '1m',
    }
    const problems = problemsOf('Nightly run', { ...options, input: { now: new Date() }, at: '2:00' })
    expect(problems.join('\n')).toMatch(/its id must match/)
    expect(problems.join('\n')).toMatch(/cron is "61 \* \* \* \*"/)
    expect(problems.join('\n')).toMatch(/timeZone is "Berlin"/)
    expect(problems.join('\n')).toMatch(/overlap is "wait"; it must be "skip", "queue", "allow" or/)
    expect(problems.join('\n')).toMatch(/catchUp is "1s"; it must be a duration from 120000 ms/)
    expect(problems.join('\n')).toMatch(/retainFor is "1m"; it must be a duration from 3600000 ms/)
    expect(problems.join('\n')).toMatch(/input.now is an instance of Date/)
    expect(problems.join('\n')).toMatch(/at is not an option/)
    expect(problems).toHaveLength(8)
  })

  it.each([
    [{}, /either cron, such as '30 2 \* \* \*', or every/],
    [{ cron: '* * * * *', every: '1h' }, /either cron/],
    [{ every: '1h', timeZone: 'UTC' }, /timeZone belongs to cron/],
    [{ every: '1ms' }, /every is "1ms"/],
    [{ every: '1m', jitter: '2m' }, /jitter is 120000 ms; it must not exceed every/],
    [{ every: '1h', workflow: {} }, /workflow is an object; it must be a workflow made by defineWorkflow/],
  ])('refuses %j', (options, problem) => {
    expect(problemsOf('nightly', options).join('\n')).toMatch(problem)
  })

  it('refuses an input that the workflow would refuse at each tick', () => {
    const schema = { type: 'object', properties: { day: { type: 'number' } }, required: ['day'] }
    const strict = { ...workflow, plan: { ...workflow.plan, inputSchema: schema } }
    const options = { workflow: strict, every: '1h' }
    expect(problemsOf('nightly', { ...options, input: { day: 'monday' } })).toEqual([
      'its input: input.day is "monday": invalid input: expected number, received string',
    ])
    expect(problemsOf('nightly', { ...options, input: { day: 1 } })).toEqual([])
  })

  it('refuses a plan and an input that are too large for a document', () => {
    expect(problemsOf('nightly', { every: '1h', input: 'x'.repeat(1_000_001) })).toEqual([
      'its plan and input exceed 1000000 bytes: pass large inputs by reference',
    ])
  })

  it('has another hash if any part of it differs', () => {
    const hashes = [
      {},
      { every: '2h' },
      { input: 1 },
      { priority: 1 },
      { overlap: 'allow' },
      { workflow: aWorkflow({ other: [] }) },
    ].map((other) => defineSchedule('nightly', { workflow, every: '1h', ...other } as never).hash)
    expect(new Set(hashes).size).toBe(hashes.length)
    expect(defineSchedule('nightly', { workflow, every: '1h' }).hash).toBe(hashes[0])
  })
})
