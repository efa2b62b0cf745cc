import type { Json } from '../model/documents.js'
import { noPayloads, type Payloads } from '../payloads/payloads.js'
import type { SubmitRequest } from '../submission/submit.js'

/**
 * Returns the submission with a large input in the payload store. The payload is durable before the job
 * exists. If the submission then fails, the payload belongs to no job, and a supervisor removes it later.
 *
 * @throws PayloadUnavailable if the payload could not be written; nothing was submitted
 */
export async function withLargeInput(
  { payloads = noPayloads }: { readonly payloads?: Payloads },
  request: SubmitRequest,
): Promise<SubmitRequest> {
  const { jobId, partition, input } = request
  if (!payloads.isLarge(input)) return request
  const owner = { partitionKey: partition, jobId }
  return { ...request, input: await payloads.put(owner, input), hasTickets: true }
}

/** Returns a value of a job with its large parts, if one of the documents contains tickets. */
export async function withLargeParts(
  { payloads = noPayloads }: { readonly payloads?: Payloads },
  { pk, jobId }: { readonly pk: string; readonly jobId: string },
  value: Json,
): Promise<Json> {
  return payloads.load({ partitionKey: pk, jobId }, value)
}
