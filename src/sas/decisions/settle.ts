import { copyWith } from '../model/copies/copy-with.js'
import type { Random } from '../../platform/index.js'
import { backoffDelayMs } from '../../platform/internal.js'
import { withDiagnostic } from '../model/diagnostics.js'
import type { Json, StepDocument } from '../model/documents.js'
import { deadline, withDerivedState } from '../model/process-state.js'
import { givenUp } from './give-up.js'
import { asksUntil, conditionOfPayload, ticketMark } from '../plan/tickets.js'
import { resolveTemplate } from '../plan/template.js'
import { bytesOf, exceeds, maxTransactionBytes } from '../store/transaction.js'
import { mayHaveEffect, withFailure, workOf } from '../model/work.js'

/** The attempt that an agent made, with the number and the fence of the step that the agent received. */
export interface Attempt {
  readonly number: number
  readonly fence: number
  readonly by: string
}

export type Outcome =
  | {
      readonly kind: 'success'
      readonly output: Json
      /** Whether parts of the output are in the payload store. */
      readonly hasTickets?: true
    }
  /** The attempt failed. The step is tried again after its back-off. */
  | { readonly kind: 'failed'; readonly message: string }
  /** The attempt failed permanently. */
  | {
      readonly kind: 'permanent'
      readonly message: string
      /**
       * Whether the attempt certainly had no effect, because its only call was refused. Default: false, which
       * means that this is unknown.
       */
      readonly didNothing?: boolean
    }

export type Settlement =
  | { readonly kind: 'write'; readonly step: StepDocument }
  /** The outcome no longer counts, so a late agent writes nothing (R75, I2, I3). */
  | { readonly kind: 'discarded'; readonly reason: string }

/** Checks whether the step's attempt is dispatched and not settled, with a deadline in the future. */
export function isOpen<S extends StepDocument>(
  step: S,
  now: number,
): step is S & { readonly completeByMs: number } {
  return (
    step.lockedBy !== null &&
    (step.processState === 'Processing' || step.processState === 'Compensating') &&
    step.outcome === null &&
    now < (step.completeByMs ?? 0)
  )
}

/**
 * Records the outcome of an attempt on the step (W3, W8).
 *
 * - A success changes the state of the step and records the input of its undo (R41).
 * - A failure adds diagnostics and shortens the deadline to the end of the back-off, or to now if no attempt is left. The supervisor
 *   then treats the step like any other step that was not done in time.
 * - A permanent failure flags the step for an operator.
 */
export function settle(
  step: StepDocument,
  attempt: Attempt,
  outcome: Outcome,
  at: { readonly now: number; readonly random: Random },
): Settlement {
  if (step.fence !== attempt.fence)
    return { kind: 'discarded', reason: 'the step was stopped or given to another attempt' }
  if (!isOpen(step, at.now)) {
    const reason =
      step.outcome === null ? 'the deadline of the attempt has passed' : 'the attempt is settled already'
    return { kind: 'discarded', reason }
  }
  const when = new Date(at.now).toISOString()
  const didNothing = outcome.kind === 'permanent' && outcome.didNothing === true
  const noted = { kind: outcome.kind, attempt: attempt.number, at: when, by: attempt.by, didNothing }
  const isPossible = step.direction === 'do' && mayHaveEffect(noted)
  const noting: Noting = { outcome: noted, mayHaveActed: step.mayHaveActed || isPossible }
  if (step.progress) noting.progress = null
  if (outcome.kind === 'success') {
    if (asksUntil(step, outcome.output))
      return settle(step, attempt, { kind: 'permanent', message: conditionOfPayload }, at)
    const done = succeeded(step, outcome, noting)
    // The store would always refuse a step that is too large (F-A17). An undo's output is not stored.
    const isTooLarge = step.direction === 'do' && exceeds(done, maxTransactionBytes)
    if (!isTooLarge) return { kind: 'write', step: done }
    return settle(step, attempt, { kind: 'permanent', message: tooLarge(done, outcome.output) }, at)
  }
  const diagnostics = withDiagnostic(step.diagnostics, {
    at: when,
    by: attempt.by,
    attempt: attempt.number,
    message: outcome.message,
  })
  if (outcome.kind === 'failed') {
    const isLast = workOf(step).failureCount + 1 >= step.maxFailures
    // Nothing follows after the last attempt, so the supervisor gives up the step at once.
    const pauseMs = isLast ? 0 : backoffDelayMs(attempt.number, step.retryBackoff, at.random)
    const brought = deadline(Math.min(at.now + pauseMs, step.completeByMs))
    return {
      kind: 'write',
      step: withDerivedState<StepDocument>(step, { ...noting, diagnostics, ...brought }),
    }
  }
  const failed = withFailure(copyWith(step, { ...noting, diagnostics }))
  return { kind: 'write', step: givenUp(failed, { now: at.now, by: attempt.by, message: outcome.message }) }
}

/** What each outcome changes. */
type Noting = Pick<StepDocument, 'outcome' | 'mayHaveActed'> & { progress?: null }

function tooLarge(step: StepDocument, output: Json): string {
  return (
    `the output has ${bytesOf(output)} bytes, and with the input and undo ${bytesOf(step)} bytes; ` +
    `the limit is ${maxTransactionBytes}: store the output elsewhere and return its address, or give ` +
    'hosts and clients the option payloads'
  )
}

/** Returns the step after a success. Adds the other changes to `noting`, which is not used again. */
function succeeded(
  step: StepDocument,
  { output, hasTickets }: Outcome & { readonly kind: 'success' },
  noting: Noting,
): StepDocument {
  const free = Object.assign(noting, deadline(null), hasTickets === true ? ticketMark(step) : undefined, {
    lockedBy: null,
    attention: null,
  })
  if (step.direction === 'undo') {
    // If `owed` has more generations, the scheduler undoes the next generation when it reads this document.
    const history = step.owed.length > 1 ? {} : { owed: [], mayHaveActed: false }
    return withDerivedState(step, { ...free, ...history, currentState: step.initialState })
  }
  const known = { input: null, outputs: new Map([[step.stepId, output]]) }
  const undo =
    step.undo === null ? null : { ...step.undo, input: resolveTemplate(step.undo.inputTemplate, known) }
  return withDerivedState(step, Object.assign(free, { currentState: step.targetState, output, undo }))
}
