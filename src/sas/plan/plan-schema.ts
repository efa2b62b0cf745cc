import {
  basicSchema,
  continuingSchema,
  limitedJobSchema,
  partitionLimitSchema,
  type Json,
} from '../model/documents.js'
import type { Condition } from './condition.js'
import type { Plan, PlanStep } from './plan.js'
import { hasText, stepsWithPart } from './template.js'

/** The operators that code of version 1 knows. */
const basicOperators: ReadonlySet<unknown> = new Set<Condition['operator']>([
  'equal',
  'greater',
  'present',
  'hasItem',
  'not',
  'all',
  'any',
])

/** Returns the schema version of a job with this plan: the lowest that reads all parts of the plan. */
export function schemaOf({ steps, limits }: Pick<Plan, 'steps' | 'limits'>): number {
  const all = [limits, ...steps.map((step) => step.limits)].flatMap((list) => list ?? [])
  if (all.some(({ perPartition }) => perPartition === true)) return partitionLimitSchema
  if (limits !== undefined) return limitedJobSchema
  return steps.some(isContinuing) ? continuingSchema : basicSchema
}

/**
 * Returns the schema version of a step: the lowest that its writers need. A supervisor of version 1 would take
 * the time of a reminder for the end of the question. A client of version 1 would take the first event of a step
 * that collects for the only one.
 */
export function stepSchemaOf({ question, count }: Pick<PlanStep, 'question' | 'count'>): number {
  if (count !== undefined) return continuingSchema
  const { remindAfterMs, escalateAfterMs } = question ?? {}
  return remindAfterMs === undefined && escalateAfterMs === undefined ? basicSchema : continuingSchema
}

function isContinuing(step: PlanStep): boolean {
  const { jobGoesOn, when, input, undo, question, repeat, limits, count } = step
  if (repeat !== undefined || limits !== undefined || count !== undefined) return true
  if (jobGoesOn === true || question !== undefined || !hasBasicOperators(when)) return true
  const templates = [when, input, undo?.input ?? null]
  return templates.some((each) => hasText(each) || stepsWithPart(each, 'outcome', 'outcomeSoFar').size > 0)
}

function hasBasicOperators(when: Json): boolean {
  if (when === null) return true
  const { operator, of } = when as unknown as Condition
  const isJoin = operator === 'not' || operator === 'all' || operator === 'any'
  return basicOperators.has(operator) && (!isJoin || of.every((each) => hasBasicOperators(each as Json)))
}
