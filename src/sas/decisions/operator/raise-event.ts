import type { Json, StepDocument } from '../../model/documents.js'
import { deadline, withDerivedState } from '../../model/process-state.js'
import { sameJson } from '../../plan/payload.js'

export type Raised =
  | { readonly kind: 'write'; readonly step: StepDocument }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'refused'; readonly reason: string }

/**
 * Records an event on the step that waits for it (W10). A step that has not begun keeps the event until it
 * begins. The scheduler ends the step when it reads the event. Only the first event counts. The same event
 * can be raised again without a write.
 */
export function raiseEvent(step: StepDocument, payload: Json, now: number): Raised {
  if (step.kind !== 'waitFor') return refused(`step ${step.stepId} does not wait for an event`)
  if (step.question !== undefined) return refused(`step ${step.stepId} asks a question: answer it instead`)
  if (step.event !== null) {
    const isSame = sameJson(step.event.payload, payload)
    return isSame ? { kind: 'nothing' } : refused(`step ${step.stepId} has already received another event`)
  }
  if (step.processState !== 'Pending' && step.processState !== 'Processing') {
    const isLate = step.processState === 'Error' && step.outcome === null
    const why = isLate ? 'waited until its deadline' : `is ${step.processState}`
    return refused(`step ${step.stepId} ${why} and no longer waits`)
  }
  const event = { payload, at: new Date(now).toISOString() }
  // The event ends an extended wait, but a parked step still waits for an operator.
  const isWaitingLong = step.attention?.kind === 'extendedWait'
  const up = isWaitingLong
    ? { attention: null, notBeforeMs: null, ...deadline(now + step.completeWithinMs) }
    : {}
  return {
    kind: 'write',
    step: withDerivedState({ ...step, ...up, event, lockedBy: null, fence: step.fence + 1 }),
  }
}

function refused(reason: string): Raised {
  return { kind: 'refused', reason }
}
