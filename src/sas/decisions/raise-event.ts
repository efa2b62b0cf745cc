import type { Json, StepDocument } from '../model/documents.js'
import { deadline, withDerivedState } from '../model/process-state.js'
import { sameJson } from '../plan/payload.js'

/** What becomes of an event. */
export type Raised =
  | { readonly kind: 'write'; readonly step: StepDocument }
  /** The same event was raised before: nothing is left to do. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'refused'; readonly reason: string }

/**
 * W10: an event for the step that waits for it. It may come before the step begins: the step keeps it. The scheduler
 * ends the step when it sees it. The first event stands; the same one again does no harm.
 */
export function raiseEvent(step: StepDocument, payload: Json, now: number): Raised {
  if (step.kind !== 'waitFor') return refused(`step ${step.stepId} waits for no event`)
  if (step.event !== null) {
    const isSame = sameJson(step.event.payload, payload)
    return isSame ? { kind: 'nothing' } : refused(`step ${step.stepId} has had another event already`)
  }
  if (step.processState !== 'Pending' && step.processState !== 'Processing') {
    return refused(`step ${step.stepId} is ${step.processState} and waits no longer`)
  }
  const event = { payload, at: new Date(now).toISOString() }
  // What it waited for is here, so it does not wait on. One that is parked waits for an operator.
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
