import { isDeepStrictEqual } from 'node:util'
import type { StepDocument } from '../documents.js'
import { isTooDeep } from '../values/plain-json.js'
import { changesOnly } from './begun-attempt.js'
import type { DoneAttempt } from './planned-step.js'

/**
 * A success stays in the job if at most this number of steps is left. Every later write of the job contains it, so a document costs less if
 * there are many.
 */
export const mostStepsLeft = 4

/** The fields that the success of a step changes, and that a {@link DoneAttempt} gives. */
const given: ReadonlySet<string> = new Set([
  'lockedBy',
  'completeBy',
  'completeByMs',
  'currentState',
  'processState',
  'outcome',
  'output',
  'mayHaveActed',
  'undo',
])

/** Returns the outcome of a first attempt that was a success, as it is written together with its acceptance. */
export function successOf({ at, by }: DoneAttempt): NonNullable<StepDocument['outcome']> {
  return { kind: 'success', attempt: 1, at, by, didNothing: false, accepted: true }
}

/** Checks whether an outcome is what {@link successOf} returns. Agents in other languages may have added fields. */
function isAcceptedFirst(outcome: NonNullable<StepDocument['outcome']>): boolean {
  const { kind, attempt, didNothing, accepted } = outcome
  const isFirst = kind === 'success' && attempt === 1 && !didNothing && accepted === true
  return isFirst && Object.keys(outcome).length === 6
}

/** Checks whether an undo is that of the step before, with the input that the success has given it. */
function isUndoOf({ undo: before }: StepDocument, done: DoneAttempt, undo: StepDocument['undo']): boolean {
  if (before === null || undo === null) return before === undo
  return isDeepStrictEqual(undo, { ...before, input: done.undo })
}

/**
 * Returns the success of a step that needs no document, or null if the step needs one, because more has changed than the job
 * would say.
 *
 * @param before the step in the middle of its first attempt, as its job has it
 */
export function doneAttemptOf(before: StepDocument, after: StepDocument): DoneAttempt | null {
  const { outcome, output, undo } = after
  if (outcome === null || isTooDeep(output) || isTooDeep(undo?.input ?? null)) return null
  const { at, by } = outcome
  const done = { at, by, output, ...(undo !== null && { undo: undo.input }) }
  const isGiven =
    isAcceptedFirst(outcome) &&
    after.lockedBy === null &&
    after.completeByMs === null &&
    after.currentState === after.targetState &&
    after.mayHaveActed &&
    isUndoOf(before, done, undo)
  return isGiven && changesOnly(given, before, after) ? done : null
}
