import { describe, expect, it } from 'vitest'
import type { Json, StepDocument } from '../../../src/sas/model/documents.js'
import type { StepOutcome } from '../../../src/sas/model/values/step-handle.js'
import { text } from '../../../src/sas/model/values/text-template.js'
import { condition, type Condition } from '../../../src/sas/plan/condition.js'
import { raiseEvent } from '../../../src/sas/decisions/operator/raise-event.js'
import type { Outcome } from '../../../src/sas/decisions/settle.js'
import { defineAgent } from '../../../src/sas/agents/agent.js'
import { submit } from '../../../src/sas/submission/submit.js'
import { defineWorkflow, type WorkflowBuilder } from '../../../src/sas/workflow/workflow.js'
import { viewOf } from '../../../src/sas/client/job-view.js'
import { aSubmission, documentsOf, shop } from '../../support/a-job.js'
import { JobStory, success } from '../../support/job-story.js'

interface Order {
  readonly name: string
  readonly names: readonly string[]
}

type Builder = WorkflowBuilder<Order>

const item = { item: 'x' }
const told = defineAgent('told', {
  tell: (_input: { readonly paid: string; readonly how: string }) => null,
  list: (_input: { readonly sold: unknown }) => null,
})
const once = { retry: { tries: 1 }, onExhausted: 'continue' } as const
const refused: Outcome = { kind: 'permanent', message: 'the card was declined', didNothing: true }
const doubtful: Outcome = { kind: 'permanent', message: 'the answer was odd' }

function storyOf(build: (job: Builder) => void, input: Json = { name: 'Ada' }): JobStory {
  const { plan } = defineWorkflow<Order>('shopping', build)
  return JobStory.of(documentsOf(submit(aSubmission(plan, { input }))))
}

function states({ job }: JobStory): Record<string, string> {
  return Object.fromEntries(Object.entries(job.steps).map(([stepId, { state }]) => [stepId, state]))
}

/** The ways in which the step `pay` can end, with the states of its ledger entry. */
const ends: readonly (readonly [StepOutcome, string, (story: JobStory) => JobStory])[] = [
  ['done', 'Processed', (story) => story.concluded('pay')],
  ['refused', 'Refused', (story) => story.concluded('pay', refused)],
  ['timedOut', 'TimedOut', (story) => story.expired('pay').scheduled()],
  [
    'failed',
    'Failed',
    (story) => story.settled('pay', { kind: 'failed', message: 'busy' }).expired('pay').scheduled(),
  ],
]

describe('a step with onExhausted: continue', () => {
  it.each(ends)('that is %s lets its job go on as Processed', (_outcome, state, end) => {
    const story = end(
      storyOf((job) => {
        job.step('pay', shop.sell, item, once)
        job.step('pack', shop.sell, item, { completeWithin: '1h' })
      }).scheduled(),
    )
    expect(states(story)).toEqual({ pay: state, pack: 'Processing' })
    expect(story.job).toMatchObject({ processState: 'Processing', attention: null })
    const ended = story.concluded('pack')
    expect(ended.job).toMatchObject({ processState: 'Processed', attention: null })
    expect(ended.deciding()).toEqual({ kind: 'nothing' })
  })

  it.each(ends)('that is %s answers each question about its outcome', (outcome, _state, end) => {
    const story = end(
      storyOf((job) => {
        const pay = job.step('pay', shop.sell, item, once)
        const asked: Record<string, Condition> = {
          done: condition.done(pay),
          failed: condition.failed(pay),
          late: condition.timedOut(pay),
          refused: condition.refused(pay),
          skipped: condition.skipped(pay),
        }
        for (const [name, when] of Object.entries(asked)) job.step(`if-${name}`, shop.sell, item, { when })
      }).scheduled(),
    )
    const begun = Object.entries(states(story)).flatMap(([id, state]) => (state === 'Processing' ? [id] : []))
    const expected =
      outcome === 'done' ? ['if-done'] : ['if-failed', `if-${outcome === 'timedOut' ? 'late' : outcome}`]
    expect(begun.toSorted()).toEqual([...new Set(expected)].toSorted())
  })

  it('is tried as often as its retry says before the job goes on', () => {
    const first = storyOf((job) => {
      job.step('pay', shop.sell, item, { retry: { tries: 2 }, onExhausted: 'continue' })
    }).scheduled()
    const second = first.expired('pay').scheduled()
    expect(states(second)).toEqual({ pay: 'Processing' })
    expect(states(second.expired('pay').scheduled())).toEqual({ pay: 'TimedOut' })
  })

  it('lets a fallback take its place, and a later step use whichever is done', () => {
    const build = (job: Builder): void => {
      const card = job.step('pay', shop.sell, { item: 'card' }, once)
      const invoice = job.step('invoice', shop.sell, { item: 'invoice' }, { when: condition.failed(card) })
      const when = condition.any(condition.done(card), condition.done(invoice))
      const paid = text`${card.output.item}${invoice.output.item}`
      job.step('ship', told.tell, { paid, how: card.outcome }, { when })
    }
    const failed = storyOf(build).scheduled().concluded('pay', refused)
    expect(states(failed)).toEqual({ pay: 'Refused', invoice: 'Processing', ship: 'NotStarted' })
    const shipping = failed.concluded('invoice', { kind: 'success', output: { item: 'invoice' } })
    expect(shipping.step('ship').input).toEqual({ paid: 'invoice', how: 'refused' })
    const paid = storyOf(build)
      .scheduled()
      .concluded('pay', { kind: 'success', output: { item: 'card' } })
    expect(states(paid)).toEqual({ pay: 'Processed', invoice: 'Skipped', ship: 'Processing' })
    expect(paid.step('ship').input).toEqual({ paid: 'card', how: 'done' })
  })

  it('skips steps that need its output and do not ask for its outcome, and what needs those', () => {
    const story = storyOf((job) => {
      const pay = job.step('pay', shop.sell, item, once)
      const receipt = job.step('receipt', shop.sell, { item: pay.output.item })
      job.step('archive', shop.sell, { item: receipt.output.item })
      job.step('follow', shop.sell, item, { after: [pay, receipt] })
      job.step('value', shop.sell, item, { when: condition.present(pay.output) })
    })
      .scheduled()
      .concluded('pay', refused)
    expect(states(story)).toEqual({
      pay: 'Refused',
      receipt: 'Skipped',
      archive: 'Skipped',
      follow: 'Processing',
      value: 'Skipped',
    })
  })

  it('asks whether another step was skipped', () => {
    const build = (job: Builder): void => {
      const gift = condition.equal(job.input.name, 'Ada')
      const wrap = job.step('wrap', shop.sell, item, { when: gift })
      job.step('plain', shop.sell, item, { when: condition.skipped(wrap) })
    }
    expect(states(storyOf(build, { name: 'Bob' }).scheduled())).toEqual({
      wrap: 'Skipped',
      plain: 'Processing',
    })
    const wrapped = storyOf(build).scheduled().concluded('wrap')
    expect(states(wrapped)).toEqual({ wrap: 'Processed', plain: 'Skipped' })
  })

  it('needs no other document than its own to be left behind', () => {
    const story = storyOf((job) => {
      const pay = job.step('pay', shop.sell, item, once)
      job.step('tell', told.tell, { paid: pay.output.item, how: pay.outcome })
    })
      .scheduled()
      .settled('pay', refused)
    expect(story.deciding(['pay', 'tell']).kind).toBe('write')
    expect(story.concluded.call(story.scheduled(), 'tell').job.processState).toBe('Processed')
  })

  it('does not keep another step from ending the job in error', () => {
    const story = storyOf((job) => {
      job.step('pay', shop.sell, item, once)
      job.step('pack', shop.sell, item)
    })
      .scheduled()
      .concluded('pay', refused)
      .concluded('pack', refused)
    expect(story.job).toMatchObject({ processState: 'Error', attention: { stepId: 'pack' } })
    const again = story.commanded({ kind: 'resubmit', by: 'ann', why: 'fixed' }).scheduled()
    // The job has gone on without `pay`, so only the other step is tried again.
    expect(states(again)).toEqual({ pay: 'Refused', pack: 'Processing' })
  })

  it('is shown with its outcome and its reason', () => {
    const story = storyOf((job) => void job.step('pay', shop.sell, item, once))
      .scheduled()
      .concluded('pay', refused)
    const view = viewOf(story.job, [...story.steps.values()], { now: 0 })
    expect(view).toMatchObject({
      state: 'Processed',
      attention: null,
      steps: [
        {
          ...{ stepId: 'pay', state: 'Refused', attention: null },
          diagnostics: [{ message: 'the card was declined' }],
        },
      ],
    })
  })

  it('is not a policy of a whole workflow', () => {
    expect(() => storyOf((job) => job.onExhausted('continue' as never))).toThrow(
      'job.onExhausted: policy is "continue"',
    )
  })
})

describe('an event that does not come', () => {
  const build = (job: Builder): void => {
    const approved = job.waitFor('approve', { completeWithin: '3d', onExhausted: 'continue' })
    job.step('remind', shop.sell, item, { when: condition.timedOut(approved) })
    job.step('pay', shop.sell, item, { when: condition.done(approved) })
  }

  it('is an outcome, so that the job can remind and go on', () => {
    const late = storyOf(build).scheduled().expired('approve').scheduled()
    expect(states(late)).toEqual({ approve: 'TimedOut', remind: 'Processing', pay: 'Skipped' })
    expect(raiseEvent(late.step('approve'), true, late.now)).toMatchObject({
      kind: 'refused',
      reason: 'step approve waited until its deadline and no longer waits',
    })
  })

  it('is not asked about when it comes in time', () => {
    const waiting = storyOf(build).scheduled()
    const raised = raiseEvent(waiting.step('approve'), { by: 'ann' }, waiting.now)
    if (raised.kind !== 'write') throw new Error(raised.kind)
    const story = waiting.withStep(raised.step).scheduled().scheduled()
    expect(states(story)).toEqual({ approve: 'Processed', remind: 'Skipped', pay: 'Processing' })
  })
})

describe('a question for what is done so far', () => {
  const build = (job: Builder): void => {
    const slow = job.step('slow', shop.sell, item, { completeWithin: '2h' })
    const soon = job.sleep('soon', '1h')
    job.step('hurry', shop.sell, item, { after: [soon], when: condition.not(condition.doneSoFar(slow)) })
  }
  const slept = (story: JobStory) => story.expired('soon').scheduled().scheduled()

  it('does not wait for the step, and is answered when the rest is ready', () => {
    const begun = storyOf(build).scheduled()
    expect(states(begun)).toEqual({ slow: 'Processing', soon: 'Processing', hurry: 'NotStarted' })
    expect(begun.step('hurry').dependsOn).toEqual(['soon'])
    expect(states(slept(begun))).toMatchObject({ slow: 'Processing', hurry: 'Processing' })
    expect(states(slept(begun.concluded('slow')))).toMatchObject({ slow: 'Processed', hurry: 'Skipped' })
  })

  it('is answered once: a later end of the step changes nothing (F-D18)', () => {
    const asked = slept(storyOf(build).scheduled())
    const later = asked.concluded('slow')
    expect(states(later)).toMatchObject({ slow: 'Processed', hurry: 'Processing' })
    expect(states(later.expired('hurry').scheduled())).toMatchObject({ hurry: 'Processing' })
    expect(later.concluded('hurry', success).job.processState).toBe('Processed')
  })
})

describe('a sleep that another step cuts short', () => {
  const build = (job: Builder): void => {
    const approved = job.waitFor('approve', { completeWithin: '10d', onExhausted: 'continue' })
    const three = job.sleep('three-days', '3d', { orUntil: approved })
    job.step('remind', shop.sell, item, {
      after: [three],
      when: condition.not(condition.doneSoFar(approved)),
    })
  }
  const approve = (story: JobStory): JobStory => {
    const raised = raiseEvent(story.step('approve'), true, story.now)
    if (raised.kind !== 'write') throw new Error(raised.kind)
    return story.withStep(raised.step).scheduled()
  }

  it('ends when that step is over, so that the job ends', () => {
    const begun = storyOf(build).scheduled()
    expect(begun.deciding()).toEqual({ kind: 'nothing' })
    expect(begun.step('three-days').dependsOn).toEqual([])
    const approved = approve(begun.later(1_000))
    expect(states(approved)).toMatchObject({ approve: 'Processed', 'three-days': 'Processing' })
    const cut = approved.scheduled()
    expect(states(cut)).toMatchObject({ 'three-days': 'Processed', remind: 'NotStarted' })
    expect(cut.step('three-days')).toMatchObject({ processState: 'Processed', completeBy: null, dispatch: 2 })
    const ended = cut.scheduled()
    expect(states(ended)).toMatchObject({ remind: 'Skipped' })
    expect(ended.job.processState).toBe('Processed')
  })

  it('is read if the scheduler does not know it', () => {
    const approved = approve(storyOf(build).scheduled())
    expect(approved.deciding(['approve'])).toMatchObject({ kind: 'read', stepIds: ['three-days'] })
  })

  it('ends at its own time if that step is still under way', () => {
    const late = storyOf(build).scheduled().expired('three-days').scheduled().scheduled()
    expect(states(late)).toEqual({ approve: 'Processing', 'three-days': 'Processed', remind: 'Processing' })
  })

  it('ends at once if that step was over before it began', () => {
    const story = storyOf((job) => {
      const pay = job.step('pay', shop.sell, item)
      const other = job.step('other', shop.sell, item, { completeWithin: '1h' })
      job.sleep('rest', '3d', { orUntil: pay, after: [other] })
    })
      .scheduled()
      .concluded('pay')
      .concluded('other')
    expect(story.scheduled().scheduled().job.processState).toBe('Processed')
  })

  it('needs a step that is there', () => {
    const elsewhere = () => storyOf((job) => void job.sleep('rest', '3d', { orUntil: { id: 'there' } }))
    expect(elsewhere).toThrow('step "rest": it asks about step "there", but there is no such earlier step')
    const wrong = () => storyOf((job) => void job.sleep('rest', '3d', { orUntil: 'approve' as never }))
    expect(wrong).toThrow('orUntil must be a step, as in { orUntil: approved }')
  })
})

describe('a job that goes back after it went on without a step (F-K14)', () => {
  const undo = { undo: () => shop.takeBack(item) }
  const build = (job: Builder): void => {
    const card = job.step('pay', shop.sell, item, { ...once, ...undo })
    const invoice = job.step('invoice', shop.sell, item, { when: condition.failed(card), ...undo })
    job.step('ship', shop.sell, item, { after: [invoice], undo: 'none' })
    job.onExhausted('compensate')
  }
  const undone: Outcome = { kind: 'success', output: null }
  const back = (end: (story: JobStory) => JobStory) =>
    end(storyOf(build).scheduled()).concluded('invoice').concluded('ship', refused)

  it.each<[string, (story: JobStory) => JobStory]>([
    ['gave no answer', (story) => story.expired('pay').scheduled()],
    ['may have acted', (story) => story.concluded('pay', doubtful)],
    [
      'reported an error',
      (story) => story.settled('pay', { kind: 'failed', message: 'busy' }).expired('pay').scheduled(),
    ],
  ])('undoes the step that %s, after the steps that came after it (I6)', (_what, end) => {
    const first = back(end)
    expect(states(first)).toMatchObject({ invoice: 'Compensating', ship: 'Error' })
    expect(states(first)['pay']).toMatch(/^(TimedOut|Refused|Failed)$/u)
    const second = first.concluded('invoice', undone)
    expect(states(second)).toMatchObject({ pay: 'Compensating', invoice: 'Compensated' })
    expect(second.step('pay')).toMatchObject({
      direction: 'undo',
      lockedBy: 'scheduler-1',
    } satisfies Partial<StepDocument>)
    const ended = second.concluded('pay', undone)
    expect(states(ended)).toMatchObject({ pay: 'Compensated', invoice: 'Compensated' })
    expect(ended.job.processState).toBe('Compensated')
  })

  it('leaves alone the step that certainly did nothing', () => {
    const first = back((story) => story.concluded('pay', refused))
    const ended = first.concluded('invoice', undone)
    expect(states(ended)).toMatchObject({ pay: 'Refused', invoice: 'Compensated' })
    expect(ended.job.processState).toBe('Compensated')
  })

  it('asks everything again in a new generation', () => {
    const again = storyOf((job) => {
      const card = job.step('pay', shop.sell, item, { ...once, undo: 'none' })
      const invoice = job.step('invoice', shop.sell, item, { when: condition.failed(card), undo: 'none' })
      job.step('ship', shop.sell, item, { after: [invoice], undo: 'none' })
      job.onExhausted('compensateThenRetry')
    })
      .scheduled()
      .concluded('pay', refused)
      .concluded('invoice')
      .concluded('ship', refused)
    expect(again.job.generation).toBe(2)
    expect(states(again)).toEqual({ pay: 'Processing', invoice: 'NotStarted', ship: 'NotStarted' })
    expect(states(again.concluded('pay'))).toEqual({
      pay: 'Processed',
      invoice: 'Skipped',
      ship: 'Processing',
    })
  })
})

describe('a fan-out whose items may fail', () => {
  it('gathers the outputs of the others, with null in the place of a failed one', () => {
    const story = storyOf(
      (job) => {
        const sold = job.forEach('sell', job.input.names, () => shop.sell(item), { atMost: 2, ...once })
        job.step('report', told.list, { sold: sold.output })
      },
      { names: ['a', 'b'] },
    )
      .scheduled()
      .concluded('sell-0', refused)
      .concluded('sell-1')
      .scheduled()
    expect(states(story)).toMatchObject({ 'sell-0': 'Refused', sell: 'Processed', report: 'Processing' })
    expect(story.step('report').input).toEqual({ sold: [null, 'sold'] })
  })
})

describe('another workflow that runs as a part', () => {
  it('asks for outcomes of its own steps, under their new ids', () => {
    const inner = defineWorkflow<{ readonly name: string }, { readonly how: string }>('paying', (job) => {
      const card = job.step('card', shop.sell, { item: text`for ${job.input.name}` }, once)
      job.step('invoice', shop.sell, item, { when: condition.failed(card) })
      return { how: card.outcome }
    })
    const story = storyOf((job) => {
      const paid = job.run('pay', inner, { name: text`Dr ${job.input.name}` })
      job.step('ship', shop.sell, { item: paid.output.how })
    }).scheduled()
    expect(story.step('pay-card').input).toEqual({ item: 'for Dr Ada' })
    const failed = story.concluded('pay-card', refused)
    expect(states(failed)).toMatchObject({ 'pay-card': 'Refused', 'pay-invoice': 'Processing' })
    const done = failed.concluded('pay-invoice').scheduled()
    expect(done.step('ship').input).toEqual({ item: 'refused' })
  })

  it('may not be asked for what is done so far, because its steps would get different answers', () => {
    const inner = defineWorkflow('inner', (job) => void job.step('a', shop.sell, item))
    const late = (job: Builder) => ({ when: condition.doneSoFar(job.step('slow', shop.sell, item)) })
    const advice = 'doneSoFar is asked by one step only: ask with job.sleep'
    expect(() => storyOf((job) => void job.run('part', inner, {}, late(job)))).toThrow(advice)
    expect(() =>
      storyOf((job) => {
        job.forEach('each', job.input.names, () => shop.sell(item), late(job))
      }),
    ).toThrow(advice)
  })
})

describe('a text in an undo', () => {
  it('is made of the output of its own step and of other steps', () => {
    const story = storyOf((job) => {
      const pack = job.step('pack', shop.sell, item, { undo: 'none' })
      job.step('pay', shop.sell, item, {
        undo: (sold) => shop.takeBack({ item: text`${pack.output.item}+${sold.item}+${pack.outcome}` }),
      })
    })
      .scheduled()
      .concluded('pack', { kind: 'success', output: { item: 'box' } })
      .settled('pay', { kind: 'success', output: { item: 'card' } })
    expect(story.step('pay').undo?.input).toEqual({ item: 'box+card+done' })
  })
})
