import type { Clock, Random } from '../../../platform/index.js'
import { retry } from '../../../platform/internal.js'
import { mayWait, type Claimant } from '../../decisions/claim.js'
import type { StepDocument } from '../../model/documents.js'
import { jobDocumentId } from '../../model/document-ids.js'
import type { Progress } from '../../model/readable-parts.js'
import { StoreUnavailable } from '../../model/errors.js'
import { extend, type LateBegin } from '../../decisions/extend.js'
import { isOpen } from '../../decisions/settle.js'
import type { StateStore, Stored } from '../../store/state-store.js'
import { readJob, readStep, updateDocument } from '../../store/update-document.js'

export interface MoreTimeOptions {
  readonly store: StateStore
  readonly clock: Clock
  readonly random: Random
  readonly signal: AbortSignal
  readonly progress?: Progress | undefined
  /** Set if the attempt begins only now, because its step has waited for a slot. */
  readonly late?: LateBegin | undefined
}

export interface MoreTime {
  /** The newest known version of the step. */
  readonly step: Stored<StepDocument>
  /** The reason why this process must stop; null while it still owns the attempt. */
  readonly over: string | null
  readonly isWritten: boolean
}

/**
 * Asks for more time for an attempt (W2'); {@link extend} decides. If the store does not answer, the request
 * is retried until the current deadline. Then the attempt times out as usual (F-A26). An attempt that begins late is
 * retried until this process stops, because it cannot count as failed meanwhile (I44).
 *
 * @throws StoreUnavailable if the store did not answer before the deadline, or before this process stopped
 */
export async function moreTime(
  options: MoreTimeOptions,
  known: Stored<StepDocument>,
  claimant: Claimant,
): Promise<MoreTime> {
  const { store, clock, random, signal, progress, late } = options
  const ask = async (): Promise<MoreTime> => {
    // Most calls end here, without a request.
    if (extend(known, claimant, { now: clock.now(), endByMs: null, progress, late }).kind === 'unchanged') {
      return { step: known, over: null, isWritten: false }
    }
    const { pk, jobId } = known
    const job = await readJob(store, { pk, id: jobDocumentId(jobId) })
    if (job === null) return { step: known, over: 'the job of the step is gone', isWritten: false }
    let step = known
    const update = await updateDocument(store, { address: known, known, read: readStep }, (current) => {
      step = current
      // The pause of a job also stops its time limit, which a resume then moves.
      const endByMs = job.paused ? null : job.endByMs
      const extension = extend(current, claimant, { now: clock.now(), endByMs, progress, late })
      return {
        write: extension.kind === 'write' ? extension.step : null,
        result: extension.kind === 'refused' ? extension.reason : null,
      }
    })
    if (update.kind === 'missing') return { step: known, over: 'the step is gone', isWritten: false }
    if (update.kind === 'written') return { step: update.document, over: null, isWritten: true }
    return { step, over: update.result, isWritten: false }
  }
  return retry(ask, {
    clock,
    random,
    backoff: { minMs: 50, maxMs: 2_000 },
    tries: Number.POSITIVE_INFINITY,
    signal,
    isTransient: (error) =>
      error instanceof StoreUnavailable &&
      (isOpen(known, clock.now()) || (late !== undefined && mayWait(known))),
  })
}
