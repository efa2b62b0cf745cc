import { copyWith } from '../model/copies/copy-with.js'
import { takeFitting, isTooLarge } from './dispatch.js'
import type { Schedule, SchedulingState } from './continue-or-end-job.js'
import type { JobDocument } from '../model/documents.js'
import { isToExpire } from '../model/is-over.js'
import { hasDocument } from '../model/planned/planned-steps.js'
import { unseen } from './ledger.js'

/** The time, in seconds, for which steps outlive their job if they do not all fit into one transaction. */
const stepsOutliveJobSeconds = 3_600

/** The longest time to live of a document, in seconds (68 years). */
const maxTtl = 2 ** 31 - 1

/** Starts the expiry of an ended job and its steps in the job's last write, if one transaction holds them. */
export function withRetention(state: SchedulingState, decision: Schedule & { kind: 'write' }): Schedule {
  const { job, changed } = decision
  if (!isToExpire(job)) return decision
  const missing = unseen(job.stepIds, state.job.steps, state.steps)
  if (missing.length > 0) return { kind: 'read', stepIds: missing }
  const stored = [...state.steps].filter(([stepId]) => hasDocument(job, stepId))
  const last = new Map([...stored, ...changed.map((step) => [step.stepId, step] as const)])
  const ttl = secondsOf(job)
  const expiring = [...last.values()].map((step) => ({ step: copyWith(step, { ttl }) }))
  if (takeFitting(expiring, job).length < expiring.length) return decision
  return { ...decision, job: copyWith(job, { ttl }), changed: expiring.map(({ step }) => step) }
}

/**
 * Starts the expiry of some steps of an ended job, because its steps do not all fit into one transaction. The
 * expiry of the job starts with the last part. Every part is written together with the job, so no part is
 * written after an operator has continued the job (I18). After each part, the feed delivers the job again, to
 * this or another instance, which writes the next part.
 */
export function expire({ job, steps }: SchedulingState): Schedule {
  if (!isToExpire(job)) return { kind: 'nothing' }
  const missing = unseen(job.stepIds, job.steps, steps)
  if (missing.length > 0) return { kind: 'read', stepIds: missing }
  const ttl = secondsOf(job)
  const lasting = [...steps.values()].filter((step) => step.ttl === -1 && hasDocument(job, step.stepId))
  // If one step and its job are too large for one transaction, the job and all its steps are kept.
  if (lasting.some((step) => isTooLarge(step, { job }))) return { kind: 'nothing' }
  const expiring = lasting.map((step) => ({ step: copyWith(step, { ttl: ttl + stepsOutliveJobSeconds }) }))
  const part = takeFitting(expiring, job)
  const isLast = part.length === expiring.length
  return {
    kind: 'write',
    job: isLast ? copyWith(job, { ttl }) : job,
    changed: part.map(({ step }) => step),
    notices: [],
  }
}

/** Returns the time to live in seconds, within the limit above which the store would refuse the write. */
function secondsOf({ retainForMs }: JobDocument): number {
  const seconds = Math.ceil((retainForMs ?? 0) / 1_000)
  return Math.min(Math.max(1, seconds), maxTtl - stepsOutliveJobSeconds)
}
