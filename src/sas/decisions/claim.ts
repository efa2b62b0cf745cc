import type { StepDocument } from '../model/documents.js'
import { deadline, withDerivedState } from '../model/process-state.js'
import { isOpen } from './settle.js'
import { mayHaveEffect } from '../model/work.js'

/** The process that asks for an attempt. */
export interface Claimant {
  /** The fence of the attempt that was offered. */
  readonly fence: number
  /** The name of the agents instance. */
  readonly by: string
  /**
   * Unique for every claim, so that a claim made before a crash of this instance is not mistaken for this
   * one.
   */
  readonly token: string
}

export type Claiming =
  | { readonly kind: 'write'; readonly step: StepDocument }
  /** The claim is already written; its reply was lost. */
  | { readonly kind: 'held' }
  /** Another process makes the attempt, or it is over. This process must not act. */
  | { readonly kind: 'refused' }

/**
 * Claims an attempt before its side effect (W2). The write is conditional on the step's etag, so that only
 * one of the processes that were offered the attempt acts (F-A6). The fence does not change, because the
 * outcome belongs to the attempt as dispatched (I2, I3).
 */
export function claim(step: StepDocument, claimant: Claimant, now: number): Claiming {
  if (step.claim?.token === claimant.token) return { kind: 'held' }
  if (step.fence !== claimant.fence || !isOpen(step, now) || !isUnclaimed(step)) return { kind: 'refused' }
  const { by, token, fence } = claimant
  // An offer may last longer than an attempt, so the deadline of a claimed attempt is cut to
  // `completeWithin`.
  const isLongOffer = step.attention?.kind === 'unclaimed'
  const cut = isLongOffer ? deadline(Math.min(step.completeByMs, now + step.completeWithinMs)) : {}
  const at = new Date(now).toISOString()
  return {
    kind: 'write',
    step: withDerivedState({ ...step, ...cut, attention: null, claim: { by, token, fence, at } }),
  }
}

/**
 * Checks whether the current attempt waits for an agent to claim it. Then certainly no agent has acted on it.
 */
export function isUnclaimed(step: StepDocument): boolean {
  return step.isClaimRequired && !isTaken(step)
}

/** Checks whether a process has written, by a claim or an extension, that it makes the current attempt. */
export function isTaken({ claim: newest, fence }: StepDocument): boolean {
  return newest?.fence === fence
}

/**
 * Marks an attempt that needs no claim (W2). A process writes the mark before it acts, if it may not be the
 * first to make the attempt. If an earlier process then reports a refusal, it finds the mark, so the refusal
 * proves nothing. Otherwise the earlier process has already settled the attempt.
 */
export function joinAttempt(step: StepDocument, fence: number, now: number): Claiming {
  if (step.fence !== fence || !isOpen(step, now) || isTaken(step)) return { kind: 'refused' }
  return step.mayHaveActed ? { kind: 'held' } : { kind: 'write', step: { ...step, mayHaveActed: true } }
}

/** Checks whether a call with the key of the step's generation may have had an effect (F-K2, F-A20). */
export function mayHaveActed(step: StepDocument): boolean {
  const { direction, outcome, lockedBy } = step
  if (step.mayHaveActed) return true
  if (direction === 'undo') return false
  return outcome === null ? lockedBy !== null && !isUnclaimed(step) : mayHaveEffect(outcome)
}
