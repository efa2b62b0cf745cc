import type { Decoded } from '../model/decode.js'
import type { JobDocument, NoticeDocument, StepDocument } from '../model/documents.js'
import type { StateWrite } from '../store/state-store.js'
import { fits } from '../store/transaction.js'
import type { AgentsHere } from './attempts-in-job.js'

/** A submitted job with the changes of its first scheduling. */
export interface BegunJob {
  readonly job: JobDocument
  /** The steps that were dispatched. */
  readonly changed: readonly StepDocument[]
  readonly notices: readonly NoticeDocument[]
  /** The changes of the limits that the job enters at once. */
  readonly limits?: LimitChanges
  /** The agents that may start the dispatched steps, so that these need no documents yet. Missing if there are none here. */
  readonly agents?: AgentsHere
}

/** The changes of limits in the partition of a job that its submission writes. */
export interface LimitChanges {
  readonly writes: readonly StateWrite[]
  /**
   * Ends these changes: `etags` are those of the writes, or null if the transaction was not applied. It must be called
   * once, because other work of the partition waits for it.
   */
  readonly end: (etags: readonly string[] | null) => void
}

/**
 * Decides what the first scheduling of a submitted job would write. Returns null if the job must be stored as
 * submitted, so that a scheduler begins it later.
 */
export type BeginSubmission = (
  job: JobDocument,
  steps: readonly StepDocument[],
) => BegunJob | null | Promise<BegunJob | null>

/** The writes of a submission, and the documents of these writes as their readers decode them. */
export interface Writing {
  readonly writes: readonly StateWrite[]
  readonly decoded: readonly Decoded[]
  /** The changes of limits, whose writes are the first ones. */
  readonly limits?: LimitChanges
  readonly agents?: AgentsHere
  /** Called if the writes were not applied, or if that is unknown. */
  readonly withdraw?: () => void
}

/**
 * Returns the writes that submit the job and begin it in one transaction (W0 with W1). This saves the replaces
 * of the job and of its first steps. Returns null if the job cannot begin so, or if the transaction would be
 * too large.
 */
export async function begunWriting(
  { writes, decoded }: Writing,
  begin: BeginSubmission,
): Promise<Writing | null> {
  const job = decoded.find((document) => document.kind === 'job')?.job
  if (job === undefined) return null
  const begun = await begin(
    job,
    decoded.flatMap((document) => (document.kind === 'step' ? [document.step] : [])),
  )
  if (begun === null) return null
  const changed = new Map(begun.changed.map((step) => [step.stepId, step]))
  const after = decoded.map((document): Decoded => {
    if (document.kind === 'job') return { kind: 'job', job: begun.job }
    if (document.kind !== 'step') return document
    return { kind: 'step', step: changed.get(document.step.stepId) ?? document.step }
  })
  const submitted = writes.map((write, index): StateWrite => {
    const document = after[index]
    if (document?.kind === 'job') return { kind: 'create', document: document.job }
    return document?.kind === 'step' ? { kind: 'create', document: document.step } : write
  })
  const notices = begun.notices.map((document) => ({ kind: 'create' as const, document }))
  const { limits, agents } = begun
  const together = [...(limits?.writes ?? []), ...submitted, ...notices]
  if (fits(together))
    return { writes: together, decoded: after, ...(limits && { limits }), ...(agents && { agents }) }
  limits?.end(null)
  return null
}
