import { describe, expect, it } from 'vitest'
import { defineAgent } from '../../../../src/sas/agents/agent.js'
import { condition } from '../../../../src/sas/plan/condition.js'
import { fitPlan } from '../../../../src/sas/plan/fan-out.js'
import type { ForEachOptions } from '../../../../src/sas/workflow/for-each.js'
import { viewOf } from '../../../../src/sas/client/job-view.js'
import { submit } from '../../../../src/sas/submission/submit.js'
import { defineWorkflow, type WorkflowBuilder } from '../../../../src/sas/workflow/workflow.js'
import { WorkflowInvalid } from '../../../../src/sas/model/errors.js'
import { reference } from '../../../../src/sas/model/values/reference.js'
import { aSubmission, documentsOf, shop } from '../../../support/a-job.js'
import { JobStory } from '../../../support/job-story.js'

interface Line {
  readonly sku: string
  readonly quantity: number
}
interface Order {
  readonly lines: readonly Line[]
  readonly express?: boolean
}
interface Parcel {
  readonly parcelId: string
}

const warehouse = defineAgent('warehouse', {
  find: (_input: { readonly order: string }): readonly Line[] => [],
  pack: (input: { readonly sku: string; readonly count: number }): Parcel => ({ parcelId: input.sku }),
  unpack: (_input: { readonly parcelId: string; readonly sku: string }) => null,
  load: (_input: { readonly parcels: readonly Parcel[] }) => null,
})

const lines: readonly Line[] = [
  { sku: 'a', quantity: 1 },
  { sku: 'b', quantity: 2 },
]

function packing(options: ForEachOptions<Line, Parcel> = {}) {
  return (job: WorkflowBuilder<Order>) => {
    const packed = job.forEach(
      'pack',
      job.input.lines,
      (line) => warehouse.pack({ sku: line.sku, count: line.quantity }),
      { atMost: 3, ...options },
    )
    job.step('load', warehouse.load, { parcels: packed.output }, { undo: 'none' })
    if (options.onExhausted !== undefined && options.onExhausted !== 'continue')
      job.onExhausted(options.onExhausted)
  }
}

function storyOf(build: (job: WorkflowBuilder<Order>) => void, input: Order): JobStory {
  const { plan } = fitPlan(defineWorkflow<Order>('shipping', build).plan, { ...input } as never)
  return JobStory.of(documentsOf(submit(aSubmission(plan, { input: { ...input } as never }))))
}

/** Every step of the ledger with its state. */
function states({ job }: JobStory): Record<string, string> {
  return Object.fromEntries(Object.entries(job.steps).map(([stepId, { state }]) => [stepId, state]))
}

function packed(story: JobStory, ...indexes: readonly number[]): JobStory {
  return indexes.reduce(
    (before, index) =>
      before.settled(`pack-${index}`, { kind: 'success', output: { parcelId: `p${index}` } }),
    story,
  )
}

describe('a fan-out over a list of the job’s input', () => {
  it('runs one step for each item, in parallel, and gathers their outputs in order', () => {
    const story = storyOf(packing(), { lines }).scheduled()
    expect(states(story)).toEqual({
      'pack-0': 'Processing',
      'pack-1': 'Processing',
      pack: 'NotStarted',
      load: 'NotStarted',
    })
    expect(story.step('pack-1').input).toEqual({ sku: 'b', count: 2 })
    const gathered = packed(story, 1, 0).scheduled()
    expect(gathered.step('pack')).toMatchObject({
      processState: 'Processed',
      input: null,
      output: [{ parcelId: 'p0' }, { parcelId: 'p1' }],
    })
    const loading = gathered.scheduled()
    expect(loading.step('load').input).toEqual({ parcels: [{ parcelId: 'p0' }, { parcelId: 'p1' }] })
  })

  it('is done at once when the list is empty', () => {
    const story = storyOf(packing(), { lines: [] })
    expect([...story.steps.keys()]).toEqual(['pack', 'load'])
    const done = story.scheduled()
    expect(done.step('pack')).toMatchObject({ processState: 'Processed', output: [] })
    expect(done.scheduled().step('load').input).toEqual({ parcels: [] })
  })

  it('is refused at submission when the list is too long or is not a list', () => {
    const { plan } = defineWorkflow<Order>('shipping', packing())
    const problems = (input: unknown) => fitPlan(plan, input as never).problems
    expect(problems({ lines })).toEqual([])
    expect(problems({ lines: [...lines, ...lines] })).toEqual([
      'step "pack": the list of the step has 4 items; at most 3 are allowed, so define a larger atMost, or shorten the list',
    ])
    expect(problems({})).toEqual([
      'step "pack": the value that the step fans out over is not a list but null',
    ])
  })

  it('fails as a whole when one item fails for good', () => {
    const story = packed(storyOf(packing(), { lines }).scheduled(), 0).scheduled()
    const failed = story
      .settled('pack-1', { kind: 'permanent', message: 'no box', didNothing: true })
      .scheduled()
    expect(failed.job).toMatchObject({
      processState: 'Error',
      attention: { stepId: 'pack-1', message: 'step pack-1: no box' },
    })
  })

  it('undoes each finished item when another one fails (R107)', () => {
    const options: ForEachOptions<Line, Parcel> = {
      onExhausted: 'compensate',
      undo: (output, item) => warehouse.unpack({ parcelId: output.parcelId, sku: item.sku }),
    }
    const story = packed(storyOf(packing(options), { lines }).scheduled(), 0).scheduled()
    const back = story
      .settled('pack-1', { kind: 'permanent', message: 'no box', didNothing: true })
      .scheduled()
    expect(states(back)).toMatchObject({ 'pack-0': 'Compensating', 'pack-1': 'Error', load: 'NotStarted' })
    expect(back.step('pack-0').undo?.input).toEqual({ parcelId: 'p0', sku: 'a' })
    const undone = back.settled('pack-0', { kind: 'success', output: null }).scheduled()
    expect(undone.job.processState).toBe('Compensated')
  })

  it('is skipped with all its items when its condition does not hold', () => {
    const story = storyOf(
      (job) => {
        const when = condition.equal(job.input.express, true)
        job.forEach('pack', job.input.lines, (line) => warehouse.pack({ sku: line.sku, count: 1 }), { when })
      },
      { lines, express: false },
    )
    expect(story.scheduled().job).toMatchObject({
      processState: 'Processed',
      steps: { 'pack-0': { state: 'Skipped' }, pack: { state: 'Skipped' } },
    })
  })
})

describe('a fan-out over an earlier step’s output', () => {
  const finding = storyOf(
    (job) => {
      const found = job.step('find', warehouse.find, { order: 'x' })
      job.forEach('pack', found.output, (line) => warehouse.pack({ sku: line.sku, count: 1 }), { atMost: 3 })
    },
    { lines },
  ).scheduled()

  function found(output: unknown): JobStory {
    return finding.settled('find', { kind: 'success', output: output as never }).scheduled()
  }

  it('runs as many steps as the list has items, and skips the others', () => {
    const story = found(lines)
    expect(states(story)).toMatchObject({
      'pack-0': 'Processing',
      'pack-1': 'Processing',
      'pack-2': 'Skipped',
      pack: 'NotStarted',
    })
    const done = packed(story, 0, 1).scheduled()
    expect(done.step('pack').output).toEqual([{ parcelId: 'p0' }, { parcelId: 'p1' }])
    expect(done.scheduled().job.processState).toBe('Processed')
  })

  it.each([
    ['too long a list', [...lines, ...lines], 'the list of the step has 4 items; at most 3'],
    ['no list', { lines }, 'not a list but object'],
  ])('begins no step and fails for %s', (_what, output, message) => {
    const story = found(output)
    expect(story.step('pack')).toMatchObject({
      processState: 'Error',
      attention: { message: expect.stringContaining(message) as unknown },
    })
    expect(states(story)).toMatchObject({ 'pack-0': 'Skipped', 'pack-2': 'Skipped' })
    expect(story.scheduled().job.processState).toBe('Error')
  })

  it('gathers no outputs of an earlier generation, which was undone', () => {
    const { plan } = defineWorkflow<{ readonly items: readonly string[] }>('shipping', (job) => {
      job.onExhausted('compensateThenRetry')
      const ask = job.step('ask', shop.sell, { item: 'how' }, { undo: 'none' })
      const isFast = condition.equal(reference<boolean>(['steps', 'ask', 'output', 'isFast']), true)
      const label = job.step('label', shop.sell, { item: 'x' }, { when: isFast, undo: 'none', after: [ask] })
      const packed = job.forEach('pack', job.input.items, () => shop.sell({ item: label.output.item }), {
        undo: 'none',
        atMost: 1,
      })
      job.step('pay', shop.sell, { item: packed.output as never }, { undo: 'none' })
    })
    const output = (value: unknown) => ({ kind: 'success', output: value as never }) as const
    const story = JobStory.of(documentsOf(submit(aSubmission(plan, { input: { items: ['a'] } }))))
    const first = story
      .scheduled()
      .settled('ask', output({ isFast: true }))
      .scheduled()
      .settled('label', output({ item: 'l' }))
      .scheduled()
      .settled('pack-0', output('packed'))
      .scheduled()
      .scheduled()
    expect(first.step('pay').input).toEqual({ item: ['packed'] })
    const failed = first.settled('pay', { kind: 'permanent', message: 'no' }).scheduled()
    expect(failed.job.generation).toBe(2)
    const second = failed
      .settled('ask', output({ isFast: false }))
      .scheduled()
      .scheduled()
    expect(states(second)).toMatchObject({ label: 'Skipped', 'pack-0': 'Skipped', pack: 'Processed' })
    expect(second.step('pay').input).toEqual({ item: [null] })
    const outputs = viewOf(second.job, [...second.steps.values()], { now: 0 }).steps.map(
      (step) => step.output,
    )
    expect(outputs).toEqual([{ isFast: false }, null, null, [null], null])
  })

  it('fails when its output is too large for a transaction, and accepts no other input (I16)', () => {
    const half = 'x'.repeat(999_000)
    const story = found(lines)
      .settled('pack-0', { kind: 'success', output: half })
      .settled('pack-1', { kind: 'success', output: half })
      .scheduled()
    expect(story.step('pack').attention?.message).toContain('the output of the step has 1998')
    const why = { by: 'ann', why: 'x' }
    const edited = { kind: 'resubmit', steps: [{ stepId: 'pack', input: [] }], ...why } as const
    expect(story.scheduled().commanding(edited)).toEqual({
      kind: 'refused',
      reason:
        'no input is allowed for step pack: the input is collected from other steps; resubmit without an input',
    })
  })
})

describe('the definition of a fan-out', () => {
  function problemsOf(build: (job: WorkflowBuilder<Order>) => void): readonly string[] {
    try {
      defineWorkflow<Order>('shipping', build)
    } catch (error) {
      if (error instanceof WorkflowInvalid) return error.problems
      throw error
    }
    return []
  }

  it('is refused with each problem named once', () => {
    const problems = problemsOf((job) => {
      job.forEach('none', job.input.lines, () => warehouse.unpack({ parcelId: 'x', sku: 'x' }), { atMost: 0 })
      job.forEach('list', lines as never, () => warehouse.load({ parcels: [] }))
      packing({ completeWithin: 'soon', onExhausted: 'compensate' })(job)
    })
    expect(problems).toEqual([
      'step "none": atMost is 0; it must be a whole number from 1 to 1000',
      'step "list": its list must be a reference (job.input, the output of a step, or a part of either)',
      'step "pack": completeWithin is "soon"; it must be a duration from 1 ms to 100 years, such as 30000 or \'30s\'',
      'step "pack": it may already be done when step "pack" fails and the job is compensated; give step "pack" an undo, or undo: \'none\' if it has no effect',
    ])
  })

  it('adds no step when it is invalid, so a later step cannot refer to it', () => {
    const problems = problemsOf((job) => {
      const load = (list: unknown, options: ForEachOptions<Line, Parcel>) => {
        const packed = job.forEach(
          'pack',
          list as never,
          () => warehouse.pack({ sku: 'x', count: 1 }),
          options,
        )
        job.step(`${packed.id}-load`, warehouse.load, { parcels: packed.output })
      }
      load(job.input.lines, { atMost: 1.5 })
      load(lines, {})
    })
    expect(problems).toEqual([
      'step "pack": atMost is 1.5; it must be a whole number from 1 to 1000',
      'step "pack-load": its input refers to step "pack", but there is no such earlier step',
      'step "pack": its list must be a reference (job.input, the output of a step, or a part of either)',
      'step "pack-load": its id is used twice',
    ])
  })

  it.each([
    [1, []],
    [999, []],
    [1_000, ['it has 1001 steps; at most 1000 are allowed']],
    [1_001, ['step "pack": atMost is 1001; it must be a whole number from 1 to 1000']],
  ])('counts the gathering step towards the limit of a thousand steps: %d items', (atMost, problems) => {
    const pack = () => warehouse.pack({ sku: 'x', count: 1 })
    expect(problemsOf((job) => void job.forEach('pack', job.input.lines, pack, { atMost }))).toEqual(problems)
  })

  it('is accepted when its items say that they have no effect', () => {
    expect(problemsOf(packing({ undo: 'none', onExhausted: 'compensate' }))).toEqual([])
  })

  it('does not compile when the item, the list or the output does not fit', () => {
    defineWorkflow<Order>('typed', (job) => {
      // @ts-expect-error a property that items do not have
      job.forEach('a', job.input.lines, (line) => warehouse.pack({ sku: line.name as string, count: 1 }))
      // @ts-expect-error a number where a string is wanted
      job.forEach('b', job.input.lines, (line) => warehouse.pack({ sku: line.quantity, count: 1 }))
      // @ts-expect-error a boolean is not a list
      job.forEach('c', job.input.express, () => warehouse.load({ parcels: [] }))
      const packed = job.forEach('d', job.input.lines, (line) => warehouse.pack({ sku: line.sku, count: 1 }))
      // @ts-expect-error a list of parcels is not one parcel
      job.step('e', warehouse.unpack, { parcelId: packed.output.parcelId as string, sku: 'x' })
      job.step('f', warehouse.load, { parcels: packed.output })
      expect(packed.id).toBe('d')
    })
  })
})
