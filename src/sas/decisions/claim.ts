import type { StepDocument } from '../model/documents.js'
import { deadline, withDerivedState } from '../model/process-state.js'
import { isOpen } from './settle.js'
import { mayHaveEffect } from '../model/work.js'

/** Who wants to make which attempt. */
export interface Claimant {
  /** The fence of the attempt that was offered. */
  readonly fence: number
  /** The agents instance. */
  readonly by: string
  /** New for every claim, so that a claim of this instance before a crash is not taken for this one. */
  readonly token: string
}

/** What becomes of a claim. */
export type Claiming =
  | { readonly kind: 'write'; readonly step: StepDocument }
  /** The claim stands already: its reply was lost. */
  | { readonly kind: 'held' }
  /** Another process makes the attempt, or it is over: this one must not act. */
  | { readonly kind: 'refused' }

/**
 * W2: the claim of an attempt, before its side effect. The write is conditional on the step's etag, so that of all who
 * were offered the attempt one acts (F-A6). The fence stays: the outcome belongs to the attempt as dispatched (I2, I3).
 */
export function claim(step: StepDocument, claimant: Claimant, now: number): Claiming {
  if (step.claim?.token === claimant.token) return { kind: 'held' }
  if (step.fence !== claimant.fence || !isOpen(step, now) || !isUnclaimed(step)) return { kind: 'refused' }
  const { by, token, fence } = claimant
  // An offer may last longer than an attempt, so the deadline of a claimed attempt is cut to `completeWithin`.
  const isLongOffer = step.attention?.kind === 'unclaimed'
  const cut = isLongOffer ? deadline(Math.min(step.completeByMs, now + step.completeWithinMs)) : {}
  const at = new Date(now).toISOString()
  return {
    kind: 'write',
    step: withDerivedState({ ...step, ...cut, attention: null, claim: { by, token, fence, at } }),
  }
}

/** Whether the current attempt waits for an agent to claim it. Then certainly no agent has acted on it. */
export function isUnclaimed(step: StepDocument): boolean {
  return step.isClaimRequired && !isTaken(step)
}

/** Whether some process has written that it makes the current attempt: by claiming or by extending it. */
export function isTaken({ claim: newest, fence }: StepDocument): boolean {
  return newest?.fence === fence
}

/**
 * W2 where no claim is required: the mark that a process writes before it acts if it may not be the first to make the
 * attempt. An earlier process then finds the mark, so its refusal proves nothing; or it has already settled the attempt.
 */
export function joinAttempt(step: StepDocument, fence: number, now: number): Claiming {
  if (step.fence !== fence || !isOpen(step, now) || isTaken(step)) return { kind: 'refused' }
  return step.mayHaveActed ? { kind: 'held' } : { kind: 'write', step: { ...step, mayHaveActed: true } }
}

/** Whether any call under the key of the step's generation may have had an effect (F-K2, F-A20). */
export function mayHaveActed(step: StepDocument): boolean {
  const { direction, outcome, lockedBy } = step
  if (step.mayHaveActed) return true
  if (direction === 'undo') return false
  return outcome === null ? lockedBy !== null && !isUnclaimed(step) : mayHaveEffect(outcome)
}
