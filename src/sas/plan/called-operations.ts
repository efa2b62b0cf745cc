import { largeListOf } from './item-jobs.js'
import type { Plan } from './plan.js'

/** An operation that a step or its undo calls. */
export interface CalledOperation {
  readonly workflow: string
  readonly stepId: string
  readonly actor: string
  readonly action: string
}

/** Returns the operations that the steps of a plan and the items of its large lists call. */
export function calledOperations({
  workflow,
  steps,
}: Pick<Plan, 'workflow' | 'steps'>): readonly CalledOperation[] {
  return steps.flatMap((step) => {
    const { id: stepId, kind, actor, action, undo } = step
    const items = largeListOf(step)
    if (items !== null) return calledOperations(items.plan)
    return [
      ...(kind === 'operation' ? [{ workflow, stepId, actor, action }] : []),
      ...(undo === null ? [] : [{ workflow, stepId, actor: undo.actor, action: undo.action }]),
    ]
  })
}
