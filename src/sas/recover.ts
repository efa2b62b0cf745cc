import { isUnclaimed } from './claim.js'
import { deadline, withDerivedState, type StepDocument } from './documents.js'
import { flagged, givenUp } from './give-up.js'
import { withFailure, workOf } from './work.js'

/** When and by whom a decision about an expired step is taken. */
export interface RecoveryPolicy {
  readonly now: number
  /** How long after a deadline nothing is done yet: at least the difference between the clocks of two hosts. */
  readonly graceMs: number
  /** The deciding instance's name. */
  readonly supervisor: string
}

/** What to do about a step. */
export type Recovery =
  /** It is done, flagged, or waits for something other than time. */
  | { readonly kind: 'nothing' }
  /** Its deadline is ahead. */
  | { readonly kind: 'wait'; readonly untilMs: number }
  /** The attempt counts as failed; the step is up again. */
  | { readonly kind: 'retry'; readonly step: StepDocument }
  /** The last attempt counted as failed; what happens now is the step's policy. */
  | { readonly kind: 'exhausted'; readonly step: StepDocument }
  /** The moment it waited for has come; it is up. */
  | { readonly kind: 'due'; readonly step: StepDocument }
  /** No scheduler, or no agent where a claim is required, took it up in time: offered again without counting (C8). */
  | { readonly kind: 'unclaimed'; readonly step: StepDocument }

/**
 * W6: what the supervisor does about one step. It looks at the envelope and the time only (I19), and requests: the
 * scheduler dispatches, agents perform. Raising the fence is what makes a late agent's outcome void (I3).
 */
export function recover(step: StepDocument, policy: RecoveryPolicy): Recovery {
  const { processState, completeByMs } = step
  const isOpen =
    processState === 'Pending' || processState === 'Processing' || processState === 'Compensating'
  if (!isOpen || completeByMs === null) return { kind: 'nothing' }
  const dueMs = completeByMs + policy.graceMs
  if (policy.now < dueMs) return { kind: 'wait', untilMs: dueMs }
  const fenced = { ...step, fence: step.fence + 1 }
  if (step.lockedBy !== null && !isUnclaimed(step)) return afterAttempt(fenced, policy)
  if (step.notBeforeMs !== null)
    return { kind: 'due', step: offered({ ...fenced, notBeforeMs: null }, policy) }
  const who = step.lockedBy === null ? 'scheduler' : `agent ${JSON.stringify(workOf(step).actor)}`
  const attention = {
    kind: 'unclaimed' as const,
    since: step.attention?.kind === 'unclaimed' ? step.attention.since : new Date(policy.now).toISOString(),
    by: policy.supervisor,
    message: `no ${who} took it up in ${step.completeWithinMs} ms: see that one runs`,
    stepId: step.stepId,
  }
  return { kind: 'unclaimed', step: offered({ ...fenced, attention }, policy) }
}

/** Up for dispatch, with a pick-up ultimatum: the scheduler has as long for it as an attempt may take. */
function offered(step: StepDocument, { now }: RecoveryPolicy): StepDocument {
  return withDerivedState({ ...step, lockedBy: null, ...deadline(now + step.completeWithinMs) })
}

/**
 * A step whose job has ended or is gone: there is nobody to take it up, so it waits for nothing (F-V25). Where the job
 * lives again by an operator's request, a scheduler looks at every step that was under way.
 */
export function rest(step: StepDocument): StepDocument {
  return withDerivedState({ ...step, fence: step.fence + 1, lockedBy: null, ...deadline(null) })
}

function afterAttempt(step: StepDocument, policy: RecoveryPolicy): Recovery {
  const failed = withFailure(step)
  const { failureCount } = workOf(failed)
  if (failureCount < step.maxFailures) return { kind: 'retry', step: offered(failed, policy) }
  const why = { now: policy.now, by: policy.supervisor, message: exhaustedMessage(step, failureCount) }
  if (step.direction === 'undo' || typeof step.onExhausted === 'string') {
    return { kind: 'exhausted', step: givenUp(failed, why) }
  }
  const notBeforeMs = policy.now + step.onExhausted.extendedWaitMs
  const waiting = { ...flagged(failed, 'extendedWait', why), notBeforeMs, ...deadline(notBeforeMs) }
  return { kind: 'exhausted', step: withDerivedState(waiting) }
}

function exhaustedMessage(step: StepDocument, failureCount: number): string {
  const last = step.diagnostics.at(-1)
  const cause = last === undefined ? 'no answer before the deadline' : last.message
  return `given up after ${failureCount} failed ${failureCount === 1 ? 'attempt' : 'attempts'}: ${cause}`
}
