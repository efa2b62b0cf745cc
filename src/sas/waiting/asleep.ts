import { instantMs } from '../../platform/internal.js'
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
    const example = 'write one in ISO 8601 with its time zone, such as "2026-12-24T18:00:00Z"'
    return `the step sleeps until ${JSON.stringify(until)}, which is not a point in time: ${example}`
  }
  const notBeforeMs = Math.max(asked, now)
  return withDerivedState({ ...step, lockedBy: null, notBeforeMs, ...deadline(notBeforeMs) })
}

function instantOf(value: Json): number {
  if (typeof value === 'string') return instantMs(value) ?? Number.NaN
  return typeof value === 'number' ? new Date(value).getTime() : Number.NaN
}
