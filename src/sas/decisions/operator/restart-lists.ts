import type { Json, StepDocument } from '../../model/documents.js'
import { itemsOf, type GatherInput } from '../../plan/gather.js'
import { resolveTemplate, stepsReferredTo } from '../../plan/template.js'

/**
 * Returns the reason why the steps of a job do not suffice for a new input of the job, or null. A job has no
 * steps for items beyond the end of a list in its first input.
 */
export function listsTooLong(
  steps: ReadonlyMap<string, StepDocument>,
  again: readonly string[],
  input: Json | undefined,
): string | null {
  if (input === undefined) return null
  for (const stepId of again) {
    const step = steps.get(stepId)
    if (step?.kind !== 'gather') continue
    const gathers = step.inputTemplate as unknown as GatherInput
    if (!('list' in gathers) || stepsReferredTo(gathers.list).size > 0) continue
    const length = itemsOf(resolveTemplate(gathers.list, { input, outputs: new Map() }))
    const most = gathers.items.length
    if (length === null || length <= most) continue
    return `the new input has ${length} items for step ${stepId}, and the job has steps for ${most}: submit a new job`
  }
  return null
}
