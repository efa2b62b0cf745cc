import { aWorkflow, type ShapeOptions, type WorkflowShape } from './a-job.js'
import { times, type Scenario } from './reachable-states.js'

/** A workflow by its shape, and options of each of its steps. */
export interface ShapedScenario extends ShapeOptions {
  readonly shape: WorkflowShape
}

/** The scenario of such a workflow. */
export function ofShape({ shape, ...options }: ShapedScenario): Scenario {
  return { plan: aWorkflow(shape, { ...times, ...options }).plan }
}

/** Two steps, one after the other. */
export const chain: WorkflowShape = { a: [], b: ['a'] }

/** Two steps that have nothing to do with each other. */
export const pair: WorkflowShape = { a: [], b: [] }

/** Every shape of three steps in which the third comes after none, one or both of the others. */
export const ofThree: readonly WorkflowShape[] = [[], ['a'], ['b'], ['a', 'b']].flatMap((last) => [
  { ...chain, c: last },
  { ...pair, c: last },
])

/** Whether any step comes after another. */
export function isChained(shape: WorkflowShape): boolean {
  return Object.values(shape).flat().length > 0
}

/** Steps that have an undo and one attempt. */
export const undoing = { undo: true, maxFailures: 1 } as const
