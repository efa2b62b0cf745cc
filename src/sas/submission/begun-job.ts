import { copyWith } from '../model/copies/copy-with.js'
import type { Schedule, SchedulingState } from '../decisions/continue-or-end-job.js'
import { schedule } from '../decisions/schedule.js'
import type { JobDocument, StepDocument } from '../model/documents.js'
import { isTerminal } from '../model/process-state.js'
import type { PauseReading } from '../pauses/pause-board.js'
import type { AgentsHere } from './attempts-in-job.js'
import type { BegunJob } from './begun-submission.js'

export interface BeginningBy {
  readonly now: number
  readonly scheduler: string
  /** The id of the agents of this process that may start the steps immediately, or null. */
  readonly firstBy: string | null
  /** These agents, if they may start the steps of the job without documents. */
  readonly agents?: AgentsHere
  /** The pauses that are on, or null if the scheduler does not know them at the moment. */
  readonly pauses: PauseReading | null
  /** The answers of the limits to which the job came first. */
  readonly passes?: SchedulingState['passes']
}

/**
 * Decides the first scheduling (W1) of a job that is not stored yet. Returns null if the job would end at once:
 * such an end belongs to a write of its own, after the submission is confirmed. Also returns null if the job may be
 * paused with its workflow or an agent, or comes to a limit first.
 */
export function begunJob(job: JobDocument, steps: readonly StepDocument[], by: BeginningBy): BegunJob | null {
  return begunAs(firstScheduling(job, steps, by), by)
}

/** Decides about a job that is not stored yet. Returns null if the pauses are unknown. */
export function firstScheduling(
  job: JobDocument,
  steps: readonly StepDocument[],
  { now, scheduler, pauses, passes }: BeginningBy,
): Schedule | null {
  const known = new Map(steps.map((step) => [step.stepId, step]))
  if (pauses === null) return null
  const { entries } = pauses
  const of = { job, steps: known, now, scheduler, pauses: { entries, isConfirmed: false } }
  return schedule(passes === undefined ? of : { ...of, passes })
}

/** Returns the job as its submission begins it, or null if another write must follow the submission. */
export function begunAs(
  decision: Schedule | null,
  { firstBy, agents }: Pick<BeginningBy, 'firstBy' | 'agents'>,
): BegunJob | null {
  if (decision?.kind !== 'write' || isTerminal(decision.job)) return null
  const { job, changed, notices } = decision
  const begun = { job, changed: changed.map((step) => offeredTo(step, firstBy)), notices }
  return agents === undefined ? begun : { ...begun, agents }
}

/** Returns a dispatched step with the mark of the agents that may make its first attempt immediately. */
export function offeredTo(step: StepDocument, firstBy: string | null): StepDocument {
  // A step that was dispatched earlier, and gets its document only now, keeps its mark.
  return step.lockedBy === null || step.firstBy !== null || firstBy === null
    ? step
    : copyWith(step, { firstBy })
}
