import type { StepDocument } from '../model/documents.js'
import type { PlanLimit } from '../model/gate-parts.js'
import type { KnownValues } from '../plan/template.js'
import { isGated, requestAgain, requestAtBegin, type GateRequest, type Passes } from './pass.js'

/** The largest number of steps of a job that come to their gates at once. Further steps begin later. */
const maxRequests = 45

/** The same if a gate is in the partition of the job. The transaction then also writes the gate and its waiters. */
const maxRequestsAtHome = 20

/** The largest number of steps in one transaction. The transaction also holds their job and its notices. */
const maxStepsAtOnce = 90

/** The largest number if the transaction also writes gates of the job's partition and their waiters. */
const maxStepsWithGates = 50

/** Returns how many steps one transaction may hold, by the limits of the job and its steps. */
export function mostStepsAtOnce(
  limited: readonly { readonly limits?: readonly PlanLimit[] | undefined }[],
): number {
  return limited.some(({ limits }) => areAtHome(limits)) ? maxStepsWithGates : maxStepsAtOnce
}

/** Checks whether one of these limits has its gate in the partition of the job. */
function areAtHome(limits: readonly PlanLimit[] = []): boolean {
  return limits.some(({ perPartition }) => perPartition === true)
}

/** Returns the visits that steps must make before their next attempt, and that they have not made yet. */
export function visitsAgain(
  steps: readonly StepDocument[],
  passes: Passes | undefined,
): readonly GateRequest[] {
  return steps.flatMap((step) => {
    const request = isGated(step) ? requestAgain(step) : null
    const isMade = passes?.get(step.stepId)?.entry === request?.entry
    return request === null || isMade ? [] : [request]
  })
}

/** The ready steps that may begin now, and the visits that come before. */
export interface AtGates {
  readonly mayBegin: readonly StepDocument[]
  readonly requests: readonly GateRequest[]
}

/**
 * Divides ready steps. A step without limits may begin. Of the others, only some come to their gates at once,
 * because their answers are used in one transaction.
 */
export function atGates(
  ready: readonly StepDocument[],
  known: KnownValues,
  passes: Passes | undefined,
): AtGates {
  if (!ready.some(({ limits }) => limits !== undefined)) return { mayBegin: ready, requests: [] }
  const hasPass = ({ stepId, dispatch }: StepDocument): boolean => passes?.get(stepId)?.entry === dispatch
  const requests = ready.flatMap((step) => {
    const request = step.limits !== undefined && !hasPass(step) ? requestAtBegin(step, known) : null
    return request === null || typeof request === 'string' ? [] : [request]
  })
  const isFirst = !ready.some(hasPass)
  const asked = new Set(requests.map(({ step }) => step?.stepId))
  const mayBegin = ready.filter(({ stepId }) => !asked.has(stepId))
  const most = ready.some(({ limits }) => areAtHome(limits)) ? maxRequestsAtHome : maxRequests
  return { mayBegin, requests: isFirst ? requests.slice(0, most) : [] }
}
