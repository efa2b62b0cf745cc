import { boundedMessage } from '../model/diagnostics.js'
import type { Attention, StepDocument } from '../model/documents.js'
import { deadline, withDerivedState } from '../model/process-state.js'

/** The time of the decision to give up a step, the instance that decides, and the message for an operator. */
export interface GivingUp {
  readonly now: number
  readonly by: string
  readonly message: string
}

/** Flags a permanently failed step and removes its deadline. The scheduler then decides about the job. */
export function givenUp(step: StepDocument, why: GivingUp): StepDocument {
  const given = step.onExhausted === 'park' ? 'parked' : 'error'
  const kind = step.direction === 'undo' ? 'compensationFailed' : given
  return flagged(step, kind, why)
}

/**
 * Gives up a step that has used up its attempts or rounds. With `extendedWait`, the step waits and is tried
 * again.
 */
export function exhausted(step: StepDocument, why: GivingUp): StepDocument {
  if (step.direction === 'undo' || typeof step.onExhausted === 'string') return givenUp(step, why)
  const notBeforeMs = why.now + step.onExhausted.extendedWaitMs
  return withDerivedState({ ...flagged(step, 'extendedWait', why), notBeforeMs, ...deadline(notBeforeMs) })
}

/** Frees a step, and flags it for an operator with the reason. */
function flagged(step: StepDocument, kind: Attention['kind'], { now, by, message }: GivingUp): StepDocument {
  const since = new Date(now).toISOString()
  const attention = { kind, since, by, message: boundedMessage(message), stepId: step.stepId }
  return withDerivedState({ ...step, attention, lockedBy: null, ...deadline(null) })
}
