import type { Json, StepDocument } from '../model/documents.js'
import { deadline, withDerivedState } from '../model/process-state.js'

/**
 * Lets a step sleep for `forMs` from now, or until the instant `until`. If the instant has passed or neither
 * is given, the sleep ends immediately. If `until` is not an instant, returns the reason for the refusal.
 */
export function asleep(step: StepDocument, now: number): StepDocument | string {
  const { forMs, until } = step.input as { readonly forMs?: number; readonly until?: Json }
  const asked = forMs === undefined ? instantOf(until ?? now) : now + forMs
  if (Number.isNaN(asked)) {
    return `the step sleeps until ${JSON.stringify(until)}, which is not a point in time: write one in ISO 8601`
  }
  const notBeforeMs = Math.max(asked, now)
  return withDerivedState({ ...step, lockedBy: null, notBeforeMs, ...deadline(notBeforeMs) })
}

function instantOf(value: Json): number {
  return typeof value === 'string' || typeof value === 'number' ? new Date(value).getTime() : Number.NaN
}
