import type { JobDocument } from '../model/documents.js'
import { deadline, isStaged, isTerminal, withDerivedState } from '../model/process-state.js'
import { offerWithinMs } from './offer-time.js'
import type { RecoveryPolicy } from './recover.js'

/** What to do about a job. */
export type JobRecovery =
  /** It has ended, or waits for an operator. */
  | { readonly kind: 'nothing' }
  /** It is not time yet. */
  | { readonly kind: 'wait'; readonly untilMs: number }
  /** The scheduler that drives it let its deadline pass: any scheduler may take it and look at all of it again (R98). */
  | { readonly kind: 'standing'; readonly job: JobDocument }
  /** No scheduler took it up in time: it is offered again, for longer each time, and flagged the first time (C8). */
  | { readonly kind: 'unclaimed'; readonly job: JobDocument; readonly isNew: boolean }
  /** Its submission was begun and never completed: it is removed, since no submitter was told that it is accepted (R24). */
  | { readonly kind: 'abandoned'; readonly job: JobDocument }

/** How long a scheduler has to take a job up, and how long after its last known deadline a held job is left alone. */
export const pickUpWithinMs = 60_000
/** How long a submission in stages may take, clocks that differ included. */
const completeSubmissionWithinMs = 3_600_000

/**
 * W6 for a job: steps have their own deadlines, so a job only stands still when what was to be written about it never
 * was. The supervisor does not know what that is; it takes the job from its holder, and the next scheduler folds every
 * step into the ledger by the same function as ever (R98, R26). No attempt has failed by that, so nothing is counted.
 */
export function recoverJob(job: JobDocument, policy: RecoveryPolicy): JobRecovery {
  const { now, graceMs, supervisor } = policy
  if (isStaged(job)) return recoverStaged(job, policy)
  const isHeld = job.lockedBy !== null
  if (isTerminal(job) || (isHeld && job.completeByMs === null)) return { kind: 'nothing' }
  const dueMs = dueAt(job) + graceMs
  if (now < dueMs) return { kind: 'wait', untilMs: dueMs }
  const freed = { ...job, lockedBy: null, fence: job.fence + 1 }
  if (isHeld) {
    return { kind: 'standing', job: withDerivedState({ ...freed, ...deadline(now + pickUpWithinMs) }) }
  }
  const isNew = job.attention?.kind !== 'unclaimed'
  const attention = {
    kind: 'unclaimed' as const,
    since: job.attention?.kind === 'unclaimed' ? job.attention.since : new Date(now).toISOString(),
    by: supervisor,
    message: `no scheduler took it up in ${pickUpWithinMs} ms: check that one runs`,
    stepId: null,
  }
  const offer = deadline(now + offerWithinMs(pickUpWithinMs, attention, now))
  return { kind: 'unclaimed', job: withDerivedState({ ...freed, attention, ...offer }), isNew }
}

/** Marked first, on its etag: whoever still writes stages of it has lost from then on (F-S8). */
function recoverStaged(job: JobDocument, { now, graceMs }: RecoveryPolicy): JobRecovery {
  if (job.ttl !== -1) return { kind: 'nothing' }
  const dueMs = job.submittedAtMs + completeSubmissionWithinMs + graceMs
  if (now < dueMs) return { kind: 'wait', untilMs: dueMs }
  const ended = { endedAt: new Date(now).toISOString(), endedAtMs: now }
  return { kind: 'abandoned', job: { ...job, ...ended, fence: job.fence + 1 } }
}

function dueAt({ lockedBy, completeByMs, endByMs, submittedAtMs }: JobDocument): number {
  if (completeByMs === null) return submittedAtMs + pickUpWithinMs
  // The steps of a held job fall due at the same moment; most of the time they are what has to be looked at.
  return lockedBy === null || completeByMs === endByMs ? completeByMs : completeByMs + pickUpWithinMs
}
