import type { Restarted } from '../../decisions/operator/restarted-job.js'
import type { JobDocument } from '../../model/documents.js'
import { CommandRefused } from '../../model/errors.js'
import { isStaged, withDerivedState } from '../../model/process-state.js'
import { payloadHash } from '../../plan/payload.js'
import {
  replacing,
  withoutStoreFields,
  type ApplyResult,
  type StateDocument,
  type StateStore,
  type StateWrite,
  type Stored,
} from '../../store/state-store.js'
import { fits } from '../../store/transaction.js'
import { readableJob } from '../../store/unreadable-jobs.js'
import { missingSteps, withSteps } from '../../submission/write-submission.js'

/**
 * Writes a restart. One transaction creates the new job and links both jobs, so that there is never a new job
 * without the link, or a link without its job (I33). A job that is too large for one transaction is first
 * written without its intent, as a large submission is (F-B3).
 *
 * @throws CommandRefused if another job has the id of the new job
 */
export async function writeRestart(
  store: StateStore,
  before: Stored<JobDocument>,
  restarted: Restarted,
): Promise<ApplyResult> {
  const { origin, job, steps, received } = restarted
  const link = replacing(before, origin)
  const writes = [link, ...creating([job, ...received, ...steps])]
  if (!fits(writes)) return writeInStages(store, before, restarted)
  const result = await store.apply(before.pk, writes)
  if (result.kind === 'conflict' && result.reason === 'exists') throw taken(before, job)
  return result
}

async function writeInStages(
  store: StateStore,
  before: Stored<JobDocument>,
  { origin, job, steps, received }: Restarted,
): Promise<ApplyResult> {
  // The steps are copies of those of this version of the job, so another version needs other copies.
  const planHash = payloadHash(before._etag, job.payloadHash)
  const there = await readableJob(store, job)
  const staged = withDerivedState({
    ...job,
    planHash,
    compensation: null,
    currentState: job.initialState,
    desiredState: job.initialState,
  })
  if (there === null) {
    const created = await store.apply(job.pk, creating([staged]))
    if (created.kind !== 'applied') return created
  } else if (!isStaged(there) || there.planHash !== planHash || there.endedAtMs !== null) {
    throw taken(before, job)
  }
  const begun = there ?? (await readableJob(store, job))
  const present = await store.listSteps(job.pk, job.jobId)
  const missing = missingSteps(steps, present)
  const complete = begun === null ? null : await withSteps(store, begun, missing)
  if (complete === null) return { kind: 'unknownOutcome', cause: null }
  const intended = { ...job, planHash, fence: complete.fence + 1 }
  return store.apply(job.pk, [
    replacing(before, origin),
    replacing(complete, intended),
    ...creating(received),
  ])
}

function creating(documents: readonly StateDocument[]): StateWrite[] {
  return documents.map((document) => ({ kind: 'create', document: withoutStoreFields(document) }))
}

/** Returns the refusal. A restart that was begun and not completed is removed after about an hour. */
function taken({ jobId }: JobDocument, { jobId: as }: JobDocument): CommandRefused {
  return new CommandRefused(
    jobId,
    `documents of a job ${as} exist already: choose another id for the new job`,
  )
}
