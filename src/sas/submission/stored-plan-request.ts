import { payloadHash } from '../plan/payload.js'
import type { SubmitRequest } from './submit.js'

type Given =
  | 'plan'
  | 'jobId'
  | 'input'
  | 'priority'
  | 'replyTo'
  | 'notify'
  | 'completeWithinMs'
  | 'retainForMs'
  | 'tags'
  | 'now'

/** Returns the submission of a job that Stepward submits itself: in a partition of its own, with no documents beside it. */
export function storedPlanRequest(given: Pick<SubmitRequest, Given>): SubmitRequest {
  const { jobId, plan, input } = given
  return {
    ...given,
    orderId: jobId,
    partition: jobId,
    alongside: [],
    payloadHash: payloadHash(plan.workflow, input),
  }
}
