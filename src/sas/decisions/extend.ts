import type { Claimant } from './claim.js'
import type { StepDocument } from '../model/documents.js'
import { deadline, withDerivedState } from '../model/process-state.js'
import { isOpen } from './settle.js'

export type Extension =
  | { readonly kind: 'write'; readonly step: StepDocument }
  /**
   * The deadline does not change: more than half of the time is left, or the job itself must be done then.
   */
  | { readonly kind: 'unchanged' }
  /** The attempt is over, or another process makes it. This process must stop. */
  | { readonly kind: 'refused'; readonly reason: string }

/**
 * The time of the request, and when the job must be done, in milliseconds since the epoch; null for no limit.
 */
export interface AskedAt {
  readonly now: number
  readonly endByMs: number | null
}

/**
 * Extends an attempt that takes longer than one deadline (F-A25). While the attempt is open (I3), the new
 * deadline is a whole `completeWithin` from now. The fence does not change, so the attempt stays the same
 * (I2). The claim says which process makes it. The feed delivers this write to the owner of the range, which
 * must not begin the same attempt.
 */
export function extend(step: StepDocument, claimant: Claimant, { now, endByMs }: AskedAt): Extension {
  const { fence, by, token } = claimant
  if (step.fence !== fence) return { kind: 'refused', reason: 'the step was given to another attempt' }
  if (!isOpen(step, now)) {
    const reason = step.outcome === null ? 'its deadline has passed' : 'the attempt is settled already'
    return { kind: 'refused', reason }
  }
  if (step.claim?.fence === fence && step.claim.token !== token) {
    return { kind: 'refused', reason: 'another process makes this attempt' }
  }
  if (step.completeByMs - now > step.completeWithinMs / 2) return { kind: 'unchanged' }
  // As in a dispatch, no attempt outlasts its job (F-Q13), except an undo.
  const latest = (step.direction === 'undo' ? null : endByMs) ?? Infinity
  const laterMs = Math.min(now + step.completeWithinMs, latest)
  if (laterMs <= step.completeByMs) return { kind: 'unchanged' }
  const extended = { ...step, claim: { by, token, fence, at: new Date(now).toISOString() } }
  return { kind: 'write', step: withDerivedState({ ...extended, ...deadline(laterMs) }) }
}
