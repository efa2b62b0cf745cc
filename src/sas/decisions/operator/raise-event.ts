import type { Json, StepDocument } from '../../model/documents.js'
import { deadline, withDerivedState } from '../../model/process-state.js'
import { sameJson } from '../../plan/payload.js'
import { collectEvent } from '../../waiting/collect-event.js'

export type Raised =
  | { readonly kind: 'write'; readonly step: StepDocument }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'refused'; readonly reason: string }

/**
 * Records an event on the step that waits for it (W10). A step that has not begun keeps the event until it
 * begins. The scheduler ends the step when it reads its only event, or the last event that it collects. The same
 * event can be raised again without a write. Only an event for a step that collects events has a `key`.
 */
export function raiseEvent(step: StepDocument, payload: Json, now: number, key?: string): Raised {
  const { stepId, event, processState } = step
  if (step.kind !== 'waitFor') return refused(`step ${stepId} does not wait for an event`)
  if (step.question !== undefined) return refused(`step ${stepId} asks a question: answer it instead`)
  const at = new Date(now).toISOString()
  const collected = step.collect === undefined ? null : collectEvent(step.collect, { key, payload, at })
  if (collected?.kind === 'known') return { kind: 'nothing' }
  if (collected?.kind === 'refused') return refused(`step ${stepId} ${collected.reason}`)
  if (collected === null && key !== undefined)
    return refused(`step ${stepId} waits for one event, which has no key`)
  if (event !== null) {
    const isSame = sameJson(event.payload, payload)
    return isSame ? { kind: 'nothing' } : refused(`step ${stepId} has already received another event`)
  }
  if (processState !== 'Pending' && processState !== 'Processing') {
    const isLate = processState === 'Error' && step.outcome === null
    const why = isLate ? 'waited until its deadline' : `is ${processState}`
    return refused(`step ${stepId} ${why} and no longer waits`)
  }
  if (collected === null) return { kind: 'write', step: withEvent(step, payload, now) }
  const { collect } = collected
  const isLast = collect.events.length === collect.count
  return { kind: 'write', step: isLast ? withEvent({ ...step, collect }, null, now) : { ...step, collect } }
}

/** Returns the step with the event that ends its wait. */
function withEvent(step: StepDocument, payload: Json, now: number): StepDocument {
  const event = { payload, at: new Date(now).toISOString() }
  // The event ends an extended wait, but a parked step still waits for an operator.
  const isWaitingLong = step.attention?.kind === 'extendedWait'
  const up = isWaitingLong
    ? { attention: null, notBeforeMs: null, ...deadline(now + step.completeWithinMs) }
    : {}
  return withDerivedState({ ...step, ...up, event, lockedBy: null, fence: step.fence + 1 })
}

function refused(reason: string): Raised {
  return { kind: 'refused', reason }
}
