import type { JobDocument } from '../model/documents.js'
import { replacing, type StateStore, type Stored } from './state-store.js'
import { grouped } from './transaction.js'

/** Seconds until what is removed has vanished. */
const removalTtl = 60

/**
 * Lets a submission that was given up vanish: its steps, then the job, by their time to live. Interrupted, it is found
 * again by the job, which goes last (F-S8). A conflict means that another supervisor does the same.
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
