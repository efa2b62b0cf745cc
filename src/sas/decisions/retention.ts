import { fitting, isTooLarge } from './dispatch.js'
import type { Schedule, SchedulingState } from './decision.js'
import type { JobDocument } from '../model/documents.js'
import { isTerminal } from '../model/process-state.js'
import { unseen } from './ledger.js'

/** How much longer steps are kept than their job, where they cannot expire with it at once: so that it goes first. */
const stepsOutliveJobSeconds = 3_600

/** The longest time to live of a document, in seconds: 68 years. */
const maxTtl = 2 ** 31 - 1

/** Whether a scheduler has nothing more to do about a job, at least until an operator decides. */
export function isOver(job: JobDocument): boolean {
  return isTerminal(job) && !isToExpire(job)
}

/** Only a job that ended as it was meant to: one in Error an operator may want to continue, a live one never expires (I18). */
function isToExpire({ processState, retainForMs, ttl }: JobDocument): boolean {
  return (
    (processState === 'Processed' || processState === 'Compensated') && retainForMs !== null && ttl === -1
  )
}

/** The end of a job, with the job and all its steps beginning to expire, where one transaction takes them. */
export function withRetention(state: SchedulingState, decision: Schedule & { kind: 'write' }): Schedule {
  const { job, changed } = decision
  if (!isToExpire(job)) return decision
  const missing = unseen(job.stepIds, state.job.steps, state.steps)
  if (missing.length > 0) return { kind: 'read', stepIds: missing }
  const last = new Map([...state.steps, ...changed.map((step) => [step.stepId, step] as const)])
  const ttl = secondsOf(job)
  const expiring = [...last.values()].map((step) => ({ step: { ...step, ttl } }))
  if (fitting(expiring, job).length < expiring.length) return decision
  return { ...decision, job: { ...job, ttl }, changed: expiring.map(({ step }) => step) }
}

/**
 * A part of the steps of a job that has ended and whose steps do not fit one transaction; with the last part the job
 * begins to expire. The job is written with every part, so an operator who lets it live again meanwhile wins (I18), and
 * the part comes back in the feed and leads to the next, here or elsewhere.
 */
export function expire({ job, steps }: SchedulingState): Schedule {
  if (!isToExpire(job)) return { kind: 'nothing' }
  const missing = unseen(job.stepIds, job.steps, steps)
  if (missing.length > 0) return { kind: 'read', stepIds: missing }
  const ttl = secondsOf(job)
  const lasting = [...steps.values()].filter((step) => step.ttl === -1)
  // One that no transaction takes beside its job keeps all of it.
  if (lasting.some((step) => isTooLarge(step, { job }))) return { kind: 'nothing' }
  const expiring = lasting.map((step) => ({ step: { ...step, ttl: ttl + stepsOutliveJobSeconds } }))
  const part = fitting(expiring, job)
  const isLast = part.length === expiring.length
  return {
    kind: 'write',
    job: isLast ? { ...job, ttl } : job,
    changed: part.map(({ step }) => step),
    notices: [],
  }
}

/** Within what the store takes, however long was asked for: with more it would refuse the end of the job. */
function secondsOf({ retainForMs }: JobDocument): number {
  const seconds = Math.ceil((retainForMs ?? 0) / 1_000)
  return Math.min(Math.max(1, seconds), maxTtl - stepsOutliveJobSeconds)
}
