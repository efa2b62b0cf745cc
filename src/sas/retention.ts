import { maxStepsAtOnce } from './dispatch.js'
import type { Schedule, SchedulingState } from './decision.js'
import { bytesOf, maxTransactionBytes } from './transaction.js'

/**
 * A job that ends as it was meant to, and all its steps with it, in one transaction, begin to expire; a live job never
 * does, nor one in Error, which an operator may want to continue (I18). A job too large for one transaction is kept.
 */
export function withRetention(state: SchedulingState, decision: Schedule & { kind: 'write' }): Schedule {
  const { job, changed } = decision
  const hasEnded = job.processState === 'Processed' || job.processState === 'Compensated'
  if (!hasEnded || job.retainForMs === null || job.stepIds.length > maxStepsAtOnce) return decision
  const missing = job.stepIds.filter(
    (stepId) => state.steps.get(stepId)?.dispatch !== state.job.steps[stepId]?.dispatch,
  )
  if (missing.length > 0) return { kind: 'read', stepIds: missing }
  const ttl = Math.max(1, Math.ceil(job.retainForMs / 1_000))
  const last = new Map([...state.steps, ...changed.map((step) => [step.stepId, step] as const)])
  const expiring = [...last.values()].map((step) => ({ ...step, ttl }))
  if (bytesOf([job, ...expiring]) > maxTransactionBytes) return decision
  return { ...decision, job: { ...job, ttl }, changed: expiring }
}
