import type { Json, PlannedStep } from '../model/documents.js'
import { isTooDeep } from '../model/values/plain-json.js'
import type { PlanStep } from './plan.js'

/**
 * The largest size of the plans of steps in a job document. Every write of the job contains those that are left, so larger
 * plans would cost more than they save.
 */
const maxPlannedBytes = 8 * 1_024

/** Returns the plan of a step as a job stores it until the step begins. */
export function plannedStep(step: PlanStep): PlannedStep {
  const { kind, when, undo, jobGoesOn, isClaimRequired, repeat, limits, secrets } = step
  return {
    id: step.id,
    actor: step.actor,
    action: step.action,
    input: step.input,
    dependsOn: [...step.dependsOn],
    completeWithinMs: step.completeWithinMs,
    maxFailures: step.maxFailures,
    retryBackoff: step.retryBackoff,
    initialState: step.initialState,
    targetState: step.targetState,
    onExhausted: step.onExhausted,
    ...(kind === 'sleep' || kind === 'gather' ? { kind } : {}),
    ...(when === null ? {} : { when }),
    ...(undo === null ? {} : { undo }),
    ...(jobGoesOn === true ? { jobGoesOn } : {}),
    ...(isClaimRequired ? { isClaimRequired } : {}),
    ...(repeat === undefined ? {} : { repeat }),
    ...(limits === undefined ? {} : { limits: [...limits] }),
    ...(secrets === undefined ? {} : { secrets: secrets.map((path) => [...path]) }),
  }
}

/**
 * Checks whether a job may have these plans in place of documents of its steps. A plan is deeper in the job than in the
 * document of its step, so very deep plans do not fit either.
 */
export function fitIntoJob(planned: readonly PlannedStep[]): boolean {
  const bytes = Buffer.byteLength(JSON.stringify(planned))
  return bytes <= maxPlannedBytes && !isTooDeep(planned as unknown as Json)
}

/**
 * Checks whether a step has a document only when it begins. Clients write to steps that wait for events or answers before
 * these begin, so these steps always have documents.
 */
export function isPlannable({ kind }: Pick<PlanStep, 'kind'>): boolean {
  return kind !== 'waitFor'
}
