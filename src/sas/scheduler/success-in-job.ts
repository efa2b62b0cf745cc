import { isBehind } from '../model/work.js'
import type { JobDocument, StepDocument } from '../model/documents.js'
import { doneAttemptOf, mostStepsLeft } from '../model/planned/done-step.js'
import { etagOfPlanned, type BegunStep, type DoneStep } from '../model/planned/planned-steps.js'
import type { Stored } from '../store/state-store.js'
import { attemptsFit } from '../submission/attempts-in-job.js'

/** A step before and after a write. */
export interface Pair {
  readonly before: Stored<StepDocument>
  readonly after: StepDocument
}

/**
 * Returns the success of a first attempt that is written only in the job (I47), or null if the step gets its document now.
 *
 * @param next the job as it is written with the success
 * @param begun the attempts that begin in the job with the same write
 */
export function successInJob(
  next: JobDocument,
  { before, after }: Pair,
  begun: readonly BegunStep[],
): DoneStep | null {
  if (before._etag !== etagOfPlanned) return null
  const done = doneAttemptOf(before, after)
  if (done === null) return null
  const left = next.stepIds.filter((stepId) => !isBehind(next.steps[stepId]))
  if (left.length > mostStepsLeft) return null
  const attempts = begun.map(({ attempt }) => attempt)
  return attemptsFit(next, [...attempts, done]) ? { step: after, done } : null
}
