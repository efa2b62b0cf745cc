import type { Telemetry } from '../../telemetry/index.js'
import type { EndedJob } from '../in-process/job-endings.js'
import type { Written } from './job-writer.js'

/** Emits an event for each attempt that a written decision has dispatched. */
export function emitDispatches(
  { job, changed, isOfDocuments }: Pick<Written, 'job' | 'changed' | 'isOfDocuments'>,
  telemetry: Telemetry,
): void {
  const { jobId, workflow } = job
  // When a job is paused or resumed, only the deadlines of its waiting steps change.
  if (job.lockedBy === null || job.paused || isOfDocuments === true) return
  for (const { stepId, attempt, lockedBy } of changed) {
    if (lockedBy !== null) telemetry.emit({ type: 'step.dispatched', jobId, workflow, stepId, attempt })
  }
}

/** Emits the events of a job that has ended. */
export function emitEnd({ job }: EndedJob, telemetry: Telemetry): void {
  const { jobId, workflow, attention, processState } = job
  if (attention !== null) {
    const { kind, message, stepId } = attention
    telemetry.emit({ type: 'attention.raised', jobId, workflow, stepId, kind, message })
  }
  telemetry.emit({ type: 'job.finished', jobId, workflow, state: processState })
}
