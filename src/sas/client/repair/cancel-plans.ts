import { withoutUndefined } from '../../../platform/internal.js'
import type { CancelPlan } from '../../decisions/operator/cancel-plan.js'
import { JobNotFound } from '../../model/errors.js'
import type { JobClient } from '../job-client.js'

/** The largest number of jobs of which a dry run of a cancellation reads the steps. */
export const mostCancelPlans = 20

/** What a cancellation would do with the steps of a job. */
export interface JobCancelPlan extends CancelPlan {
  readonly jobId: string
}

/** Reads what a cancellation would do with the steps of the first of these jobs. Leaves out a job that is gone. */
export async function readCancelPlans(
  client: JobClient,
  jobs: readonly { readonly jobId: string; readonly partitionKey?: string | undefined }[],
): Promise<JobCancelPlan[]> {
  const plans: JobCancelPlan[] = []
  for (const { jobId, ...where } of jobs.slice(0, mostCancelPlans)) {
    const job = await client.get(jobId, withoutUndefined(where))
    const plan = await job?.cancelPlan().catch(unlessGone)
    if (plan !== undefined) plans.push({ jobId, ...plan })
  }
  return plans
}

function unlessGone(error: unknown): undefined {
  if (!(error instanceof JobNotFound)) throw error
}
