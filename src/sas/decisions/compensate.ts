import { beginUndo, takeFitting, continueUndo, redispatch, cancelStep, undoAfter } from './dispatch.js'
import {
  endJob,
  continueJob,
  isFlagCurrent,
  type Schedule,
  type SchedulingState,
} from './continue-or-end-job.js'
import { isLongOffer, isTaken } from './claim.js'
import type { JobDocument, LedgerEntry, StepDocument } from '../model/documents.js'
import { betweenStates, withDerivedState } from '../model/process-state.js'
import { isLeftBehind } from '../model/work.js'
import { owedBy } from './owed-undos.js'
import {
  hasMoreToUndo,
  inState,
  isUnderWay,
  sameLedger,
  unseen,
  withChanges,
  type Ledger,
  type StepChange,
} from './ledger.js'
import { isHeldBack } from '../model/work.js'

/**
 * Decides the next steps of a job that is not being undone. A compensation needs this decision, because the
 * transaction that ends the compensation may also begin a new generation.
 */
type Advance = (state: SchedulingState, ledger: Ledger) => Schedule

/** Returns the compensation if all failed steps require it. Otherwise null: the job must end in error. */
export function compensationFor(
  { steps, now, scheduler }: SchedulingState,
  failed: readonly string[],
  reason: string,
): JobDocument['compensation'] {
  const policies = failed.map((stepId) => steps.get(stepId)?.onExhausted)
  if (!policies.every((policy) => policy === 'compensate' || policy === 'compensateThenRetry')) return null
  const thenRetry = policies.every((policy) => policy === 'compensateThenRetry')
  return { since: new Date(now).toISOString(), by: scheduler, reason, thenRetry }
}

/**
 * Decides how to undo a job whose `compensation` is set (W7, W9).
 *
 * 1. Every step under way gets a new fence, so the outcome of its attempt no longer counts (I3).
 * 2. Every step that succeeded or may have acted is undone, in each generation that may have acted. The steps
 *   that depend on a step are undone before it (I6).
 * 3. The job ends, or a new generation of the job begins.
 *
 * A restart may keep some steps, which the next generation then needs as they are (I34).
 *
 * If the undo of a step fails permanently, the steps on which this step depends are not undone. The other
 * undos continue. The job then ends and is flagged for an operator (R111).
 */
export function compensate(state: SchedulingState, ledger: Ledger, advance: Advance): Schedule {
  const { job, steps, now } = state
  const hasBegun = (stepId: string): boolean => (ledger[stepId]?.dispatch ?? 0) > 0
  // Skipped steps are included because they preserve the order between the steps before and after them (I6).
  const passed = job.stepIds.filter((stepId) => hasBegun(stepId) || ledger[stepId]?.state === 'Skipped')
  const missing = unseen(passed, ledger, steps)
  if (missing.length > 0) return { kind: 'read', stepIds: missing }
  // Steps that were given up or stopped for a new generation are included, because they may have acted.
  const kept = new Set(job.compensation?.keeps)
  const begun = passed
    .filter((stepId) => hasBegun(stepId) && !kept.has(stepId))
    .flatMap((stepId) => steps.get(stepId) ?? [])
  const stopped = begun.flatMap((step) => stoppedStep(step, ledger, state))
  const afterStop = withChanges(ledger, stopped)
  const again = begun.flatMap((step) => {
    if (ledger[step.stepId]?.state !== 'Compensating') return []
    if (hasMoreToUndo(step)) return [continueUndo(step, state)]
    return step.lockedBy === null && !isHeldBack(step, now) ? [redispatch(step, state)] : []
  })
  const next = stepsToUndo(begun, afterStop, steps).map((step) => undo(step, state))
  const changes = takeFitting([...stopped, ...again, ...next], job)
  const after = withChanges(ledger, changes)
  // The stops must be written before the new generation, which may begin the stopped steps again.
  const isFirst = changes.length > 0 && job.compensation?.thenRetry === true
  if (isFirst || Object.values(after).some(isUnderWay)) {
    const isNews = job.lockedBy === null || !sameLedger(job.steps, after) || !isFlagCurrent(state, ledger)
    return isNews ? continueJob(withIntent(state), ledger, changes) : { kind: 'nothing' }
  }
  return finishCompensation(state, { ledger, changes }, advance)
}

function withIntent(state: SchedulingState): SchedulingState {
  const { job } = state
  return { ...state, job: { ...job, currentState: betweenStates, desiredState: job.initialState } }
}

/**
 * Stops a step that is under way in the direction `do`. Undoes a step that was given up, stopped or skipped
 * if any of its generations may have acted (F-K2). A step without which the job went on waits until the steps
 * after it are undone, like a step that is done.
 */
function stoppedStep(step: StepDocument, ledger: Ledger, by: SchedulingState): readonly StepChange[] {
  if (step.direction === 'undo') return []
  const state = ledger[step.stepId]?.state
  const isOwed = owedBy(step).length > 0
  if (state === 'Error' || state === 'NotStarted' || state === 'Skipped') {
    return isOwed ? [undo(step, by)] : []
  }
  if (state !== 'Processing') return []
  if (!isOwed) return [cancelStep(step)]
  // An agent that has not read the new fence may continue its attempt until the deadline. The undo waits for
  // the deadline, so that it also covers the effect of this attempt (F-K2).
  return [undo(step, by, step.lockedBy === null ? 0 : endOfAttempt(step, by.now))]
}

/** Begins to undo a step, or lets the undo wait until no attempt can run any more (F-K2). */
function undo(step: StepDocument, by: SchedulingState, endOfAttemptMs = 0): StepChange {
  const endMs = Math.max(endOfAttemptMs, step.mayRunUntilMs ?? 0)
  return by.now < endMs ? undoAfter(step, endMs, by) : beginUndo(step, by)
}

/** Returns the latest time until which an attempt that has begun may last. An offer may last longer than an attempt. */
function endOfAttempt(step: StepDocument, now: number): number {
  const { completeByMs, completeWithinMs } = step
  const isOffer = isLongOffer(step) && !isTaken(step)
  return Math.min(completeByMs ?? 0, isOffer ? now + completeWithinMs : Infinity)
}

/**
 * Returns the steps that have an effect to undo and on which no step with an effect depends, even indirectly
 * (I6). These steps are done, or the job went on without them although they may have acted.
 */
function stepsToUndo(
  begun: readonly StepDocument[],
  ledger: Ledger,
  steps: ReadonlyMap<string, StepDocument>,
): StepDocument[] {
  const isOwed = (step: StepDocument): boolean => {
    const entry = ledger[step.stepId]
    return entry?.state === 'Processed' ? step.undo !== null : isLeftBehind(entry) && owedBy(step).length > 0
  }
  const inTheWay = begun.filter((step) => {
    const state = ledger[step.stepId]?.state
    return isOwed(step) || state === 'Compensating' || state === 'CompensationFailed'
  })
  const needed = ancestorsOf(inTheWay, steps)
  return inTheWay.filter((step) => isOwed(step) && !needed.has(step.stepId))
}

/** Returns every step on which one of these steps depends, directly or indirectly. */
function ancestorsOf(of: readonly StepDocument[], steps: ReadonlyMap<string, StepDocument>): Set<string> {
  const found = new Set<string>()
  const ahead = of.flatMap(({ dependsOn }) => dependsOn)
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (found.has(next)) continue
    found.add(next)
    ahead.push(...(steps.get(next)?.dependsOn ?? []))
  }
  return found
}

interface Finished {
  readonly ledger: Ledger
  readonly changes: readonly StepChange[]
}

function finishCompensation(state: SchedulingState, finished: Finished, advance: Advance): Schedule {
  const ledger = withChanges(finished.ledger, finished.changes)
  const { job, steps, now, scheduler } = state
  const { compensation } = job
  const back = withIntent(state)
  const [stepId] = inState(ledger, 'CompensationFailed')
  const since = new Date(now).toISOString()
  if (stepId !== undefined) {
    const cause = steps.get(stepId)?.attention?.message ?? 'no reason recorded'
    const message = `step ${stepId} could not be undone: ${cause}`
    const attention = { kind: 'compensationFailed' as const, since, by: scheduler, message, stepId }
    return endJob(back, finished, { attention })
  }
  const home = { ...back, job: { ...back.job, currentState: job.initialState } }
  if (compensation?.thenRetry !== true) return endJob(home, finished, {})
  if (job.generation >= job.maxGenerations) {
    const message = `given up after ${job.generation} generations: ${compensation.reason}`
    return endJob(home, finished, {
      attention: { kind: 'error', since, by: scheduler, message, stepId: null },
    })
  }
  const renewed = withDerivedState({
    ...home.job,
    desiredState: job.targetState,
    compensation: null,
    generation: job.generation + 1,
  })
  const kept = new Set(compensation.keeps)
  const reset = Object.entries(ledger).map(([id, entry]): [string, LedgerEntry] => [
    id,
    kept.has(id) ? entry : { ...entry, state: 'NotStarted' },
  ])
  return advance({ ...state, job: renewed }, Object.fromEntries(reset))
}
