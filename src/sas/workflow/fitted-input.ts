import type { Json } from '../model/documents.js'
import { fitPlan } from '../plan/fan-out.js'
import type { Plan } from '../plan/plan.js'
import { storedInputCheck } from './input-schema.js'

/** A plan that fits the input of a job, and the reasons why the job cannot be submitted. */
export interface FittedInput {
  readonly plan: Plan
  readonly problems: readonly string[]
}

/** Fits a stored plan to the input of a job, without the code that defined the workflow. */
export function fittedInput(stored: Plan, input: Json): FittedInput {
  const wrong = stored.inputSchema === undefined ? [] : storedInputCheck(stored.inputSchema)(input)
  const { plan, problems } = fitPlan(stored, input)
  return { plan, problems: [...wrong, ...problems] }
}
