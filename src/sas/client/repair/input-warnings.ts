import { withoutUndefined } from '../../../platform/internal.js'
import type { JobClient } from '../job-client.js'

const rule =
  'another input gives the step a new idempotency key, and the effects under the old key are undone ' +
  'only if the job is undone'

/** Returns warnings about effects that a new input of a step does not undo. */
export async function newInputWarnings(
  client: JobClient,
  { jobId, ...where }: { readonly jobId: string; readonly partitionKey?: string | undefined },
  stepId: string | undefined,
): Promise<string[]> {
  const view = await (await client.get(jobId, withoutUndefined(where)))?.view({ hidesSecrets: true })
  const acting = view?.steps.filter((step) => step.stepId === stepId && step.mayHaveActed) ?? []
  return acting.map((step) => `step ${step.stepId} of job ${jobId} may have acted: ${rule}`)
}
