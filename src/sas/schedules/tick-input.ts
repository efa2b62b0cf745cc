import type { Json } from '../model/documents.js'
import { fitPlan } from '../plan/fan-out.js'
import type { Plan } from '../plan/plan.js'
import { resolveTemplate } from '../plan/template.js'
import { storedInputCheck } from '../workflow/input-schema.js'

/** The plan and the input of the job of a tick, and the reasons why they cannot be submitted. */
export interface TickInput {
  readonly plan: Plan
  readonly input: Json
  readonly problems: readonly string[]
}

/** Returns the plan and the input of the job of one tick. */
export function tickInput(
  { plan: stored, inputTemplate }: { readonly plan: Plan; readonly inputTemplate: Json },
  tick: { readonly due: string; readonly scheduleId: string },
): TickInput {
  const input = resolveTemplate(inputTemplate, { input: tick, outputs: new Map() })
  const wrong = stored.inputSchema === undefined ? [] : storedInputCheck(stored.inputSchema)(input)
  const { plan, problems } = fitPlan(stored, input)
  return { plan, input, problems: [...wrong, ...problems] }
}
