import { offerWithinMs } from '../model/work.js'
import type { JobDocument, StepDocument } from '../model/documents.js'
import { begunInJob } from '../model/planned/planned-steps.js'
import { deadline, isStaged, isTerminal, withDerivedState } from '../model/process-state.js'
import { standingOf, type AgentsKnown } from '../waiting/agents-position.js'
import { mayWait } from './claim.js'
import { isUnderWay } from './ledger.js'
import { lookAgainMs, type ReadStep, type RecoveryPolicy } from './recover-step.js'

export type JobRecovery =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'wait'; readonly untilMs: number }
  /** A step of the job may still wait for a slot, so the job is checked again at `untilMs`. */
  | { readonly kind: 'inLine'; readonly untilMs: number; readonly dueMs: number }
  /**
   * The job's scheduler missed the job's deadline. Any scheduler may take the job and check its steps (R98).
   */
  | { readonly kind: 'standing'; readonly job: JobDocument }
  /** No scheduler took the job in time. It is flagged once, and offered again at growing intervals (C8). */
  | { readonly kind: 'unclaimed'; readonly job: JobDocument; readonly isNew: boolean }
  /**
   * The submission was never completed. The job is removed, because no submitter got a confirmation (R24).
   */
  | { readonly kind: 'abandoned'; readonly job: JobDocument }

/** What the supervisor asks before it takes a job from its scheduler. */
export interface JobAnswer {
  /** All steps of the job. */
  readonly steps: readonly ReadStep[]
  readonly agents: AgentsKnown
}

/** The time within which a scheduler must take a job, or must act after a claimed job's last deadline. */
export const pickUpWithinMs = 60_000
/** The time within which a submission in stages must be completed. It allows for clock differences. */
const completeSubmissionWithinMs = 3_600_000

/**
 * Decides about an overdue job (W6). Overdue steps are recovered separately. If the job itself is overdue, a
 * write of its scheduler is probably missing. The job does not show which write is missing, so the supervisor
 * takes the job from its scheduler. The next scheduler then folds every step into the ledger as usual (R98,
 * R26). No failure is counted, because no attempt has failed.
 */
export function recoverJob(
  job: JobDocument & { readonly _ts?: number },
  policy: RecoveryPolicy,
  answer?: JobAnswer,
): JobRecovery {
  const { now, graceMs, supervisor } = policy
  if (isStaged(job)) return recoverStaged(job, policy)
  const isHeld = job.lockedBy !== null
  if (isTerminal(job) || (isHeld && job.completeByMs === null)) return { kind: 'nothing' }
  const dueMs = dueAt(job) + graceMs
  if (now < dueMs) return { kind: 'wait', untilMs: dueMs }
  const freed = { ...job, lockedBy: null, fence: job.fence + 1 }
  const endMs = (job.compensation === null ? job.endByMs : null) ?? Infinity
  if (isHeld && now < endMs + graceMs && answer !== undefined && waitsForAgents(job, answer)) {
    const untilMs = Math.min(endMs + graceMs, now + lookAgainMs(job, now, answer.agents))
    return { kind: 'inLine', untilMs, dueMs: job.completeByMs ?? dueMs }
  }
  if (isHeld) {
    return { kind: 'standing', job: withDerivedState({ ...freed, ...deadline(now + pickUpWithinMs) }) }
  }
  const isNew = job.attention?.kind !== 'unclaimed'
  const attention = {
    kind: 'unclaimed' as const,
    since: job.attention?.kind === 'unclaimed' ? job.attention.since : new Date(now).toISOString(),
    by: supervisor,
    message: `no scheduler took the job within ${pickUpWithinMs} ms: check that one is running`,
    stepId: null,
  }
  const offer = deadline(now + offerWithinMs(pickUpWithinMs, attention, now))
  return { kind: 'unclaimed', job: withDerivedState({ ...freed, attention, ...offer }), isNew }
}

/**
 * Checks whether the job is late only because one of its steps waits for agents, so that no write of its scheduler is missing.
 * If the ledger lacks an outcome, it is missing.
 */
function waitsForAgents(job: JobDocument, { steps, agents }: JobAnswer): boolean {
  // A scheduler has missed that a step needs a document (I46).
  if (begunInJob(job).length > 0) return false
  const { steps: ledger } = job
  const underWay = Object.entries(ledger).filter(([, entry]) => isUnderWay(entry))
  const found = underWay.flatMap(([stepId, { dispatch }]) =>
    steps.filter((step) => step.stepId === stepId && step.dispatch === dispatch && isLeftToWorker(step)),
  )
  const waiting = found.filter((step) => mayWait(step) && standingOf(step, agents) === 'waiting')
  return found.length === underWay.length && waiting.length > 0
}

/** Checks whether the step has nothing yet that its scheduler must take over. */
function isLeftToWorker({ outcome, event, processState }: StepDocument): boolean {
  const isOpen =
    processState === 'Pending' || processState === 'Processing' || processState === 'Compensating'
  return isOpen && outcome === null && event === null
}

/** Marks a staged job as abandoned. If the submitter still writes, the new etag causes a conflict (F-S8). */
function recoverStaged(job: JobDocument, { now, graceMs }: RecoveryPolicy): JobRecovery {
  if (job.ttl !== -1) return { kind: 'nothing' }
  const dueMs = job.submittedAtMs + completeSubmissionWithinMs + graceMs
  if (now < dueMs) return { kind: 'wait', untilMs: dueMs }
  const ended = { endedAt: new Date(now).toISOString(), endedAtMs: now }
  return { kind: 'abandoned', job: { ...job, ...ended, fence: job.fence + 1 } }
}

function dueAt({ lockedBy, completeByMs, endByMs, submittedAtMs }: JobDocument): number {
  if (completeByMs === null) return submittedAtMs + pickUpWithinMs
  // A claimed job usually has the deadline of one of its steps, and that step is usually the cause. So the
  // job becomes due later than the step, and the step is recovered first.
  return lockedBy === null || completeByMs === endByMs ? completeByMs : completeByMs + pickUpWithinMs
}
