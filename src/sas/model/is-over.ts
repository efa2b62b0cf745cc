import type { JobDocument } from './documents.js'
import { isTerminal } from './process-state.js'

/** Checks whether a scheduler has no more work on a job, at least until an operator decides. */
export function isOver(job: JobDocument): boolean {
  return isTerminal(job) && !isToExpire(job)
}

/**
 * Checks whether the expiry of a job must begin now. A job in Error is kept for an operator, and a live job
 * never expires (I18).
 */
export function isToExpire({ processState, retainForMs, ttl }: JobDocument): boolean {
  return (
    (processState === 'Processed' || processState === 'Compensated') && retainForMs !== null && ttl === -1
  )
}
