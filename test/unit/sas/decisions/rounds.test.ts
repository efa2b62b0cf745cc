import { describe, expect, it } from 'vitest'
import type { Json } from '../../../../src/sas/model/documents.js'
import { condition } from '../../../../src/sas/plan/condition.js'
import type { Reference } from '../../../../src/sas/model/values/reference.js'
import { submit } from '../../../../src/sas/submission/submit.js'
import type { RepeatOptions } from '../../../../src/sas/workflow/repeat.js'
import { defineWorkflow, type WorkflowBuilder } from '../../../../src/sas/workflow/workflow.js'
import { WorkflowInvalid } from '../../../../src/sas/model/errors.js'
import { aSubmission, documentsOf, shop } from '../../../support/a-job.js'
import { JobStory } from '../../../support/job-story.js'

interface Input {
  readonly wanted: string
}

type Builder = WorkflowBuilder<Input>

function storyOf(build: (job: Builder) => void): JobStory {
  const { plan } = defineWorkflow<Input>('polls', build)
  return JobStory.of(documentsOf(submit(aSubmission(plan, { input: { wanted: 'ready' } }))))
}

type Sold = { readonly item: string }

const ends = (job: Builder) => (output: Reference<Sold>) => condition.equal(output.item, job.input.wanted)

const polling = (options: Partial<RepeatOptions<Sold>> = {}): JobStory =>
  storyOf((job) => {
    const polled = job.repeat(
      'poll',
      shop.sell,
      { item: 'x' },
      { until: ends(job), undo: 'none', ...options },
    )
    job.step('then', shop.sell, { item: polled.output.item }, { undo: 'none' })
  })

const output = (item: Json) => ({ kind: 'success' as const, output: { item } })
const stateOf = ({ job }: JobStory, stepId: string): string | undefined => job.steps[stepId]?.state

describe('a repeated step', () => {
  it('makes its job one that older schedulers leave alone, and its step one that they read', () => {
    expect(polling().job.schema).toBe(2)
    expect(polling().step('poll').schema).toBe(1)
  })

  it('is called again with a key of its own, until the output is as wanted (I28)', () => {
    const first = polling().scheduled()
    expect(first.step('poll')).toMatchObject({ idempotencyKey: 'job-1/poll/g1/do', round: { number: 1 } })
    const second = first.concluded('poll', output('waits'))
    expect(second.step('poll')).toMatchObject({
      processState: 'Processing',
      idempotencyKey: 'job-1/poll/g1/do/r2',
      round: { number: 2, previous: { item: 'waits' } },
      output: null,
    })
    expect(stateOf(second, 'then')).toBe('NotStarted')
    const third = second.concluded('poll', output('nearly'))
    expect(third.step('poll')).toMatchObject({ round: { number: 3, previous: { item: 'nearly' } } })
    const done = third.concluded('poll', output('ready'))
    expect(stateOf(done, 'poll')).toBe('Processed')
    expect(done.step('then').input).toEqual({ item: 'ready' })
  })

  it('waits between two rounds', () => {
    const waits = polling({ every: '5m' }).scheduled().concluded('poll', output('waits'))
    expect(waits.step('poll')).toMatchObject({
      processState: 'Pending',
      lockedBy: null,
      notBeforeMs: waits.now + 300_000,
      completeByMs: waits.now + 300_000,
    })
    expect(waits.later(299_999).deciding().kind).toBe('nothing')
    const next = waits.expired('poll').scheduled()
    expect(next.step('poll')).toMatchObject({
      processState: 'Processing',
      failureCount: 0,
      idempotencyKey: 'job-1/poll/g1/do/r2',
    })
  })

  it('counts the failed attempts of each round from zero', () => {
    const failed = { kind: 'failed' as const, message: 'busy' }
    const once = polling().scheduled().settled('poll', failed).expired('poll').scheduled()
    expect(once.step('poll')).toMatchObject({ failureCount: 1, attempt: 2, round: { number: 1 } })
    const second = once.concluded('poll', output('waits'))
    expect(second.step('poll')).toMatchObject({ failureCount: 0, attempt: 1, round: { number: 2 } })
  })

  it('is given up after its last round, and goes on with new rounds when it is resubmitted (F-R4)', () => {
    const last = polling({ atMost: 2 }).scheduled().concluded('poll', output('waits'))
    const over = last.concluded('poll', output('late'))
    expect(over.step('poll')).toMatchObject({
      processState: 'Error',
      attention: { message: 'given up after 2 rounds; the last output is {"item":"late"}' },
    })
    const ended = over.scheduled()
    expect(ended.job.processState).toBe('Error')
    const again = ended.commanded({ kind: 'resubmit', by: 'eve', why: 'again' }).scheduled()
    expect(again.step('poll')).toMatchObject({
      idempotencyKey: 'job-1/poll/g1/do/r3',
      round: { number: 3, previous: { item: 'late' } },
    })
    expect(again.concluded('poll', output('waits')).step('poll').processState).toBe('Processing')
  })

  it('that is given up is a failure without which its job may go on', () => {
    const over = polling({ atMost: 1, onExhausted: 'continue' })
      .scheduled()
      .concluded('poll', output('waits'))
    expect(stateOf(over.scheduled(), 'poll')).toBe('Failed')
  })

  it('that is given up may be parked, and goes on when it is released', () => {
    const parked = polling({ atMost: 1, onExhausted: 'park' }).scheduled().concluded('poll', output('waits'))
    expect(parked.job.attention).toMatchObject({ kind: 'parked', stepId: 'poll' })
    const next = parked.commanded({ kind: 'release', by: 'eve', why: 'again' }).scheduled()
    expect(next.step('poll')).toMatchObject({ processState: 'Processing', round: { number: 2 } })
  })

  it('waits and goes on with new rounds if its policy is an extended wait', () => {
    const story = polling({ atMost: 1, onExhausted: { extendedWait: '1h' } }).scheduled()
    const waits = story.concluded('poll', output('waits'))
    expect(waits.step('poll')).toMatchObject({
      attention: { kind: 'extendedWait' },
      notBeforeMs: waits.now + 3_600_000,
    })
    expect(waits.expired('poll').scheduled().step('poll')).toMatchObject({
      processState: 'Processing',
      idempotencyKey: 'job-1/poll/g1/do/r2',
    })
  })

  it('is undone once, with the output of its last finished round (F-R3)', () => {
    const story = storyOf((job) => {
      const undo = { undo: (sold: Reference<Sold>) => shop.sell({ item: sold.item }), undoUncertain: false }
      job.repeat('poll', shop.sell, { item: 'x' }, { until: ends(job), ...undo })
    })
    const second = story.scheduled().concluded('poll', output('half'))
    const cancelled = second.commanded({ kind: 'cancel', by: 'eve', why: 'no' }).scheduled()
    const undoing = cancelled.expired('poll').scheduled()
    expect(undoing.step('poll')).toMatchObject({
      direction: 'undo',
      idempotencyKey: 'job-1/poll/g1/undo',
      undo: { input: { item: 'half' } },
    })
  })

  it('is undone with the output of its last finished round, even if it was resubmitted', () => {
    const story = storyOf((job) => {
      const undo = { undo: (sold: Reference<Sold>) => shop.sell({ item: sold.item }) }
      job.repeat('poll', shop.sell, { item: 'x' }, { until: ends(job), atMost: 1, ...undo })
    })
    const over = story.scheduled().concluded('poll', output('half')).scheduled()
    const again = over.commanded({ kind: 'resubmit', by: 'eve', why: 'again' }).scheduled()
    const cancelled = again.commanded({ kind: 'cancel', by: 'eve', why: 'no' }).scheduled()
    const undoing = cancelled.expired('poll').scheduled()
    expect(undoing.step('poll')).toMatchObject({ direction: 'undo', undo: { input: { item: 'half' } } })
  })

  it('keeps its finished round if another step fails', () => {
    const story = storyOf((job) => {
      job.repeat('poll', shop.sell, { item: 'x' }, { until: ends(job), undo: 'none' })
      job.step('other', shop.sell, { item: 'y' }, { undo: 'none' })
    })
    const refused = { kind: 'permanent' as const, message: 'no' }
    const failed = story.scheduled().settled('other', refused).settled('poll', output('waits')).scheduled()
    expect(failed.job.processState).toBe('Error')
    const again = failed.commanded({ kind: 'resubmit', by: 'eve', why: 'again' }).scheduled()
    expect(again.step('poll')).toMatchObject({
      idempotencyKey: 'job-1/poll/g1/do/r2',
      round: { number: 2, previous: { item: 'waits' } },
    })
  })

  it('may be a part of a workflow in a workflow', () => {
    const inner = defineWorkflow<Input, Sold>('inner', (job) => {
      return job.repeat('poll', shop.sell, { item: 'x' }, { until: ends(job), undo: 'none' }).output
    })
    const story = storyOf((job) => void job.run('in', inner, { wanted: job.input.wanted })).scheduled()
    const second = story.concluded('in-poll', output('waits'))
    expect(second.step('in-poll').round?.number).toBe(2)
    expect(stateOf(second.concluded('in-poll', output('ready')), 'in-poll')).toBe('Processed')
  })
})

describe('a definition', () => {
  it('is refused with every problem of its repeated steps', () => {
    const build = (job: Builder): void => {
      job.repeat('poll', shop.sell, { item: 'x' }, { undo: 'none' } as never)
      const until = (): never => true as never
      job.repeat('ask', shop.sell, { item: 'x' }, { until, atMost: 0, every: 'soon', undo: 'none' } as never)
    }
    expect(() => defineWorkflow<Input>('polls', build)).toThrow(WorkflowInvalid)
    expect(() => defineWorkflow<Input>('polls', build)).toThrow(
      /"poll": until must be a function.*"ask": every is "soon".*atMost is 0.*"ask": until: /u,
    )
  })
})
