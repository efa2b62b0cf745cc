import type { ScheduledJobDocument } from '../model/schedule-documents.js'
import { jobDocumentId } from '../model/document-ids.js'
import { DocumentInvalid, JobConflict, JobUnreadable, SubmissionInvalid } from '../model/errors.js'
import type { Plan } from '../plan/plan.js'
import type { StateStore } from '../store/state-store.js'
import type { BeginSubmission } from '../submission/begun-submission.js'
import { storedPlanRequest } from '../submission/stored-plan-request.js'
import type { SubmitRequest } from '../submission/submit.js'
import { ensureSubmitted, type AcceptedJob } from '../submission/write-submission.js'
import type { Tick } from './counted-ticks.js'
import { tickInput } from './tick-input.js'

/** Submits the jobs of ticks to a store. */
export interface TickSubmitter {
  readonly store: StateStore
  readonly now: () => number
  readonly beginSubmission?: BeginSubmission | undefined
  readonly onAccepted?: ((accepted: AcceptedJob) => void) | undefined
}

export type TickSubmitted =
  | { readonly kind: 'submitted'; readonly isNew: boolean }
  /** The job of this tick can never be submitted. */
  | { readonly kind: 'refused'; readonly message: string }

/**
 * Submits the job of a tick. If a job with its id exists already, the tick is submitted:
 * another instance was first, or the definition has changed since the first try.
 *
 * @throws StoreUnavailable if the store could not be reached; submit the same tick again
 */
export async function submitTick(
  { store, now, beginSubmission, onAccepted }: TickSubmitter,
  job: ScheduledJobDocument,
  tick: Tick,
): Promise<TickSubmitted> {
  try {
    const request = requestOf(job, tick, now())
    const { isNew, accepted } = await ensureSubmitted(store, request, beginSubmission)
    if (accepted !== null) onAccepted?.(accepted)
    return { kind: 'submitted', isNew }
  } catch (error) {
    const { jobId } = tick
    if (error instanceof JobUnreadable) return { kind: 'submitted', isNew: false }
    if (error instanceof JobConflict && (await jobExists(store, jobId))) {
      return { kind: 'submitted', isNew: false }
    }
    const isRefused =
      error instanceof JobConflict || error instanceof SubmissionInvalid || error instanceof DocumentInvalid
    if (isRefused) return { kind: 'refused', message: error.message }
    throw error
  }
}

/** Checks whether there is a document of a job with this id, whether readable or not. */
export async function jobExists(store: StateStore, jobId: string): Promise<boolean> {
  return (await store.read({ pk: jobId, id: jobDocumentId(jobId) })) !== null
}

function requestOf(job: ScheduledJobDocument, { jobId, dueMs }: Tick, now: number): SubmitRequest {
  const tick = { due: new Date(dueMs).toISOString(), scheduleId: job.scheduleId }
  const { inputTemplate } = job
  const { plan, input, problems } = tickInput({ plan: job.plan as unknown as Plan, inputTemplate }, tick)
  if (problems.length > 0) throw new SubmissionInvalid(problems.join('; '))
  const { priority, replyTo, notify, completeWithinMs, retainForMs, tags = [] } = job
  return storedPlanRequest({
    plan,
    jobId,
    input,
    priority,
    replyTo,
    ...(notify && { notify }),
    completeWithinMs,
    retainForMs,
    tags,
    now,
  })
}
