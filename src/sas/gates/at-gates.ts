import { partitionLimitSchema, type JobDocument, type StepDocument } from '../model/documents.js'
import type { PlanLimit } from '../model/gate-parts.js'
import type { KnownValues } from '../plan/template.js'
import { homeOf } from './home.js'
import { isGated, requestAgain, requestAtBegin, type GateRequest, type Passes } from './pass.js'

/** The largest number of steps of a job that come to their gates at once. Further steps begin later. */
const maxRequests = 45

/** The same for steps that have a gate in the partition of the job. The transaction also writes the gate and waiters. */
const maxRequestsAtHome = 20

/** The largest number of steps in one transaction. The transaction also holds their job and its notices. */
const maxStepsAtOnce = 90

/** The same if the transaction also writes gates of the job's partition and their waiters. */
const maxStepsWithGates = 50

/**
 * Returns how many steps one transaction of a job may hold. Even if these steps have no limit, others may leave
 * theirs in the same transaction. The schema says whether the job has limits in its partition.
 */
export function mostStepsAtOnce({ schema }: Pick<JobDocument, 'schema'>): number {
  return schema >= partitionLimitSchema ? maxStepsWithGates : maxStepsAtOnce
}

/** Checks whether one of these limits lives in the partition of the job. */
function areAtHome(limits: readonly PlanLimit[] = []): boolean {
  return limits.some(({ perPartition }) => perPartition === true)
}

/** The visits that steps must make before their next attempt, and the steps that do so in another transaction. */
export interface VisitsAgain {
  readonly requests: readonly GateRequest[]
  readonly later: ReadonlySet<StepDocument>
}

/** Returns the visits that steps must make before their next attempt, and that they have not made yet. */
export function visitsAgain(steps: readonly StepDocument[], passes: Passes | undefined): VisitsAgain {
  const asked = steps.flatMap((step) => {
    const request = isGated(step) ? requestAgain(step) : null
    const isMade = passes?.get(step.stepId)?.entry === request?.entry
    return request === null || isMade ? [] : [{ ...request, step }]
  })
  if (!asked.some(({ gates }) => gates.some(({ key }) => homeOf(key) !== null)))
    return { requests: asked, later: new Set() }
  const isFirst = asked.length === steps.filter((step) => isGated(step) && step.place !== undefined).length
  if (isFirst) return { requests: asked.slice(0, maxRequestsAtHome), later: new Set() }
  return { requests: [], later: new Set(asked.map(({ step }) => step)) }
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
  const mostAtHome = Math.max(0, maxRequestsAtHome - (passes?.size ?? 0))
  const most = ready.some(({ limits }) => areAtHome(limits)) ? mostAtHome : maxRequests
  return { mayBegin, requests: isFirst ? requests.slice(0, most) : [] }
}
