import type { JobDocument } from '../model/documents.js'
import { replacing, type StateStore, type Stored } from './state-store.js'
import { grouped } from './transaction.js'

const removalTtl = 60

/**
 * Removes an abandoned submission by giving its documents a time to live: first the steps, then the job. If
 * the removal is interrupted, the job still exists, so a supervisor finds the remaining steps (F-S8). A
 * conflict means that another supervisor removes the same submission.
 */
export async function removeStaged(store: StateStore, job: Stored<JobDocument>): Promise<void> {
  const steps = (await store.listSteps(job.pk, job.jobId)).filter(({ ttl }) => ttl === -1)
  const writes = steps.map((step) => replacing(step, { ...step, ttl: removalTtl }))
  for (const group of grouped(writes, job)) {
    const result = await store.apply(job.pk, group)
    if (result.kind !== 'applied') return
  }
  await store.apply(job.pk, [replacing(job, { ...job, ttl: removalTtl })])
}
