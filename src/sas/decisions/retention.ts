import { takeFitting, isTooLarge } from './dispatch.js'
import type { Schedule, SchedulingState } from './continue-or-end-job.js'
import type { JobDocument } from '../model/documents.js'
import { isToExpire } from '../model/is-over.js'
import { unseen } from './ledger.js'

/**
 * How much longer steps are kept than their job, if one transaction cannot expire all. So the job expires
 * first.
 */
const stepsOutliveJobSeconds = 3_600

/** The longest time to live of a document, in seconds: 68 years. */
const maxTtl = 2 ** 31 - 1

/** Lets an ended job and all its steps begin to expire with its last write, if they fit one transaction. */
export function withRetention(state: SchedulingState, decision: Schedule & { kind: 'write' }): Schedule {
  const { job, changed } = decision
  if (!isToExpire(job)) return decision
  const missing = unseen(job.stepIds, state.job.steps, state.steps)
  if (missing.length > 0) return { kind: 'read', stepIds: missing }
  const last = new Map([...state.steps, ...changed.map((step) => [step.stepId, step] as const)])
  const ttl = secondsOf(job)
  const expiring = [...last.values()].map((step) => ({ step: { ...step, ttl } }))
  if (takeFitting(expiring, job).length < expiring.length) return decision
  return { ...decision, job: { ...job, ttl }, changed: expiring.map(({ step }) => step) }
}

/**
 * Lets a part of the steps of an ended job begin to expire, if they do not all fit one transaction. With the
 * last part the job begins to expire. The job is written with every part, so an operator that revives the job
 * meanwhile wins (I18). The feed delivers each part, which leads to the next, in this or another instance.
 */
export function expire({ job, steps }: SchedulingState): Schedule {
  if (!isToExpire(job)) return { kind: 'nothing' }
  const missing = unseen(job.stepIds, job.steps, steps)
  if (missing.length > 0) return { kind: 'read', stepIds: missing }
  const ttl = secondsOf(job)
  const lasting = [...steps.values()].filter((step) => step.ttl === -1)
  // If one step is too large for a transaction beside its job, the job and all its steps are kept.
  if (lasting.some((step) => isTooLarge(step, { job }))) return { kind: 'nothing' }
  const expiring = lasting.map((step) => ({ step: { ...step, ttl: ttl + stepsOutliveJobSeconds } }))
  const part = takeFitting(expiring, job)
  const isLast = part.length === expiring.length
  return {
    kind: 'write',
    job: isLast ? { ...job, ttl } : job,
    changed: part.map(({ step }) => step),
    notices: [],
  }
}

/**
 * Returns the time to live, limited to what the store accepts. Otherwise it would refuse the end of the job.
 */
function secondsOf({ retainForMs }: JobDocument): number {
  const seconds = Math.ceil((retainForMs ?? 0) / 1_000)
  return Math.min(Math.max(1, seconds), maxTtl - stepsOutliveJobSeconds)
}
