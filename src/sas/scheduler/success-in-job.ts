import { isBehind } from '../model/work.js'
import type { JobDocument, StepDocument } from '../model/documents.js'
import { doneAttemptOf, mostStepsLeft } from '../model/planned/done-step.js'
import { etagOfPlanned, type BegunStep, type DoneStep } from '../model/planned/planned-steps.js'
import { exceeds } from '../store/transaction.js'
import type { Stored } from '../store/state-store.js'

/** The largest size of the attempts and successes in a job document, because every later write of the job contains them. */
const maxBytes = 2 * 1_024

/** A step before and after a write. */
interface Pair {
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
  const others = (next.planned ?? []).flatMap((plan) => [plan.attempt ?? [], plan.done ?? []])
  const attempts = begun.map(({ attempt }) => attempt)
  return exceeds([...others, ...attempts, done], maxBytes) ? null : { step: after, done }
}
