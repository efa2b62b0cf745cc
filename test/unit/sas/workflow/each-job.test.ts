import { describe, expect, it } from 'vitest'
import { defineAgent } from '../../../../src/sas/agents/agent.js'
import { continuingSchema } from '../../../../src/sas/model/documents.js'
import { text } from '../../../../src/sas/model/values/text-template.js'
import { condition } from '../../../../src/sas/plan/condition.js'
import { schemaOf } from '../../../../src/sas/plan/plan-schema.js'
import { resolveTemplate } from '../../../../src/sas/plan/template.js'
import { defineWorkflow } from '../../../../src/sas/workflow/workflow.js'

interface Item {
  readonly name: string
  readonly parts: readonly string[]
}

const clerk = defineAgent('clerk', {
  settle: (input: { readonly of: unknown }) => input.of,
  undo: (_input: unknown) => null,
})

/** An item with conditions, texts, lists, an undo, and values that look like templates. */
const item = defineWorkflow<Item>(
  'item',
  (job) => {
    const strange = { of: { $from: ['input', 'name'], $literal: { $from: ['text', 'x'] } } }
    const first = job.step('first', clerk.settle, strange, {
      undo: (output) => clerk.undo({ output, name: job.input.name }),
    })
    const when = condition.equal(job.input.name, 'x')
    job.step(
      'second',
      clerk.settle,
      { of: text`${first.output} of ${job.input.name}` },
      { when, undo: 'none' },
    )
    job.forEach('parts', job.input.parts, (part) => clerk.settle({ of: part }), { atMost: 2, undo: 'none' })
    return { name: job.input.name }
  },
  { completeWithin: '1h', priority: 2, retainFor: '1h' },
)
const outer = defineWorkflow<{ readonly items: readonly Item[] }>('outer', (job) => {
  job.forEach('each', job.input.items, item, { atOnce: 7, atMost: 9, retainFor: '2d' })
})
const items: readonly Item[] = [{ name: 'a', parts: ['p'] }]

describe('forEach with a workflow', () => {
  it('passes the plan of the items unchanged, and their terms', () => {
    const [step, ...others] = outer.plan.steps
    expect(others).toEqual([])
    const known = { input: { items: items as never }, outputs: new Map() }
    expect(resolveTemplate(step?.input ?? null, known)).toEqual({
      list: items,
      plan: JSON.parse(JSON.stringify(item.plan)) as unknown,
      atMost: 9,
      atOnce: 7,
      priority: 2,
      completeWithinMs: 3_600_000,
      retainForMs: 172_800_000,
    })
    expect(schemaOf(outer.plan)).toBe(continuingSchema)
  })

  it('keeps items at least a day, and a week without an option', () => {
    const termsOf = (defaults: object): unknown => {
      const small = defineWorkflow<Item>(
        'small',
        (job) => void job.step('s', clerk.settle, { of: 1 }, { undo: 'none' }),
        defaults,
      )
      const list = defineWorkflow<{ readonly items: readonly Item[] }>('list', (job) => {
        job.forEach('each', job.input.items, small)
      })
      return (list.plan.steps[0]?.input as { readonly retainForMs: number }).retainForMs
    }
    expect(termsOf({ retainFor: '1h' })).toBe(86_400_000)
    expect(termsOf({})).toBe(7 * 86_400_000)
    expect(termsOf({ retainFor: '30d' })).toBe(30 * 86_400_000)
  })

  it('works in a workflow that another workflow runs', () => {
    const wrapping = defineWorkflow<{ readonly all: readonly Item[] }>('wrapping', (job) => {
      job.run('inner', outer, { items: job.input.all })
    })
    const step = wrapping.plan.steps.find(({ id }) => id === 'inner-each')
    const known = { input: { all: items as never }, outputs: new Map() }
    expect(resolveTemplate(step?.input ?? null, known)).toMatchObject({
      list: items,
      plan: JSON.parse(JSON.stringify(item.plan)) as object,
    })
    expect(JSON.stringify(step?.repeat?.until)).toContain('"inner-each"')
  })

  it('refuses wrong options and a list that is no reference', () => {
    const defined = (options: object, list?: unknown) => () =>
      defineWorkflow<{ readonly items: readonly Item[] }>('wrong', (job) => {
        job.forEach('each', (list ?? job.input.items) as never, item, options)
      })
    expect(defined({ atOnce: 1_001 })).toThrow(/step "each": .*atOnce.* 1001/u)
    expect(defined({ retainFor: '1h' })).toThrow(/step "each": .*retainFor/u)
    expect(defined({ undo: 'none', tries: 3 })).toThrow(/tries/u)
    expect(defined({ undo: () => null })).toThrow(
      'step "each": its items have no undo: undo them in their own workflow',
    )
    expect(defined({}, [1])).toThrow('its list must be a reference')
  })
})

describe('a job whose items have limits of jobs', () => {
  const limitedItem = defineWorkflow<string>('limited-item', (job) => {
    job.limits([{ key: 'bank', atOnce: 3 }])
    job.step('settle', clerk.settle, { of: job.input }, { undo: 'none' })
  })
  const list = (key: string, rules: { readonly perPartition?: boolean } = {}) =>
    defineWorkflow<{ readonly items: readonly string[] }>('list', (job) => {
      job.forEach('each', job.input.items, limitedItem)
      job.limits([{ key, atOnce: 3, ...rules }])
    })

  it('is refused if it holds a place that its items need', () => {
    expect(() => list('bank')).toThrow(
      'step "each": its items share the limit of jobs "bank" with the job, so the job and its items would wait for each other; ' +
        'give the items another key, such as "bank items"',
    )
  })

  it('is refused if the items of its items need its place', () => {
    const between = defineWorkflow<{ readonly items: readonly string[] }>('between', (job) => {
      job.forEach('inner', job.input.items, limitedItem)
    })
    expect(() =>
      defineWorkflow<{ readonly lists: readonly { readonly items: readonly string[] }[] }>('outer', (job) => {
        job.limits([{ key: 'bank', atOnce: 3 }])
        job.forEach('each', job.input.lists, between)
      }),
    ).toThrow('step "each": its items share the limit of jobs "bank" with the job')
  })

  it('may have another limit', () => {
    expect(list('lists').plan.limits).toEqual([{ key: 'lists', atOnce: 3 }])
    expect(list('bank', { perPartition: true }).plan.limits).toMatchObject([{ key: 'bank' }])
  })
})
