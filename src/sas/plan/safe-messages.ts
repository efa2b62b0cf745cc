import type { JobDocument, StepDocument } from '../model/documents.js'
import { concealerAmong } from './hide-documents.js'

/**
 * Returns a job as it is stored, with new messages about its steps that contain no secret. Lists and alerts read only
 * the job, so they know no secret of a step.
 */
export function withSafeMessages(
  before: JobDocument,
  after: JobDocument,
  steps: Iterable<StepDocument>,
): JobDocument {
  if (!tellsNews(before, after)) return after
  const hide = concealerAmong([after], [...steps])
  const { attention, compensation } = after
  return {
    ...after,
    attention: attention && { ...attention, message: hide(attention.message) },
    compensation: compensation && { ...compensation, reason: hide(compensation.reason) },
  }
}

/** Checks whether a job with secrets gets a message that it did not have. */
export function tellsNews(before: JobDocument, after: JobDocument): boolean {
  if (after.secrets === undefined) return false
  const { attention, compensation } = after
  const isNew = attention !== null && attention.message !== before.attention?.message
  return isNew || (compensation !== null && compensation.reason !== before.compensation?.reason)
}
