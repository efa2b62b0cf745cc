import { describe, expect, it } from 'vitest'
import { defineAgent } from '../../../../src/sas/agents/agent.js'
import { defineWorkflow, isWorkflow, type WorkflowBuilder } from '../../../../src/sas/workflow/workflow.js'
import { WorkflowInvalid } from '../../../../src/sas/model/errors.js'
import { maxSteps } from '../../../../src/sas/plan/plan.js'
import type { Reference } from '../../../../src/sas/model/values/reference.js'
import type { Step } from '../../../../src/sas/model/values/step-handle.js'
import { readStepOptions, type StepOptions, type Undo } from '../../../../src/sas/workflow/step-options.js'
import { aWorkflow, shop } from '../../../support/a-job.js'

interface Order {
  readonly sku: string
  readonly quantity: number
}

const warehouse = defineAgent('warehouse', {
  hold: (input: { readonly sku: string; readonly quantity: number }) => ({ holdId: `${input.sku}-1` }),
  drop: (input: { readonly holdId: string; readonly note?: string }) => input.note ?? null,
})

/** The problems of a workflow; a valid one has none. */
function problemsOf(
  build: (job: WorkflowBuilder<Order>) => void,
  options: { readonly name?: string; readonly version?: number } = {},
): readonly string[] {
  const { name = 'shopping', version = 1 } = options
  try {
    defineWorkflow<Order>(name, build, { version })
    return []
  } catch (error) {
    if (!(error instanceof WorkflowInvalid)) throw error
    return error.problems
  }
}

function problemsOfStep(options: StepOptions, id = 'sell'): readonly string[] {
  return problemsOf((job) => {
    job.step(id, shop.sell, { item: 'x' }, options)
  })
}

describe('a workflow', () => {
  it('compiles to plain JSON that names every dependency, default and reference (R50)', () => {
    const workflow = defineWorkflow<Order>(
      'shopping',
      (job) => {
        const hold = job.step('hold', warehouse.hold, { sku: job.input.sku, quantity: job.input.quantity })
        const sell = job.step(
          'sell',
          shop.sell,
          { item: 'x' },
          {
            completeWithin: '30s',
            retry: { tries: 5, backoff: { min: '2s', max: '1h' } },
            initialState: 'Disabled',
            targetState: 'Active',
          },
        )
        job.step('drop', warehouse.drop, { holdId: hold.output.holdId }, { after: [sell, hold] })
      },
      { version: 3, jobId: (order) => order.sku },
    )
    const defaults = {
      kind: 'operation',
      when: null,
      completeWithinMs: 60_000,
      maxFailures: 3,
      retryBackoff: { minMs: 1_000, maxMs: 60_000 },
      initialState: 'NotStarted',
      targetState: 'Completed',
      undo: null,
      onExhausted: 'error',
      isClaimRequired: false,
    }
    expect(workflow.plan).toStrictEqual({
      workflow: 'shopping',
      version: 3,
      onExhausted: 'error',
      maxGenerations: 3,
      steps: [
        {
          ...defaults,
          id: 'hold',
          actor: 'warehouse',
          action: 'hold',
          input: { sku: { $from: ['input', 'sku'] }, quantity: { $from: ['input', 'quantity'] } },
          dependsOn: [],
        },
        {
          ...defaults,
          id: 'sell',
          actor: 'shop',
          action: 'sell',
          input: { item: 'x' },
          dependsOn: [],
          completeWithinMs: 30_000,
          maxFailures: 5,
          retryBackoff: { minMs: 2_000, maxMs: 3_600_000 },
          initialState: 'Disabled',
          targetState: 'Active',
        },
        {
          ...defaults,
          id: 'drop',
          actor: 'warehouse',
          action: 'drop',
          input: { holdId: { $from: ['steps', 'hold', 'output', 'holdId'] } },
          dependsOn: ['hold', 'sell'],
        },
      ],
    })
    expect(JSON.parse(JSON.stringify(workflow.plan))).toStrictEqual(workflow.plan)
    expect(workflow.submission.jobId?.({ sku: 'a', quantity: 1 })).toBe('a')
    expect(Object.isFrozen(workflow)).toBe(true)
  })

  it('stores the undo and the failure policy of each step, by default the policy of the job', () => {
    const { plan } = defineWorkflow<Order>('shopping', (job) => {
      const hold = job.step('hold', warehouse.hold, job.input, { undo: 'none', onExhausted: 'park' })
      const undo = (sold: Reference<{ item: string }>) =>
        warehouse.drop({ holdId: hold.output.holdId, note: sold.item })
      job.step('sell', shop.sell, { item: 'x' }, { undo })
      job.sleep('rest', '1h')
      job.onExhausted('compensate', { maxGenerations: 1 })
    })
    expect(plan).toMatchObject({ onExhausted: 'compensate', maxGenerations: 1 })
    expect(plan.steps).toMatchObject([
      { id: 'hold', undo: null, onExhausted: 'park' },
      {
        id: 'sell',
        dependsOn: ['hold'],
        undo: {
          actor: 'warehouse',
          action: 'drop',
          input: {
            holdId: { $from: ['steps', 'hold', 'output', 'holdId'] },
            note: { $from: ['steps', 'sell', 'output', 'item'] },
          },
          whenUncertain: true,
        },
        onExhausted: 'compensate',
      },
      { id: 'rest', kind: 'sleep', actor: '', action: '' },
    ])
  })

  it('is distinguished from other values', () => {
    expect(isWorkflow(aWorkflow())).toBe(true)
    for (const other of [null, undefined, 'text', {}, { plan: {} }, { plan: {}, submission: {} }, shop]) {
      expect(isWorkflow(other)).toBe(false)
    }
  })

  it('may have up to a thousand steps', () => {
    const named = (count: number) => (job: WorkflowBuilder<Order>) => {
      for (let index = 0; index < count; index += 1) job.step(`s${index}`, shop.sell, { item: 'x' })
    }
    expect(problemsOf(named(maxSteps))).toEqual([])
    expect(problemsOf(named(maxSteps + 1))).toEqual(['it has 1001 steps; at most 1000 are allowed'])
  })
})

describe('the definition of a workflow', () => {
  it('is refused with all its problems at once', () => {
    const problems = problemsOf(
      (job) => {
        job.step('Bad Id', shop.sell, { item: 'x' }, { completeWithin: 'soon', retry: { tries: 0 } })
        job.step('twice', shop.sell, { item: (() => 'x') as unknown as string })
        job.step('twice', shop.sell, { item: 'x' }, { initialState: 'same', targetState: 'same' })
      },
      { name: 'Shop!', version: 0 },
    )
    expect(problems).toEqual([
      'its name must match /^[a-z][a-z0-9-]*$/ and have at most 200 characters',
      'version is 0; it must be a whole number from 1',
      'step "Bad Id": completeWithin is "soon"; it must be a duration from 1 ms to 100 years, such as 30000 or \'30s\'',
      'step "Bad Id": retry.tries is 0; it must be a whole number from 1',
      'step "Bad Id": its id must match /^[a-z][a-z0-9-]*$/ and have at most 200 characters',
      'step "twice": input.item is a function; a plan holds only JSON values and references',
      'step "twice": initialState and targetState are both "same"',
      'step "twice": its id is used twice',
    ])
  })

  it('is refused with its name and its problems in one message', () => {
    expect(() => defineWorkflow('empty', () => undefined)).toThrow('workflow "empty": it has no steps')
  })

  it.each<[string, StepOptions]>([
    ['retry.backoff.min is "0s"; it must be', { retry: { backoff: { min: '0s', max: '1s' } } }],
    ['retry.backoff.max is "x"; it must be', { retry: { backoff: { min: '1s', max: 'x' } } }],
    [
      'retry.backoff is 2000 ms to 1000 ms; it must be a range',
      { retry: { backoff: { min: '2s', max: '1s' } } },
    ],
    ['completeWithin is -5; it must be', { completeWithin: -5 }],
    ['retry.tries is 1.5; it must be a whole number', { retry: { tries: 1.5 } }],
    ['initialState and targetState are both "NotStarted"', { targetState: 'NotStarted' }],
    ['initialState and targetState are both "Completed"', { initialState: 'Completed' }],
    ['targetState is ""; it must be a name', { targetState: '' }],
    ['initialState is "Between"; it must be a name other than "Between"', { initialState: 'Between' }],
    ['targetState is 5; it must be a name', { targetState: 5 as unknown as string }],
    [
      'onExhausted is "explode"; it must be "error", "compensate", "compensateThenRetry", "park", "continue" or { extendedWait }',
      { onExhausted: 'explode' as 'error' },
    ],
    ['onExhausted.extendedWait is "x"; it must be', { onExhausted: { extendedWait: 'x' } }],
    ['claim is "yes"; it must be true or false', { claim: 'yes' as unknown as boolean }],
    ['undoUncertain is 1; it must be true or false', { undoUncertain: 1 as unknown as boolean }],
    ['after is "pay"; it must be a list of steps', { after: 'pay' } as unknown as StepOptions],
    ['after is ["pay"]; it must be a list of steps', { after: ['pay'] } as unknown as StepOptions],
    ['after is [an object]; it must be a list of steps', { after: [{}] } as unknown as StepOptions],
    ['undo is true; it must be a function, or "none"', { undo: true } as unknown as StepOptions],
    ['Undo is not an option: did you mean undo?', { Undo: () => undefined } as StepOptions],
    ['completWithin is not an option: did you mean completeWithin?', { completWithin: '1s' } as StepOptions],
    ["timeout is not an option: write completeWithin: '30s'", { timeout: '1s' } as StepOptions],
    ['retries is not an option: write retry: { tries: 3 }', { retries: 5 } as StepOptions],
    ['speed is not an option: the options are after, ', { speed: 5 } as StepOptions],
  ])('is refused because of an option of a step: %s', (problem, options) => {
    expect(problemsOfStep(options)).toEqual([expect.stringContaining(problem)])
  })

  it.each<StepOptions>([
    { retry: { backoff: { min: '1s', max: '1s' } } },
    { claim: true, undoUncertain: false },
    { onExhausted: { extendedWait: '1h' } },
  ])('is accepted with these options of a step: %j', (options) => {
    expect(problemsOfStep(options)).toEqual([])
  })

  it('is refused because of an id that is too long for the store', () => {
    expect(problemsOfStep({}, 's'.repeat(200))).toEqual([])
    expect(problemsOfStep({}, 's'.repeat(201))).toEqual([expect.stringContaining('at most 200 characters')])
  })

  it('is refused because of an invalid policy of the job or an invalid instant', () => {
    const build = (job: WorkflowBuilder<Order>): void => {
      job.sleep('rest', { until: 'next tuesday' })
      job.sleep('wait', { until: '2026-12-24T18:00:00Z' })
      job.onExhausted('explode' as 'error')
    }
    expect(problemsOf(build)).toEqual([
      'step "rest": until is "next tuesday"; it must be a point in time such as \'2026-12-24T18:00:00Z\'',
      'job.onExhausted: policy is "explode"; it must be "error", "compensate", "compensateThenRetry", "park" or { extendedWait }',
    ])
  })

  it.each([0, 1.5])('is refused because it allows %d generations', (maxGenerations) => {
    const build = (job: WorkflowBuilder<Order>): void => {
      job.step('sell', shop.sell, { item: 'x' })
      job.onExhausted('error', { maxGenerations })
    }
    expect(problemsOf(build)).toEqual([
      `job.onExhausted: maxGenerations is ${maxGenerations}; it must be a whole number from 1`,
    ])
  })

  it('is refused because a step waits for one that this workflow does not have (F-D12)', () => {
    const elsewhere: Step<{ item: string }>[] = []
    defineWorkflow('other', (job) => {
      elsewhere.push(job.step('elsewhere', shop.sell, { item: 'x' }))
    })
    const [foreign] = elsewhere
    if (foreign === undefined) throw new Error('the other workflow has no step')
    expect(problemsOfStep({ after: [foreign] })).toEqual([
      'step "sell": after names step "elsewhere", but there is no such earlier step',
    ])
    expect(problemsOf((job) => void job.step('sell', shop.sell, { item: foreign.output.item }))).toEqual([
      'step "sell": its input refers to step "elsewhere", but there is no such earlier step',
    ])
    expect(problemsOf((job) => void job.step('elsewhere', shop.sell, { item: foreign.output.item }))).toEqual(
      ['step "elsewhere": its input refers to step "elsewhere", but there is no such earlier step'],
    )
  })

  it('is refused because a function returns no call, which would be stored and never done', () => {
    const rule = 'return the call of an operation, as in (output) => agent.operation({ … })'
    const missing = undefined as never
    expect(problemsOf((job) => void job.step('sell', missing, { item: 'x' }))).toEqual([
      'step "sell": its operation is missing; pass an operation of an agent, as in ' +
        "job.step('sell', agent.operation, { … })",
    ])
    expect(
      problemsOf((job) => void job.step('sell', shop.sell, { item: 'x' }, { undo: () => missing })),
    ).toEqual([`step "sell": its undo: no operation is called; ${rule}`])
    for (const half of [{ actor: 'shop' }, { action: 'sell' }]) {
      expect(
        problemsOf((job) => void job.step('sell', shop.sell, { item: 'x' }, { undo: () => half as never })),
      ).toEqual([`step "sell": its undo: no operation is called; ${rule}`])
    }
    const lines = defineWorkflow<{ readonly lines: readonly string[] }>
    expect(() =>
      lines('selling', (job) => {
        job.forEach('each', job.input.lines, () => missing, { atMost: 2 })
      }),
    ).toThrow(`workflow "selling": step "each": no operation is called; ${rule}`)
  })

  it('throws the errors of its own code as they are', () => {
    expect(() =>
      defineWorkflow('broken', () => {
        throw new RangeError('mine')
      }),
    ).toThrow(new RangeError('mine'))
  })

  it('refuses a value that contains itself', () => {
    const cyclic: Record<string, unknown> = {}
    cyclic['self'] = cyclic
    expect(() =>
      defineWorkflow('broken', (job) => {
        job.step('sell', shop.sell, cyclic as { item: string })
      }),
    ).toThrow('is nested more than 1000 levels deep, or contains itself')
    expect(() =>
      defineWorkflow<Order>('broken', (job) => {
        job.step('sell', shop.sell, { item: 'x' })
        return cyclic
      }),
    ).toThrow('is nested more than 1000 levels deep, or contains itself')
  })
})

describe('the failure policy of a step', () => {
  it('is stored with its duration in milliseconds', () => {
    expect(readStepOptions({ onExhausted: 'park' }).values.onExhausted).toBe('park')
    const { values } = readStepOptions({ onExhausted: { extendedWait: '1h' } })
    expect(values.onExhausted).toEqual({ extendedWaitMs: 3_600_000 })
  })
})

describe('a step before one whose failure compensates (R109)', () => {
  interface Held {
    readonly holdId: string
  }
  const selling =
    (undo: 'none' | Undo<Held> | undefined, onExhausted: 'compensate' | 'compensateThenRetry' | 'error') =>
    (job: WorkflowBuilder<Order>): void => {
      const options = undo === undefined ? {} : { undo }
      const held = job.step('hold', warehouse.hold, job.input, options)
      job.step('sell', shop.sell, { item: held.output.holdId })
      job.onExhausted(onExhausted)
    }

  it.each(['compensate', 'compensateThenRetry'] as const)('must say how it is undone: %s', (policy) => {
    expect(problemsOf(selling(undefined, policy))).toEqual([
      'step "hold": it may already be done when step "sell" fails and the job is compensated; give step "hold" an undo, or undo: \'none\' if it has no effect',
    ])
  })

  it.each([
    ['has an undo', selling((out) => warehouse.drop({ holdId: out.holdId }), 'compensate')],
    ['needs none', selling('none', 'compensate')],
    ['is not undone in any case', selling(undefined, 'error')],
  ])('is accepted when it %s', (_why, build) => {
    expect(problemsOf(build)).toEqual([])
  })
})

describe('the types of a workflow', () => {
  it('reject input that an operation does not accept', () => {
    defineWorkflow<Order>('typed', (job) => {
      const hold = job.step('hold', warehouse.hold, { sku: job.input.sku, quantity: job.input.quantity })
      // @ts-expect-error a number where a string is wanted
      job.step('a', warehouse.drop, { holdId: 1 })
      // @ts-expect-error a reference to a number where a string is wanted
      job.step('b', warehouse.drop, { holdId: job.input.quantity })
      // @ts-expect-error a property that the input does not have
      job.step('c', warehouse.drop, { holdId: job.input.nothing as string })
      // @ts-expect-error a required property left out
      job.step('d', warehouse.drop, { note: 'x' })
      // @ts-expect-error an output's property that the operation does not return
      job.step('e', warehouse.drop, { holdId: hold.output.nothing as string })
      const kept = job.step('f', warehouse.drop, { holdId: hold.output.holdId, note: job.input.sku })
      expect(kept.id).toBe('f')
    })
  })
})
