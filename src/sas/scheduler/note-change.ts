import type { Telemetry } from '../../telemetry/index.js'
import { mustRead } from '../decisions/readers.js'
import type { PauseBoard } from '../pauses/pause-board.js'
import type { StateChange } from '../model/delivered/state-change.js'
import { isTerminal } from '../model/process-state.js'
import { changedJob, noteUnreadable, type ChangedJob } from './memory/changed-jobs.js'
import type { KnownJobs } from './memory/known-jobs.js'

/** What a scheduler learns from changes. */
export interface Noting {
  readonly known: KnownJobs
  readonly board: PauseBoard
  readonly telemetry: Telemetry
}

/** Notes the job that a change of the feed concerns, with the version to decide from. */
export function noteChange(
  change: StateChange,
  changed: Map<string, ChangedJob>,
  { known, board, telemetry }: Noting,
): void {
  const decoded = known.note(change)
  if (decoded === null) return
  if (decoded.kind === 'job') {
    const { job } = decoded
    if (mustRead.scheduler(job)) changedJob(job, changed).seen.job = change._etag
    // The supervisor or an operator requires a check of the whole job (R98), so its steps are forgotten.
    if (job.lockedBy === null && job.fence > 0 && !isTerminal(job)) known.forgetSteps(job)
  } else if (decoded.kind === 'step') {
    const { step } = decoded
    if (mustRead.scheduler(step)) changedJob(step, changed).seen.steps.set(step.stepId, change._etag)
  } else if (decoded.kind === 'pauses') {
    board.note(decoded.pauses)
  } else if (decoded.kind === 'invalid' || decoded.kind === 'newerSchema') {
    const reason =
      decoded.kind === 'invalid' ? decoded.reason : `schema ${decoded.schema} is newer than this code`
    telemetry.emit({ type: 'document.refused', id: change.id, reason })
    if (decoded.kind === 'invalid') noteUnreadable(change, changed)
  }
}
