import type { JobDocument, StepDocument } from '../model/documents.js'
import { begunAttemptOf, type Maker } from '../model/planned/begun-attempt.js'
import type { BegunAttempt, DoneAttempt } from '../model/planned/planned-step.js'
import type { BegunStep } from '../model/planned/planned-steps.js'
import { isTooDeep } from '../model/values/plain-json.js'
import { exceeds } from '../store/transaction.js'

/** The largest size of the first attempts and successes in a job document. Every write of the job contains those that are left. */
const maxBytes = 2 * 1_024

/** Checks whether a job may also have these attempts and successes, beside those that it has. */
export function attemptsFit(
  { planned = [] }: Pick<JobDocument, 'planned'>,
  added: readonly (BegunAttempt | DoneAttempt)[],
): boolean {
  const present = planned.flatMap(({ attempt, done }) => [attempt, done].filter((one) => one !== undefined))
  return !exceeds([...present, ...added], maxBytes)
}

/** The agents of the process, which make attempts of jobs that it schedules. */
export interface AgentsHere {
  readonly maker: Maker
  /**
   * Checks whether the agents will have a free slot for the step after it is written, and keeps it for the step for a few seconds.
   *
   * @param ended the attempt whose slot becomes free with this write
   */
  readonly promise: (step: StepDocument, ended?: StepDocument) => boolean
  /** Ends a promise, because the step was not written. */
  readonly withdraw: (step: StepDocument) => void
}

/** A step before and after its dispatch. */
export interface Dispatched {
  /** The step as its job has planned it. */
  readonly before: StepDocument
  readonly after: StepDocument
}

/** Returns the first attempts that may begin in the job, without documents of their steps (I46). */
export function attemptsInJob(
  job: Pick<JobDocument, 'secrets' | 'planned'>,
  dispatched: Iterable<Dispatched>,
  { promise }: Pick<AgentsHere, 'promise'>,
  ended?: StepDocument,
): readonly BegunStep[] {
  const begun: BegunStep[] = []
  // The steps of a job with secrets hide their values.
  if (job.secrets !== undefined) return begun
  const attempts: BegunAttempt[] = []
  for (const { before, after } of dispatched) {
    const attempt = begunAttemptOf(before, after)
    if (attempt === null) continue
    attempts.push(attempt)
    // The depth of inputs is limited at each dispatch, but not that of undos.
    const { undoInput } = attempt
    const mayBegin = attemptsFit(job, attempts) && (undoInput === undefined || !isTooDeep(undoInput))
    // The slot of the ended attempt is free before the first of these starts.
    if (mayBegin && promise(after, begun.length === 0 ? ended : undefined))
      begun.push({ step: after, attempt })
    else attempts.pop()
  }
  return begun
}
