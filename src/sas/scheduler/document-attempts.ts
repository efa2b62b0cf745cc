import type { Clock, Random } from '../../platform/index.js'
import { retry, withinLimit } from '../../platform/internal.js'
import { claimedInJob, isTaken } from '../decisions/claim.js'
import { jobDocumentId } from '../model/document-ids.js'
import type { StepDocument } from '../model/documents.js'
import { StoreUnavailable } from '../model/errors.js'
import type { Making } from '../model/planned/begun-attempt.js'
import { plannedSteps } from '../model/planned/planned-steps.js'
import type { StateStore } from '../store/state-store.js'
import { readJob, readStep, updateDocument } from '../store/update-document.js'
import type { AttemptsInJobs } from './memory/attempts-in-jobs.js'

interface Documenting {
  readonly store: StateStore
  readonly clock: Clock
  readonly random: Random
}

/** The time for which the release of a lease waits. */
const withinMs = 10_000

/** The pauses between tries. The release of a lease waits. */
const backoff = { minMs: 50, maxMs: 1_000 }

/**
 * Gives documents, with claims of this process, to the steps of a range whose attempts it makes and only their jobs have (I46). Otherwise
 * the next owner would let its agents make these attempts, too. The jobs do not wait for each other. Never rejects.
 */
export async function documentAttempts(
  inJobs: AttemptsInJobs,
  leaseToken: string,
  by: Documenting,
): Promise<void> {
  const givingUp = new AbortController()
  const documenting = documentAll(inJobs, leaseToken, { ...by, signal: givingUp.signal })
  await withinLimit(by.clock, withinMs, documenting, () => givingUp.abort())
}

async function documentAll(
  inJobs: AttemptsInJobs,
  leaseToken: string,
  by: Documenting & { readonly signal: AbortSignal },
): Promise<void> {
  const made = await inJobs.madeIn(leaseToken)
  const byJob = new Map<string, typeof made>()
  for (const one of made) {
    const key = `${one.step.pk}\n${one.step.jobId}`
    byJob.set(key, [...(byJob.get(key) ?? []), one])
  }
  await Promise.all(
    [...byJob.values()].map(async (ofJob) => {
      for (const { step, making } of ofJob) {
        await documented(step, making, by)
        inJobs.remove(step)
      }
    }),
  )
}

async function documented(
  { pk, jobId, stepId }: Pick<StepDocument, 'pk' | 'jobId' | 'stepId'>,
  making: Making,
  { store, clock, random, signal }: Documenting & { readonly signal: AbortSignal },
): Promise<void> {
  const give = async (): Promise<void> => {
    const job = await readJob(store, { pk, id: jobDocumentId(jobId) })
    const known = job === null ? undefined : plannedSteps(job).get(stepId)
    if (known === undefined || known.lockedBy === null) return
    await updateDocument(store, { address: known, known, read: readStep }, (step) => {
      const { fence } = step
      const isOther = fence !== known.fence || step.outcome !== null || isTaken(step)
      return { write: isOther ? null : claimedInJob(step, making, clock.now()), result: null }
    })
  }
  const isTransient = (error: unknown): boolean => error instanceof StoreUnavailable
  const tries = Number.POSITIVE_INFINITY
  await retry(give, { clock, random, tries, backoff, signal, isTransient }).catch(() => undefined)
}
