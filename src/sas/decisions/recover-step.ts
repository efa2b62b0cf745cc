import { isBeginning, standingOf, type AgentsKnown } from '../waiting/agents-position.js'
import { isUnclaimed, mayHaveActed, mayWait } from './claim.js'
import type { Attention, StepDocument } from '../model/documents.js'
import { deadline, withDerivedState } from '../model/process-state.js'
import { exhausted } from './give-up.js'
import { withFailure, workOf, offerWithinMs, pauseAfterLateMs } from '../model/work.js'
import { remind } from '../waiting/remind.js'
import { withoutQuestion } from '../waiting/put-question.js'

export interface RecoveryPolicy {
  readonly now: number
  /** The time to wait after a deadline, at least the difference between the clocks of two hosts. */
  readonly graceMs: number
  readonly supervisor: string
  /** What is known about the agents. Missing if the supervisor has not asked: then every attempt counts as begun. */
  readonly agents?: AgentsKnown
}

/** A step as it was read. `_ts` is the store's time of its last write in seconds, or 0 if unknown. */
export type ReadStep = StepDocument & { readonly _ts?: number }

export type Recovery =
  /** The step needs no recovery: it is over, or has no deadline. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'wait'; readonly untilMs: number }
  /** The step may still wait for a slot, although its deadline `dueMs` has passed. It is checked again at `untilMs`. */
  | { readonly kind: 'inLine'; readonly untilMs: number; readonly dueMs: number }
  /** The attempt counts as failed, and the step is offered again. */
  | { readonly kind: 'retry'; readonly step: StepDocument }
  /** The last attempt counts as failed. The step's policy decides about the step. */
  | { readonly kind: 'exhausted'; readonly step: StepDocument }
  /** The moment for which the step waited has come, or an attempt does not count. The step is offered. */
  | { readonly kind: 'due'; readonly step: StepDocument }
  /** The people whose answer the step waits for are reminded, or more people are asked. */
  | { readonly kind: 'reminded'; readonly step: StepDocument }
  /** No attempt was made, or none was possible in time. The step is offered without a failure (C8). */
  | { readonly kind: 'unclaimed'; readonly step: StepDocument }

/**
 * Decides about one overdue step (W6). The decision uses only the step's envelope, its open question, the time
 * and the reports of agents about waiting steps (I19). It only requests another attempt, which the scheduler
 * dispatches and agents make. The higher fence makes the outcome of a late agent void (I3).
 */
export function recoverStep(step: ReadStep, policy: RecoveryPolicy): Recovery {
  const { processState, completeByMs } = step
  const isOpen =
    processState === 'Pending' || processState === 'Processing' || processState === 'Compensating'
  if (!isOpen || completeByMs === null) return { kind: 'nothing' }
  const dueMs = completeByMs + graceOf(step, policy.graceMs)
  if (policy.now < dueMs) return { kind: 'wait', untilMs: dueMs }
  const reminded = remind(step, { now: policy.now, by: policy.supervisor })
  if (reminded !== null) return { kind: 'reminded', step: reminded }
  // Even an attempt whose deadline had already passed at its dispatch may have acted, because an agent's
  // clock may be slow.
  const fenced = { ...step, fence: step.fence + 1, mayHaveActed: mayHaveActed(step) }
  const { agents } = policy
  const standing = agents !== undefined && mayWait(step) ? standingOf(step, agents) : 'begun'
  // The agents begin the attempt when a slot is free (I44).
  if (agents !== undefined && standing === 'waiting')
    return {
      kind: 'inLine',
      untilMs: policy.now + lookAgainMs(step, policy.now, agents),
      dueMs: completeByMs,
    }
  // A process left the attempt when it stopped, and no process has recorded an outcome.
  if (step.leftFence === step.fence && step.outcome === null)
    return { kind: 'due', step: offered({ ...fenced, notBeforeMs: null }, policy) }
  if (isLate(step)) return { kind: 'unclaimed', step: postponed(fenced, policy) }
  if (standing === 'begun' && step.lockedBy !== null && !isUnclaimed(step))
    return afterAttempt(fenced, policy)
  if (step.notBeforeMs !== null)
    return { kind: 'due', step: offered({ ...fenced, notBeforeMs: null }, policy) }
  const who = step.lockedBy === null ? 'scheduler' : `agent ${JSON.stringify(workOf(step).actor)}`
  const message = `no ${who} took the step within ${step.completeWithinMs} ms: check that one is running`
  const attention = unclaimed(step, message, policy)
  const withinMs = offerWithinMs(step.completeWithinMs, attention, policy.now)
  const lateDispatches = step.lateDispatches + (standing === 'unread' ? 1 : 0)
  return { kind: 'unclaimed', step: offered({ ...fenced, attention, lateDispatches }, policy, withinMs) }
}

/**
 * The shortest and the longest time before the supervisor checks a step again that may wait for a slot, and the longest time
 * while an owner has not read its range yet.
 */
const [soonestLookMs, latestLookMs, beginningLookMs] = [5_000, 600_000, 30_000]

/** Returns the time before the next check. It is longer for older dispatches, so that a long line costs few reads. */
export function lookAgainMs(
  { _ts = 0 }: { readonly _ts?: number },
  now: number,
  agents: AgentsKnown,
): number {
  const latestMs = isBeginning(agents) ? beginningLookMs : latestLookMs
  return Math.min(latestMs, Math.max(soonestLookMs, (now - _ts * 1_000) / 2))
}

/**
 * Returns the time to wait after the deadline of a step. A step between two attempts or rounds is offered on time,
 * because no outcome of it could still count. A sleep and the reserved time of a rate wait, because they must not
 * end early, and the scheduler's clock may be slow.
 */
export function graceOf(step: StepDocument, graceMs: number): number {
  const { kind, outcome, lockedBy, notBeforeMs, place } = step
  const isBetweenAttempts = outcome !== null || (lockedBy === null && notBeforeMs !== null)
  const isAtLimit = place !== undefined && (place.waitsFor !== null || place.reservedMs !== null)
  return kind === 'operation' && isBetweenAttempts && !isAtLimit ? 0 : graceMs
}

/**
 * Checks whether the deadline had already passed, by the store's time, when the attempt was written. If so,
 * the clock of a host is wrong, and the attempt does not count. An attempt with an outcome is never late. A claim that agents
 * write because an attempt had no outcome says nothing about clocks.
 */
function isLate({ kind, lockedBy, outcome, completeByMs, claim, fence, _ts = 0 }: ReadStep): boolean {
  const isUnderWay = kind === 'operation' && lockedBy !== null && outcome === null
  const byMs = completeByMs ?? Infinity
  const isSaidAfterwards = claim?.fence === fence && Date.parse(claim.at) >= byMs
  return isUnderWay && byMs <= _ts * 1_000 && !isSaidAfterwards
}

/** Flags the step and schedules another dispatch after a pause that doubles while clocks disagree. */
function postponed(step: ReadStep, policy: RecoveryPolicy): StepDocument {
  const { completeBy, lateDispatches } = step
  const message =
    `the deadline ${completeBy ?? ''} of the attempt that ${step.lockedBy ?? ''} dispatched had already ` +
    'passed when the step was written; correct the clocks of the hosts, which disagree'
  const notBeforeMs = policy.now + pauseAfterLateMs(lateDispatches)
  return withDerivedState({
    ...step,
    attention: unclaimed(step, message, policy),
    lateDispatches: lateDispatches + 1,
    lockedBy: null,
    notBeforeMs,
    ...deadline(notBeforeMs),
  })
}

/** Returns the flag of a step for which no attempt is made. `since` is the time of the first such flag. */
function unclaimed({ attention, stepId }: StepDocument, message: string, policy: RecoveryPolicy): Attention {
  const since = attention?.kind === 'unclaimed' ? attention.since : new Date(policy.now).toISOString()
  return { kind: 'unclaimed', since, by: policy.supervisor, message, stepId }
}

/** Offers the step to schedulers for `withinMs`. Default: the time that an attempt may take. */
function offered(
  step: StepDocument,
  { now }: RecoveryPolicy,
  withinMs = step.completeWithinMs,
): StepDocument {
  return withDerivedState({ ...step, lockedBy: null, ...deadline(now + withinMs) })
}

/**
 * Removes the deadline of a step whose job has ended or no longer exists, because no scheduler will take this
 * step (F-V25). If an operator continues the job, a scheduler checks every step that was under way.
 */
export function retireStep(step: StepDocument): StepDocument {
  return withDerivedState({
    ...withoutQuestion(step),
    mayHaveActed: mayHaveActed(step),
    fence: step.fence + 1,
    lockedBy: null,
    ...deadline(null),
  })
}

function afterAttempt(step: StepDocument, policy: RecoveryPolicy): Recovery {
  const over = { ...withoutQuestion(step), attention: null, lateDispatches: 0 }
  // An unanswered question is no failed attempt.
  const isQuestion = step.question !== undefined && step.direction === 'do'
  const failed = isQuestion ? over : withFailure(over)
  const { failureCount } = workOf(failed)
  if (!isQuestion && failureCount < step.maxFailures) return { kind: 'retry', step: offered(failed, policy) }
  const why = { now: policy.now, by: policy.supervisor, message: exhaustedMessage(step, failureCount) }
  return { kind: 'exhausted', step: exhausted(failed, why) }
}

function exhaustedMessage(step: StepDocument, failureCount: number): string {
  if (step.asked) return `the question ${JSON.stringify(step.asked.title)} was not answered in time`
  if (step.collect !== undefined)
    return `only ${step.collect.events.length} of ${step.collect.count} events arrived in time`
  const last = step.diagnostics.at(-1)
  const cause = last === undefined ? 'no answer before the deadline' : last.message
  return `given up after ${failureCount} failed ${failureCount === 1 ? 'attempt' : 'attempts'}: ${cause}`
}
