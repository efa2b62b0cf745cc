import { describe, expect, it } from 'vitest'
import { defineAgent } from '../../../src/sas/agent.js'
import { equal, present } from '../../../src/sas/condition.js'
import { defineWorkflow, type WorkflowBuilder } from '../../../src/sas/workflow.js'
import { endsOf, times, type Scenario } from '../../support/reachable-states.js'
import {
  chain,
  isChained,
  ofShape,
  ofThree,
  pair,
  undoing,
  type ShapedScenario,
} from '../../support/state-scenarios.js'

// Whatever takes longer is in test/long/reachable-states.long.ts.
const plain: readonly ShapedScenario[] = [
  { shape: { a: [] }, maxFailures: 1 },
  { shape: { a: [] }, maxFailures: 3 },
  { shape: chain, maxFailures: 2 },
  { shape: pair, maxFailures: 2 },
  ...ofThree.filter(isChained).map((shape) => ({ shape, maxFailures: 1 })),
  { shape: { ...chain, c: ['b'] }, maxFailures: 2 },
]
const compensating: readonly ShapedScenario[] = [
  { shape: { ...chain, c: ['b'] }, ...undoing, onExhausted: 'compensate' },
  { shape: { ...chain, c: ['a', 'b'] }, ...undoing, onExhausted: 'compensate' },
  { shape: { ...pair, c: ['a', 'b'] }, ...undoing, undoUncertain: false, onExhausted: 'compensate' },
  { shape: pair, ...undoing, onExhausted: 'compensate' },
  { shape: pair, ...undoing, undoUncertain: false, onExhausted: 'compensate' },
  { shape: chain, ...undoing, onExhausted: 'compensateThenRetry', maxGenerations: 2 },
]
const operated: readonly ShapedScenario[] = [
  { shape: chain, ...undoing },
  { shape: chain, ...undoing, onExhausted: 'park' },
]

describe('R42, R69, I8: every state that can be reached', () => {
  it.each(plain)(
    'of $shape with $maxFailures attempts keeps every invariant and leads to an end',
    (scenario) => {
      expect(endsOf(ofShape(scenario))).toEqual(new Set(['Processed', 'Error']))
    },
  )

  it.each(compensating)(
    'of $shape with $onExhausted keeps every invariant and leads to an end',
    (scenario) => {
      const undone = scenario.onExhausted === 'compensate' ? ['Compensated'] : []
      expect(endsOf(ofShape(scenario))).toEqual(new Set(['Processed', 'Error', ...undone]))
    },
  )

  it.each(operated)('of $shape with $onExhausted and an operator does, too', (scenario) => {
    const parked = scenario.onExhausted === 'park' ? ['waiting'] : []
    const ends = endsOf({ ...ofShape(scenario), withOperator: true })
    expect(ends).toEqual(new Set(['Processed', 'Error', 'Compensated', ...parked]))
  })
})

const clerk = defineAgent('clerk', {
  decide: (_input: null): number => 1,
  list: (_input: null): readonly number[] => [],
  act: (_input: { readonly item?: number }) => null,
  revert: (_input: null) => null,
})
const step = { ...times, maxFailures: 1, undo: () => clerk.revert(null) }

function built(build: (job: WorkflowBuilder<null>) => void, more: Partial<Scenario> = {}): Scenario {
  return { plan: defineWorkflow<null>('built', build).plan, input: null, ...more }
}

const scenarios: Readonly<Record<string, Scenario>> = {
  'a condition and what comes after it': built(
    (job) => {
      const decided = job.step('decide', clerk.decide, null, step)
      const acted = job.step('act', clerk.act, {}, { ...step, when: equal(decided.output, 1) })
      job.step('after', clerk.act, {}, { ...step, when: present(acted.output), after: [acted] })
      job.onExhausted('compensate')
    },
    { outputs: [1, 2] },
  ),
  'a sleep beside a step': built((job) => {
    const slept = job.sleep('sleep', 5)
    const first = job.step('first', clerk.act, {}, step)
    job.step('last', clerk.act, {}, { ...step, after: [slept, first] })
    job.onExhausted('compensate')
  }),
  'an event that is waited for': built((job) => {
    const decided = job.step('decide', clerk.decide, null, step)
    const event = job.waitFor<number>('event', { after: [decided], completeWithin: 8 })
    job.step('act', clerk.act, { item: event.output }, step)
    job.onExhausted('compensate')
  }),
  'a deadline of the whole job': built(
    (job) => {
      const decided = job.step('decide', clerk.decide, null, { ...step, maxFailures: 2 })
      job.step('act', clerk.act, {}, { ...step, after: [decided] })
      job.onExhausted('compensate')
    },
    { completeWithinMs: 15 },
  ),
  'steps that are claimed': built((job) => {
    const decided = job.step('decide', clerk.decide, null, { ...step, claim: true })
    job.step('act', clerk.act, { item: decided.output }, { ...step, claim: true })
    job.onExhausted('compensate')
  }),
  'a fan-out over what a step returns': built(
    (job) => {
      const listed = job.step('list', clerk.list, null, step)
      job.forEach('each', listed.output, (item) => clerk.act({ item }), { ...step, atMost: 2 })
      job.onExhausted('compensate')
    },
    { outputs: [[1], [1, 2], [1, 2, 3]] },
  ),
}

describe('I8: every state that a job can get into', () => {
  it.each(Object.entries(scenarios))(
    'with %s keeps every invariant and leads to an end',
    (_what, scenario) => {
      expect([...endsOf(scenario)].sort()).toEqual(['Compensated', 'Error', 'Processed'])
    },
  )
})
