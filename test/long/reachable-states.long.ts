import { describe, expect, it } from 'vitest'
import { endsOf } from '../support/reachable-states.js'
import {
  chain,
  isChained,
  ofShape,
  ofThree,
  pair,
  undoing,
  type ShapedScenario,
} from '../support/state-scenarios.js'

const timeoutMs = 600_000

const plain: readonly ShapedScenario[] = [
  { shape: { ...pair, c: [] }, maxFailures: 1 },
  { shape: { ...pair, c: ['a', 'b'] }, maxFailures: 2 },
  { shape: { ...pair, c: ['a'] }, maxFailures: 2 },
]
const compensating: readonly ShapedScenario[] = [
  // All at once and uncertain has a hundred thousand states; two at once show the same.
  ...ofThree.map((shape) => ({
    shape,
    ...undoing,
    undoUncertain: isChained(shape),
    onExhausted: 'compensate' as const,
  })),
  { shape: chain, ...undoing, maxFailures: 2, onExhausted: 'compensate' },
  { shape: pair, ...undoing, maxFailures: 2, onExhausted: 'compensate' },
  { shape: pair, ...undoing, onExhausted: 'compensateThenRetry', maxGenerations: 2 },
]
const operated: readonly ShapedScenario[] = [
  { shape: chain, ...undoing, onExhausted: 'compensate' },
  { shape: pair, ...undoing, undoUncertain: false },
]

describe('I8: every state that can be reached', () => {
  it.each(plain)(
    'of $shape with $maxFailures attempts keeps every invariant',
    { timeout: timeoutMs },
    (scenario) => {
      expect(endsOf(ofShape(scenario))).toEqual(new Set(['Processed', 'Error']))
    },
  )

  it.each(compensating)(
    'of $shape with $onExhausted keeps every invariant',
    { timeout: timeoutMs },
    (scenario) => {
      const undone = scenario.onExhausted === 'compensate' ? ['Compensated'] : []
      expect(endsOf(ofShape(scenario))).toEqual(new Set(['Processed', 'Error', ...undone]))
    },
  )

  it.each(operated)(
    'of $shape with $onExhausted and an operator does, too',
    { timeout: timeoutMs },
    (scenario) => {
      const ends = endsOf({ ...ofShape(scenario), withOperator: true })
      expect(ends).toEqual(new Set(['Processed', 'Error', 'Compensated']))
    },
  )
})
