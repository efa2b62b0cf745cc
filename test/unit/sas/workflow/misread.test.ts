import { describe, expect, it } from 'vitest'
import { text } from '../../../../src/sas/model/values/text-template.js'
import { condition } from '../../../../src/sas/plan/condition.js'
import { resolveTemplate } from '../../../../src/sas/plan/template.js'
import type { Json } from '../../../../src/sas/model/documents.js'
import { defineWorkflow, type WorkflowBuilder } from '../../../../src/sas/workflow/workflow.js'
import { shop } from '../../../support/a-job.js'

interface Order {
  readonly name: string
  readonly count: number
  readonly items: readonly string[]
}

type Builder = WorkflowBuilder<Order>

const item = { item: 'x' }
const inTemplateString = (value: unknown) => ''.concat(value as string)
const define = (build: (job: Builder) => unknown) => () => defineWorkflow('w', build as never)

/** Definitions that a caller in JavaScript may write, each with a part of the refusal. */
const misread: readonly (readonly [string, (job: Builder) => unknown, string])[] = [
  [
    'a misspelt option of a question',
    (job) => void job.ask('q', { title: 'Yes?', reminderAfter: '3d' } as never),
    'step "q": reminderAfter is not an option: did you mean remindAfter?',
  ],
  [
    'a question without options',
    (job) => void job.ask('q', 'Yes?' as never),
    'step "q": its options are "Yes?"; write { title: \'Is it right?\' }',
  ],
  [
    'a sleep without a time',
    (job) => void job.sleep('nap', { after: '3d' } as never),
    'step "nap": its time is missing: write job.sleep(',
  ],
  [
    'a step in place of its output',
    (job) => job.step('b', shop.sell, { item: job.step('a', shop.sell, item) as never }),
    'step "b": input.item is step "a" itself; write its output, as in step.output or step.output.id',
  ],
  [
    'a step in place of a condition',
    (job) => job.step('b', shop.sell, item, { when: job.step('a', shop.sell, item) as never }),
    'step "b": when: step "a" is a step, not a condition: write condition.done(step)',
  ],
  [
    'an output in place of a step',
    (job) => {
      const a = job.step('a', shop.sell, item)
      job.step('b', shop.sell, item, { when: condition.done(a.output as never) })
    },
    "condition.done needs a step, as in const paid = job.step('pay', …) and { when: condition.done(paid) }",
  ],
  ['no step', () => condition.timedOut(undefined as never), 'condition.timedOut needs a step'],
  ['the id of a step', () => condition.doneSoFar('a' as never), 'condition.doneSoFar needs a step'],
  [
    'an output among the steps to wait for',
    (job) => {
      const a = job.step('a', shop.sell, item)
      job.step('b', shop.sell, item, { after: [a.output as never] })
    },
    'step "b": after is [an object]; it must be a list of steps',
  ],
  [
    'a call in place of an operation',
    (job) => job.step('a', shop.sell({ item: 'y' }) as never, item as never),
    'step "a": pass the operation and its input separately: job.step(\'a\', shop.sell, { … })',
  ],
  [
    'an async definition',
    async (job) => {
      await Promise.resolve()
      job.step('a', shop.sell, item)
    },
    'its output is a Promise; a definition only describes the steps, so it awaits nothing',
  ],
  [
    'a reference as a duration',
    (job) => job.sleep('rest', job.input.count as never),
    'step "rest": its time is a reference: write { until: job.input.count }',
  ],
  [
    'a step in a template string',
    (job) => inTemplateString(job.step('a', shop.sell, item)),
    'step "a" cannot be converted to text or a number; write text`…${step.output}…`',
  ],
  [
    'a reference in a template string',
    (job) => inTemplateString(job.input.name),
    'job.input.name cannot be converted to text or a number here',
  ],
  [
    'a text in a template string',
    (job) => inTemplateString(text`Hello ${job.input.name}`),
    'write both as one text`…`',
  ],
  ['a missing value in a text', () => text`Hello ${undefined as never}`, 'value 1 of a text`…` is undefined'],
  [
    'a step in a text',
    (job) => text`of ${job.step('a', shop.sell, item) as never}`,
    'value 1 of a text`…` is an object',
  ],
  [
    'a failure that ends the job',
    (job) => {
      const a = job.step('a', shop.sell, item, { onExhausted: 'park' })
      job.step('b', shop.sell, item, { when: condition.not(condition.timedOut(a)) })
    },
    'step "b": when: the job does not go on without step "a", so no step can ask for its failure; give that step onExhausted: \'continue\'',
  ],
  [
    'a failure of a fan-out',
    (job) => {
      const all = job.forEach('all', job.input.items, () => shop.sell(item), { onExhausted: 'continue' })
      job.step('b', shop.sell, item, { when: condition.failed(all) })
    },
    'step "b": when: the job does not go on without step "all"',
  ],
  [
    'an answer from a step of another workflow',
    (job) => {
      const others: { readonly id: string }[] = []
      defineWorkflow('other', (other) => void others.push(other.step('there', shop.sell, item)))
      const [there = { id: '' }] = others
      job.step('a', shop.sell, item, { when: condition.doneSoFar(there) })
    },
    'step "a": it asks about step "there", but there is no such earlier step',
  ],
]

describe('a definition that would be misread', () => {
  it.each(misread)('is refused with the right form: %s', (_what, build, message) => {
    expect(define(build)).toThrow(message)
  })
})

describe('a text', () => {
  const known = {
    input: { name: 'Ada', count: 3, items: ['a', 'b'], isNew: true, none: null } as Json,
    outputs: new Map<string, Json>([['pay', { id: 7 }]]),
  }
  const resolved = (build: (job: Builder) => unknown): Json => {
    const { plan } = defineWorkflow<Order>('w', (job) => {
      job.step('pay', shop.sell, item)
      job.step('tell', shop.sell, { item: build(job) as string })
    })
    const template = JSON.parse(JSON.stringify(plan.steps[1]?.input)) as Json
    return (resolveTemplate(template, known) as { readonly item: Json }).item
  }

  it.each<[string, (job: Builder) => unknown, string]>([
    ['a text', (job) => text`Hello ${job.input.name}!`, 'Hello Ada!'],
    ['a number', (job) => text`${job.input.count} parts`, '3 parts'],
    ['a list, as JSON', (job) => text`${job.input.items}`, '["a","b"]'],
    ['a member of a list', (job) => text`the ${job.input.items[1] as never}`, 'the b'],
    ['the length of a list', (job) => text`of ${job.input.items.length}`, 'of 2'],
    ['true', (job) => text`${(job.input as never as { isNew: never }).isNew}`, 'true'],
    ['null, as nothing', (job) => text`[${(job.input as never as { none: never }).none}]`, '[]'],
    ['nothing that is missing', (job) => text`[${(job.input as never as { odd: never }).odd}]`, '[]'],
    ['constants', () => text`${1}${'a'}${true}`, '1atrue'],
    ['another text', (job) => text`<${text`Hello ${job.input.name}`}>`, '<Hello Ada>'],
    ['no value', () => text`plain`, 'plain'],
    ['nothing at all', () => text``, ''],
  ])('contains %s', (_what, build, expected) => {
    expect(resolved(build)).toBe(expected)
  })

  it('waits for the steps whose output it contains', () => {
    const { plan } = defineWorkflow<Order>('w', (job) => {
      const pay = job.step('pay', shop.sell, item)
      job.step('tell', shop.sell, { item: text`paid with ${pay.output.item}` })
    })
    expect(plan.steps[1]?.dependsOn).toEqual(['pay'])
  })

  it('in an undo gets the output of its own step when that succeeds', () => {
    const { plan } = defineWorkflow<Order>('w', (job) => {
      job.step('pay', shop.sell, item, {
        undo: (sold) => shop.takeBack({ item: text`${job.input.name}: ${sold.item}` }),
      })
    })
    expect(plan.steps[0]?.undo?.input).toEqual({
      item: {
        $from: ['text', { $from: ['input', 'name'] }, ': ', { $from: ['steps', 'pay', 'output', 'item'] }],
      },
    })
  })

  it('is not mistaken for an object of the user', () => {
    const own = { $text: ['a'], $from: ['text', 'b'] }
    expect(resolved(() => own)).toEqual(own)
  })
})
