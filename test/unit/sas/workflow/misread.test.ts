import { describe, expect, it } from 'vitest'
import { text } from '../../../../src/sas/model/values/text-template.js'
import { condition } from '../../../../src/sas/plan/condition.js'
import { resolveTemplate } from '../../../../src/sas/plan/template.js'
import type { Reference } from '../../../../src/sas/model/values/reference.js'
import type { Json } from '../../../../src/sas/model/documents.js'
import { defineWorkflow, type WorkflowBuilder } from '../../../../src/sas/workflow/workflow.js'
import { shop } from '../../../support/a-job.js'

interface Order {
  readonly name: string
  readonly count: number
  readonly items: readonly string[]
}

type Builder = WorkflowBuilder<Order>
type Names = Record<'stpe' | 'signal' | 'transaction', (...given: unknown[]) => void>

const item = { item: 'x' }
const inTemplateString = (value: unknown) => ''.concat(value as string)
const part = defineWorkflow('part', (job) => void job.step('a', shop.sell, item))
const define = (build: (job: Builder) => unknown) => () => defineWorkflow('w', build as never)

/** Definitions that a caller in JavaScript may write, each with a part of the refusal. */
const misread: readonly (readonly [string, (job: Builder) => unknown, string])[] = [
  [
    'a misspelt option of a question',
    (job) => void job.ask('q', { title: 'Yes?', reminderAfter: '3d' } as never),
    'step "q": reminderAfter is not an option: did you mean remindAfter?',
  ],
  [
    'a policy that does not exist',
    (job) => void job.step('a', shop.sell, item, { onExhausted: 'ignore' as never }),
    'step "a": onExhausted is "ignore"; it must be "error", "compensate", "compensateThenRetry", "park", "continue" or { extendedWait }',
  ],
  [
    'a question without options',
    (job) => void job.ask('q', 'Yes?' as never),
    'step "q": its options must be an object, not "Yes?"; write { title: \'Is it right?\' }',
  ],
  [
    'a misspelt method',
    (job) => (job as never as Names).stpe('a'),
    'job.stpe does not exist: did you mean job.step?',
  ],
  ['a method of another library', (job) => (job as never as Names).signal(), 'did you mean job.waitFor?'],
  [
    'an unknown method',
    (job) => (job as never as Names).transaction(),
    'job.transaction does not exist: a definition has job.input, job.step, job.repeat, job.sleep,',
  ],
  [
    'a condition in an input',
    (job) => job.step('b', shop.sell, { item: condition.present(job.input.name) as never }),
    'step "b": input.item is a condition; a condition can only be tested, as in { when: condition.equal(',
  ],
  [
    'a condition in an output of the workflow',
    (job) => ({ isBig: condition.not(condition.greater(job.input.count, 3)) }),
    'isBig is a condition; a condition can only be tested',
  ],
  [
    'a condition in the place of a value of a condition',
    (job) =>
      job.step('b', shop.sell, item, {
        when: condition.equal(job.input.name, condition.present(job.input.count) as never),
      }),
    'is a condition; a condition can only be tested',
  ],
  [
    'a question with a form that is no schema',
    (job) => void job.ask('q', { title: 'Yes?', form: 7 as never }),
    'step "q": its form: form does not say its "type"',
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
  [
    'an operation in place of a workflow',
    (job) => job.run('r', shop.sell as never, {}),
    'step "r": it runs no workflow; pass a workflow made by defineWorkflow; an operation is called by job.step(\'pay\', agent.operation, { … })',
  ],
  ['no workflow', (job) => job.run('r', undefined as never, {}), 'step "r": it runs no workflow'],
  [
    'an option that a part of a workflow does not have',
    (job) => job.run('r', part, {}, { completeWithin: '3d' } as never),
    'step "r": completeWithin is not an option: the options are after, when',
  ],
  [
    'a text that is called as a function',
    () => text('hello' as never),
    'text is written before a template, without parentheses: text`Hello ${job.input.name}`',
  ],
  [
    'a time in place of the options of an event',
    (job) => job.waitFor('w', '3d' as never),
    'step "w": its options must be an object, not "3d"; write { completeWithin: \'3d\' }',
  ],
  [
    'an option that an event does not have',
    (job) => job.waitFor('w', { limits: [] } as never),
    'step "w": limits is not an option: the options are count, after, when, completeWithin, onExhausted',
  ],
  [
    'a sleep of null',
    (job) => job.sleep('s', null as never),
    'step "s": its time is missing: write job.sleep(',
  ],
  ['a sleep of undefined', (job) => job.sleep('s', undefined as never), 'step "s": its time is missing'],
  [
    'a sleep until nothing',
    (job) => job.sleep('s', { until: undefined as never }),
    'step "s": its time is missing',
  ],
  [
    'a sleep until a Date',
    (job) => job.sleep('s', { until: new Date(0) as never }),
    'step "s": until is a Date: write { until: date.toISOString() }',
  ],
  [
    'a Date as the time of a sleep',
    (job) => job.sleep('s', new Date(0) as never),
    'step "s": its time is a Date: write { until: date.toISOString() }',
  ],
  [
    'a step as the time of a sleep',
    (job) => job.sleep('s', { until: job.step('a', shop.sell, item) as never }),
    'step "s": until is a step: write { until: step.output.at }',
  ],
  [
    'the id of a step that cuts a sleep short',
    (job) => job.sleep('s', '3d', { orUntil: 'a' as never }),
    'step "s": orUntil must be a step, as in { orUntil: approved }',
  ],
  [
    'a time in place of the options of a step',
    (job) => job.step('a', shop.sell, item, '5s' as never),
    'step "a": its options must be an object, not "5s"; write { completeWithin: \'30s\' }',
  ],
  [
    'a condition in place of the options',
    (job) => job.step('a', shop.sell, item, condition.present(job.input.name) as never),
    'step "a": a condition is in the place of the options; write { when: condition.… }',
  ],
  [
    'a step in place of the options',
    (job) => job.step('b', shop.sell, item, job.step('a', shop.sell, item) as never),
    'step "b": step "a" is in the place of the options; write { after: [step] }',
  ],
  [
    'a reference in place of the options',
    (job) => job.step('a', shop.sell, item, job.input as never),
    'step "a": a reference is in the place of the options; write { completeWithin: \'30s\' }',
  ],
  [
    'a misspelt operation',
    (job) => job.step('a', undefined as never, item as never),
    'step "a": its operation is missing; pass an operation of an agent, as in job.step(\'a\', agent.operation, { … })',
  ],
  [
    'null as an operation',
    (job) => job.step('a', null as never, item as never),
    'its operation is null; pass',
  ],
  ['a step without an id', (job) => job.step(undefined as never, shop.sell, item), 'its id must match'],
  [
    'a list of conditions',
    (job) => job.step('a', shop.sell, item, { when: [condition.present(job.input.name)] as never }),
    'step "a": when: a list is not a condition: write condition.all(one, other)',
  ],
  [
    'a comparison as a condition',
    (job) => job.step('a', shop.sell, item, { when: ((job.input.name as unknown) === 'x') as never }),
    'step "a": when: false is not a condition: use condition.equal(…)',
  ],
  [
    'a truth test as a condition',
    (job) => job.step('a', shop.sell, item, { when: !job.input.name as never }),
    'step "a": when: false is not a condition: use condition.equal(…)',
  ],
  [
    'a misspelt deadline',
    (job) => job.step('a', shop.sell, item, { completWithin: '1s' } as never),
    'step "a": completWithin is not an option: did you mean completeWithin?',
  ],
  [
    'a number of retries',
    (job) => job.step('a', shop.sell, item, { retries: 3 } as never),
    'step "a": retries is not an option: write retry: { tries: 3 }',
  ],
  [
    'a timeout',
    (job) => job.step('a', shop.sell, item, { timeout: '5s' } as never),
    'step "a": timeout is not an option: write completeWithin: \'30s\'',
  ],
  [
    'the timeout of a question',
    (job) => job.ask('q', { title: 'Yes?', timeout: '5s' } as never),
    'step "q": timeout is not an option: write completeWithin: \'30s\'',
  ],
  [
    'the rounds of a repeated step',
    (job) =>
      job.repeat('r', shop.sell, item, {
        until: (output: Reference<unknown>) => condition.present(output),
        maxRounds: 3,
      } as never),
    'step "r": maxRounds is not an option: write atMost: 100',
  ],
  [
    'a repeated step without options',
    (job) => job.repeat('r', shop.sell, item, undefined as never),
    'step "r": until must be a function, as in (output) => condition.equal(output.state, "ready")',
  ],
  [
    'no list',
    (job) => job.forEach('all', undefined as never, () => shop.sell(item)),
    'step "all": its list must be a reference',
  ],
  [
    'a list without a call',
    (job) => job.forEach('all', job.input.items, undefined as never),
    'step "all": it has no call; write job.forEach(\'pack\', job.input.items, (item) => agent.operation({ item }))',
  ],
  [
    'an item in place of a call',
    (job) => job.forEach('all', job.input.items, ((one: unknown) => one) as never),
    'step "all": no operation is called; return the call of an operation',
  ],
  [
    'a step in place of a call',
    (job) => job.forEach('all', job.input.items, (() => job.step('b', shop.sell, item)) as never),
    'step "all": no operation is called; return the call of an operation',
  ],
  [
    'a list that is walked through',
    (job) => (job.input.items as unknown as string[]).map((one) => one),
    "job.input.items.map cannot be called here: its value is known only when the job runs; add a step for each item, as in job.forEach('pack', job.input.items, (item) => …)",
  ],
  ['a question without a title', (job) => job.ask('q', { title: null as never }), 'step "q": title is null'],
  [
    'a step that is spread',
    (job) => job.step('b', shop.sell, { ...(job.step('a', shop.sell, item) as object) } as never),
    'step "a" cannot be spread, changed, listed or turned into JSON; write its output, as in step.output',
  ],
  [
    'the rest of a step',
    (job) => {
      const { output, ...rest } = job.step('a', shop.sell, item)
      return [output, rest]
    },
    'step "a" cannot be spread',
  ],
  ['a step as JSON', (job) => JSON.stringify(job.step('a', shop.sell, item)), 'step "a" cannot be spread'],
  [
    'a loop over a step',
    (job) => [...(job.step('a', shop.sell, item) as never as unknown[])],
    'step "a" cannot be iterated; add a step for each item of its output with job.forEach',
  ],
  [
    'a part of the output that is asked of the step',
    (job) =>
      job.step('b', shop.sell, {
        item: (job.step('a', shop.sell, item) as unknown as { readonly receipt: string }).receipt,
      }),
    'step "a" has no "receipt"; write step.output.receipt for a part of its output',
  ],
  [
    'a step that is awaited',
    (job) => (job.step('a', shop.sell, item) as unknown as { readonly then: unknown }).then,
    'step "a" cannot be awaited: a definition only describes the steps',
  ],
  [
    'a text that is spread',
    (job) => ({ ...text`Hello ${job.input.name}` }),
    'a text`…` cannot be spread, changed, listed or turned into JSON; pass it on whole',
  ],
  [
    'the length of a text',
    (job) => (text`Hello ${job.input.name}` as unknown as string).length,
    'a text`…` has no "length": its value is known only when the job runs',
  ],
  [
    'a limit of null',
    (job) => job.step('a', shop.sell, item, { limits: [null as never] }),
    'step "a": limits: a limit is null; write { key: \'bank\', atOnce: 5 }',
  ],
  [
    'no policy',
    (job) => job.onExhausted(undefined as never),
    'job.onExhausted: policy is missing; it must be',
  ],
]

describe('a definition that would be misread', () => {
  it.each(misread)('is refused with the right form: %s', (_what, build, message) => {
    expect(define(build)).toThrow(message)
  })

  it('is refused if there is no definition', () => {
    const refused = 'workflow "w": its definition is missing; write defineWorkflow(\'sale\', (job) => …)'
    expect(() => defineWorkflow('w', undefined as never)).toThrow(refused)
  })

  it('is refused for an option of a workflow that has another name here', () => {
    const misnamed = () => defineWorkflow('w', () => null, { idempotencyKey: 'x' } as never)
    expect(misnamed).toThrow('idempotencyKey is not an option: write jobId: (input) => input.id')
  })

  it('is accepted with null in place of options that are left out', () => {
    const left = defineWorkflow(
      'w',
      (job: Builder) => {
        job.step('a', shop.sell, item, null as never)
        job.waitFor('b', null as never)
        job.sleep('c', '3d', null as never)
        job.forEach('d', job.input.items, () => shop.sell(item), null as never)
        job.run('e', part, {}, null as never)
      },
      null as never,
    )
    expect(left.plan.steps.length).toBeGreaterThan(5)
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
    ['a member of a list', (job) => text`the ${job.input.items[1]}`, 'the b'],
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

it('a step that is refused is not also reported as missing', () => {
  const bad = define((job) => void job.ask('q', { title: 'Yes?', form: 7 as never }))
  expect(bad).toThrow(expect.not.objectContaining({ message: expect.stringContaining('no steps') as string }))
})
