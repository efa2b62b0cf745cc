import type { StepDocument } from '../../model/documents.js'
import { workOf } from '../../model/work.js'
import type { StepAttempt } from './job-history.js'
import { gained } from './words.js'

/** A version of a step, with the time at which it was written. */
export interface StepVersion {
  readonly at: string
  readonly step: StepDocument
}

/** Returns the attempts that the versions of a step show, oldest first. */
export function attemptsIn(versions: readonly StepVersion[]): readonly StepAttempt[] {
  const attempts: StepAttempt[] = []
  let before: StepDocument | null = null
  for (const { at, step } of versions) {
    const last = attempts.at(-1)
    const isOpen = last?.to === null
    if (isOpen && step.outcome?.attempt === last.attempt) attempts[attempts.length - 1] = ended(last, step)
    else if (isOpen && (!isSame(last, step) || hasMissed(before, step)))
      attempts[attempts.length - 1] = { ...last, to: at, outcome: 'noAnswer', error: newError(before, step) }
    const present = attempts.at(-1)
    if (isUnderWay(step) && present?.to !== null) attempts.push(begun(step, dispatchedAt(step, at)))
    before = step
  }
  return attempts
}

/** Returns the attempts that the present document of a step still contains, oldest first. */
export function recordedAttempts(step: StepDocument): readonly StepAttempt[] {
  const { diagnostics, outcome } = step
  const failures = diagnostics.map(({ at, by, attempt, message }): StepAttempt => ({
    ...begun(step, null),
    attempt,
    by,
    to: at,
    outcome: outcome?.kind === 'permanent' && outcome.attempt === attempt ? 'permanent' : 'failed',
    input: null,
    error: message,
  }))
  if (outcome?.kind === 'success') return [...failures, ended(begun(step, null), step)]
  return isUnderWay(step) ? [...failures, begun(step, null)] : failures
}

function isUnderWay({ kind, outcome, lockedBy, processState, dispatch }: StepDocument): boolean {
  const isAtWork = processState === 'Processing' || processState === 'Compensating'
  return kind === 'operation' && dispatch > 0 && isAtWork && lockedBy !== null && outcome === null
}

/**
 * Returns the time of the dispatch. The feed reports only seconds. The deadline of a step is more exact, unless it was
 * moved or the clocks disagree.
 */
function dispatchedAt({ completeByMs, completeWithinMs }: StepDocument, at: string): string {
  const exact = (completeByMs ?? 0) - completeWithinMs
  return Math.abs(exact - Date.parse(at)) < 2_000 ? new Date(exact).toISOString() : at
}

function begun(step: StepDocument, from: string | null): StepAttempt {
  const { attempt, direction, generation, round, claim } = step
  return {
    attempt,
    direction,
    generation,
    round: round?.number ?? null,
    from,
    to: null,
    by: claim?.by ?? null,
    outcome: null,
    input: workOf(step).input,
    output: null,
    error: null,
  }
}

function ended(attempt: StepAttempt, step: StepDocument): StepAttempt {
  const { outcome, output, diagnostics } = step
  if (outcome === null) return attempt
  const { kind, at: to, by } = outcome
  if (kind === 'success') {
    return { ...attempt, to, by, outcome: kind, output: step.direction === 'do' ? output : null }
  }
  const report = diagnostics.findLast(({ attempt: number }) => number === outcome.attempt)
  return { ...attempt, to, by, outcome: kind, error: report?.message ?? null }
}

function isSame(attempt: StepAttempt, step: StepDocument): boolean {
  return (
    attempt.direction === step.direction &&
    attempt.generation === step.generation &&
    attempt.round === (step.round?.number ?? null) &&
    attempt.attempt === step.attempt
  )
}

/** Checks whether a supervisor has counted a failure of an attempt that gave no answer. */
function hasMissed(before: StepDocument | null, step: StepDocument): boolean {
  return before !== null && before.outcome === null && workOf(step).failureCount > workOf(before).failureCount
}

function newError(before: StepDocument | null, step: StepDocument): string | null {
  return gained(before?.diagnostics, step.diagnostics)[0]?.message ?? null
}
