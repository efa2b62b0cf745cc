import { boundedMessage } from '../model/diagnostics.js'
import type { Attention, StepDocument } from '../model/documents.js'
import { deadline, withDerivedState } from '../model/process-state.js'

/** Who gives a step up, when, and what a person is told. */
export interface GivingUp {
  readonly now: number
  readonly by: string
  readonly message: string
}

/** Flags a step that failed for good and takes it out of the loop. The scheduler decides what follows for its job. */
export function givenUp(step: StepDocument, why: GivingUp): StepDocument {
  const given = step.onExhausted === 'park' ? 'parked' : 'error'
  const kind = step.direction === 'undo' ? 'compensationFailed' : given
  return flagged(step, kind, why)
}

/** Frees a step and flags it, with the reason why a person should look. */
export function flagged(
  step: StepDocument,
  kind: Attention['kind'],
  { now, by, message }: GivingUp,
): StepDocument {
  const since = new Date(now).toISOString()
  const attention = { kind, since, by, message: boundedMessage(message), stepId: step.stepId }
  return withDerivedState({ ...step, attention, lockedBy: null, ...deadline(null) })
}
