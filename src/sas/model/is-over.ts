import type { JobDocument } from './documents.js'
import { isTerminal } from './process-state.js'

type EndFields = Pick<JobDocument, 'processState' | 'retainForMs' | 'ttl'>

/** Checks whether a scheduler has no more work on a job. Only an operator can then continue the job. */
export function isOver(job: EndFields): boolean {
  return isTerminal(job) && !isToExpire(job)
}

/**
 * Checks whether the expiry of a job must begin now. A job in Error is kept for an operator, and a job that
 * has not ended never expires (I18).
 */
export function isToExpire({ processState, retainForMs, ttl }: EndFields): boolean {
  return (
    (processState === 'Processed' || processState === 'Compensated') && retainForMs !== null && ttl === -1
  )
}
