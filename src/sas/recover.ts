import { deadline, withDerivedState, type StepDocument } from './documents.js'

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
  /** The last attempt counted as failed; a person is asked to look. */
  | { readonly kind: 'exhausted'; readonly step: StepDocument }
  /** Nobody took the step up in time; it is offered again without counting (C8). */
  | { readonly kind: 'unclaimed'; readonly step: StepDocument }

/**
 * W6: what the supervisor does about one step. It looks at the envelope and the time only (I19), and requests: the
 * scheduler dispatches, agents perform. Raising the fence is what makes a late agent's outcome void (I3).
 */
export function recover(step: StepDocument, policy: RecoveryPolicy): Recovery {
  if (step.processState === 'Processed' || step.processState === 'Error') return { kind: 'nothing' }
  if (step.completeByMs === null) return { kind: 'nothing' }
  const dueMs = step.completeByMs + policy.graceMs
  if (policy.now < dueMs) return { kind: 'wait', untilMs: dueMs }
  if (step.lockedBy === null) {
    const offered = { ...step, fence: step.fence + 1, ...deadline(policy.now + step.completeWithinMs) }
    return { kind: 'unclaimed', step: withDerivedState(offered) }
  }
  const failureCount = step.failureCount + 1
  const freed = { ...step, failureCount, fence: step.fence + 1, lockedBy: null }
  if (failureCount < step.maxFailures) {
    // Pending again, with a pick-up ultimatum: the scheduler has as long to dispatch it as the attempt itself may take.
    const pending = { ...freed, ...deadline(policy.now + step.completeWithinMs) }
    return { kind: 'retry', step: withDerivedState(pending) }
  }
  const attention = {
    kind: 'error' as const,
    since: new Date(policy.now).toISOString(),
    by: policy.supervisor,
    message: exhaustedMessage(step, failureCount),
    stepId: step.stepId,
  }
  return { kind: 'exhausted', step: withDerivedState({ ...freed, attention, ...deadline(null) }) }
}

function exhaustedMessage(step: StepDocument, failureCount: number): string {
  const last = step.diagnostics.at(-1)
  const cause = last === undefined ? 'no answer before the deadline' : last.message
  return `given up after ${failureCount} failed ${failureCount === 1 ? 'attempt' : 'attempts'}: ${cause}`
}
