import type { JobDocument } from './documents.js'
import { isTerminal } from './process-state.js'

/** Checks whether a scheduler has nothing more to do about a job, at least until an operator decides. */
export function isOver(job: JobDocument): boolean {
  return isTerminal(job) && !isToExpire(job)
}

/**
 * Checks whether a job must begin to expire. A job in Error is kept for an operator, and a live job never
 * expires (I18).
 */
export function isToExpire({ processState, retainForMs, ttl }: JobDocument): boolean {
  return (
    (processState === 'Processed' || processState === 'Compensated') && retainForMs !== null && ttl === -1
  )
}
