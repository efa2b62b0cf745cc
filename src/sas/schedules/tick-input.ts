import type { Json } from '../model/documents.js'
import type { Plan } from '../plan/plan.js'
import { resolveTemplate } from '../plan/template.js'
import { fittedInput, type FittedInput } from '../workflow/fitted-input.js'

/** The plan and the input of the job of a tick, and the reasons why they cannot be submitted. */
export interface TickInput extends FittedInput {
  readonly input: Json
}

/** Returns the plan and the input of the job of one tick. */
export function tickInput(
  { plan: stored, inputTemplate }: { readonly plan: Plan; readonly inputTemplate: Json },
  tick: { readonly due: string; readonly scheduleId: string },
): TickInput {
  const input = resolveTemplate(inputTemplate, { input: tick, outputs: new Map() })
  return { input, ...fittedInput(stored, input) }
}
