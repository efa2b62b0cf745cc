import { schedule } from '../decisions/schedule.js'
import type { JobDocument, StepDocument } from '../model/documents.js'
import { isTerminal } from '../model/process-state.js'
import type { BegunJob } from './begun-submission.js'

interface BeginningBy {
  readonly now: number
  readonly scheduler: string
  /** The id of the agents of this process that may start the steps immediately, or null. */
  readonly firstBy: string | null
}

/**
 * Decides the first scheduling (W1) of a job that is not stored yet. Returns null if the job would end at once:
 * such an end belongs to a write of its own, after the submission is confirmed.
 */
export function begunJob(
  job: JobDocument,
  steps: readonly StepDocument[],
  { now, scheduler, firstBy }: BeginningBy,
): BegunJob | null {
  const known = new Map(steps.map((step) => [step.stepId, step]))
  const decision = schedule({ job, steps: known, now, scheduler })
  if (decision.kind !== 'write' || isTerminal(decision.job)) return null
  const { job: begun, changed, notices } = decision
  return { job: begun, changed: changed.map((step) => offeredTo(step, firstBy)), notices }
}

/** Returns a dispatched step with the mark of the agents that may make its first attempt immediately. */
export function offeredTo(step: StepDocument, firstBy: string | null): StepDocument {
  return step.lockedBy === null ? step : { ...step, firstBy }
}
