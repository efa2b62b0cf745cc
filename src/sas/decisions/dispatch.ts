import { copyWith } from '../model/copies/copy-with.js'
import { isDeepStrictEqual } from 'node:util'
import { mayHaveActed } from './claim.js'
import type { JobDocument, Json, StepDocument } from '../model/documents.js'
import type { Making } from '../model/planned/begun-attempt.js'
import { betweenStates, deadline, withDerivedState } from '../model/process-state.js'
import { mostStepsAtOnce } from '../gates/at-gates.js'
import { isGated, passing, requestAtBegin, withoutPlace, type Passes } from '../gates/pass.js'
import { gather, type GatherInput } from '../plan/gather.js'
import { beginning, owedBy, withInput } from './owed-undos.js'
import type { StepChange } from './ledger.js'
import { betweenRounds, hasMoreRounds, roundAtBegin, waitForRound } from './rounds.js'
import { unclearCondition, withTickets } from '../plan/tickets.js'
import type { KnownPauses } from '../pauses/pause-with.js'
import { isTooDeep, maxGivenLevels } from '../model/values/plain-json.js'
import { bindTemplate, resolveTemplate, type KnownValues } from '../plan/template.js'
import { payloadsOf } from '../waiting/collect-event.js'
import { bytesOf, exceeds, maxTransactionBytes, surelyFits } from '../store/transaction.js'
import { currentKey, workOf, offerWithinMs } from '../model/work.js'
import { asleep } from '../waiting/asleep.js'
import { putQuestion, withoutQuestion } from '../waiting/put-question.js'

export interface Dispatching {
  readonly job: JobDocument
  /** The known steps by step id. They include the steps whose outputs the dispatched steps need. */
  readonly steps: ReadonlyMap<string, StepDocument>
  readonly now: number
  readonly scheduler: string
  /** The answers of the gates to the steps with limits. Missing if no step has asked yet. */
  readonly passes?: Passes
  /** The ids of waiting steps that may enter their limit now. Missing if there are none. */
  readonly called?: ReadonlySet<string>
  /** The ids of the steps whose first attempts this process makes, and that need no document yet (I46). Missing if there are none. */
  readonly inJob?: ReadonlySet<string>
  /** The agents of this process that make the other attempts in the job, by step id. Missing if there are none. */
  readonly madeHere?: ReadonlyMap<string, Making>
  /** The pauses of workflows and agents. Missing if there are none. */
  readonly pauses?: KnownPauses
}

/** Returns the time when the whole job must be done, counted from its first scheduling (R18), or null. */
export function endBy({ job, now }: Pick<Dispatching, 'job' | 'now'>): number | null {
  if (job.endByMs !== null || job.completeWithinMs === null) return job.endByMs
  return now + job.completeWithinMs
}

/**
 * Returns the first changes, at least one, that fit into one transaction with the job. The remaining changes
 * are decided again when the feed delivers this write.
 */
export function takeFitting<C extends Pick<StepChange, 'step'>>(
  changes: readonly C[],
  job: JobDocument,
): readonly C[] {
  if (changes.length <= 1) return changes
  const most = changes.slice(0, mostStepsAtOnce(job))
  if (surelyFits([job, ...most.map(({ step }) => step)], maxTransactionBytes)) return most
  let leftBytes = maxTransactionBytes - bytesOf(job)
  const taken: C[] = []
  for (const change of most) {
    leftBytes -= bytesOf(change.step)
    if (leftBytes < 0 && taken.length > 0) break
    taken.push(change)
  }
  return taken
}

/**
 * Starts a step, or starts it again, with its first attempt. {@link withInput} decides the idempotency key.
 * If the input is too large for a transaction, the step is flagged for an operator and keeps its key.
 */
export function begin(stored: StepDocument, by: Dispatching, known: KnownValues): StepChange {
  const step = withoutPlace(stored)
  const input = resolveTemplate(step.inputTemplate, known)
  const bound = { ...boundUndo(step, known), ...roundAtBegin(step, known) }
  const begins = Object.assign(withInput(step, input), bound, unbegun(step))
  const begun = attempt(withTickets(begins, by), by)
  // A refused step calls no handler, so its key and the record of calls with this key do not change.
  const refuse = (message: string): StepChange => {
    return { step: refused(attempt(beginning(step, unbegun(step)), by), by, message), state: 'Processing' }
  }
  const unclear = unclearCondition(step, known)
  if (unclear !== null) return refuse(unclear)
  if (step.kind === 'sleep') return waiting(begun, by, asleep(begun, by.now))
  if (step.event !== null) return finishWait(begun, by, payloadsOf(step) ?? step.event.payload)
  if (step.question !== undefined)
    return waiting(begun, by, putQuestion(copyWith(begun, { asked: null }), by.now))
  if (step.kind === 'gather') return finishGather(begun, by)
  const asked = isGated(begun) ? requestAtBegin(step, known) : null
  const problem = typeof asked === 'string' ? asked : inputProblem(begun, by)
  return problem === null ? { step: passing(begun, by), state: 'Processing' } : refuse(problem)
}

/** Returns the reason why the step cannot be dispatched with its resolved input, or null. */
function inputProblem(step: StepDocument, by: Dispatching): string | null {
  if (isTooLarge(step, by)) return tooLarge('input', step.input)
  if (!isTooDeep(step.input)) return null
  return (
    `the input of the step is nested more than ${maxGivenLevels} levels deep: pass the address of ` +
    'the data, not the data'
  )
}

/** Returns the fields of a step before its first attempt. */
function unbegun({ initialState, targetState }: StepDocument): Partial<StepDocument> {
  return {
    currentState: initialState,
    desiredState: targetState,
    lockedBy: null,
    failureCount: 0,
    output: null,
    claim: null,
    outcome: null,
  }
}

/** Puts other steps' outputs into the undo. Keeps the submitted template, because outputs may change. */
function boundUndo({ undo, undoTemplate, stepId }: StepDocument, known: KnownValues): Partial<StepDocument> {
  if (undo === null) return {}
  const template = undoTemplate ?? undo.inputTemplate
  const bound = bindTemplate(template, known, stepId)
  return {
    undo: { ...undo, inputTemplate: bound, input: null, failureCount: 0 },
    undoTemplate: isDeepStrictEqual(bound, template) ? null : template,
  }
}

export function isTooLarge(step: StepDocument, { job }: Pick<Dispatching, 'job'>): boolean {
  return exceeds([step, job], maxTransactionBytes)
}

function tooLarge(what: string, value: Json): string {
  return (
    `the ${what} of the step has ${bytesOf(value)} bytes, too many for one transaction: pass the address ` +
    'of the data, not the data'
  )
}

/** Ends a gathering step, which is done as soon as it has its input. */
function finishGather(step: StepDocument, by: Dispatching): StepChange {
  const gathered = gather(step.input as unknown as GatherInput)
  if (gathered.kind === 'impossible')
    return { step: refused(step, by, gathered.message), state: 'Processing' }
  return finishWait(copyWith(step, { input: null }), by, gathered.output)
}

/**
 * Dispatches the next attempt, in the same direction and with the same input. A sleep that is over, or a step
 * that has its event, is ended instead.
 */
export function redispatch(step: StepDocument, by: Dispatching): StepChange {
  if (step.kind === 'sleep' || step.event !== null) {
    const over = copyWith(step, { dispatch: step.dispatch + 1, fence: step.fence + 1 })
    return finishWait(over, by, payloadsOf(step) ?? step.event?.payload ?? null)
  }
  const again = attempt(step, by)
  if (step.direction === 'undo') return { step: again, state: 'Compensating' }
  if (step.question !== undefined) return waiting(again, by, putQuestion(again, by.now))
  return { step: passing(again, by), state: 'Processing' }
}

/** Begins the next round of a repeated step, now or later, or gives the step up. */
export function nextRound(step: StepDocument, by: Dispatching): StepChange {
  const next = waitForRound(step, by) ?? passing(attempt(betweenRounds(step), by), by)
  return { step: next, state: 'Processing' }
}

/** Returns the change of a step that waits, or that is refused if it cannot wait. */
function waiting(step: StepDocument, by: Dispatching, waits: StepDocument | string): StepChange {
  return { step: typeof waits === 'string' ? refused(step, by, waits) : waits, state: 'Processing' }
}

function finishWait(step: StepDocument, by: Dispatching, output: Json): StepChange {
  const done = withDerivedState(step, {
    currentState: step.targetState,
    lockedBy: null,
    attention: null,
    notBeforeMs: null,
    output,
    ...deadline(null),
  })
  if (!isTooLarge(done, by)) return { step: done, state: 'Processed' }
  return { step: refused(step, by, tooLarge('output', output)), state: 'Processing' }
}

/** Begins to undo a step that acted or may have acted. The newest generation is undone first. */
export function beginUndo(step: StepDocument, by: Dispatching): StepChange {
  return { step: attempt(reverting(step, owedBy(step), by), by), state: 'Compensating' }
}

/** Begins to undo the next older generation. */
export function continueUndo(step: StepDocument, by: Dispatching): StepChange {
  return { step: attempt(reverting(step, step.owed.slice(0, -1), by), by), state: 'Compensating' }
}

/**
 * Returns the step in the direction `undo`, but does not dispatch it yet. An attempt at the step may still be
 * running, so the undo begins only after the attempt's deadline (F-K2). The new fence makes the attempt's
 * outcome void (I3).
 */
export function undoAfter(step: StepDocument, notBeforeMs: number | null, by: Dispatching): StepChange {
  const waiting = {
    ...reverting(step, owedBy(step), by),
    lockedBy: null,
    fence: step.fence + 1,
    dispatch: step.dispatch + 1,
    notBeforeMs,
    ...deadline(notBeforeMs),
  }
  return { step: withDerivedState(waiting), state: 'Compensating' }
}

/** Resets the step to the state before it began. The outcome of a running attempt becomes void (I3). */
export function cancelStep(step: StepDocument): StepChange {
  const stopped = {
    ...withoutQuestion(hasMoreRounds(step) ? betweenRounds(step) : step),
    mayHaveActed: mayHaveActed(step),
    desiredState: step.initialState,
    lockedBy: null,
    fence: step.fence + 1,
    dispatch: step.dispatch + 1,
    attention: null,
    notBeforeMs: null,
    ...deadline(null),
  }
  return { step: withDerivedState(stopped), state: 'NotStarted' }
}

function reverting(step: StepDocument, owed: StepDocument['owed'], by: Dispatching): StepDocument {
  const isDone = step.processState === 'Processed'
  const [newest] = owed.slice(-1)
  const back = {
    ...step,
    mayHaveActed: mayHaveActed(step),
    owed,
    direction: 'undo' as const,
    currentState: isDone ? step.currentState : betweenStates,
    desiredState: step.initialState,
    undo: step.undo && { ...step.undo, input: newest?.input ?? null, failureCount: 0 },
    outcome: null,
    attention: null,
  }
  return { ...(isTooLarge(back, by) ? lightened(back) : back), idempotencyKey: currentKey(back) }
}

/**
 * Removes the data of a step that its undo does not need: its input, its output, and the second copy of the
 * undo's input. Otherwise a step that was small enough to succeed could be too large to be undone.
 */
function lightened(step: StepDocument): StepDocument {
  const newest = step.owed.slice(-1).map(({ generation }) => ({ generation, input: null }))
  return { ...step, input: null, output: null, owed: [...step.owed.slice(0, -1), ...newest] }
}

function attempt(step: StepDocument, { job, now, scheduler }: Dispatching): StepDocument {
  // No attempt may last longer than its job, except an undo (F-Q13).
  const latest = (step.direction === 'undo' ? null : endBy({ job, now })) ?? Infinity
  // An attempt that no agent makes stays flagged until an agent begins it, even if it is offered again (F-A22, I15).
  const isStillFlagged = step.isClaimRequired || step.lateDispatches > 0
  const attention = isStillFlagged && step.attention?.kind === 'unclaimed' ? step.attention : null
  // This time applies only to the offer. The agent that begins the attempt shortens the deadline to `completeWithinMs`.
  const offeredMs = offerWithinMs(step.completeWithinMs, attention, now)
  return withDerivedState(step, {
    mayHaveActed: mayHaveActed(step),
    firstBy: null,
    lockedBy: scheduler,
    dispatch: step.dispatch + 1,
    fence: step.fence + 1,
    attempt: workOf(step).failureCount + 1,
    idempotencyKey: currentKey(step),
    ...(step.progress && { progress: null }),
    outcome: null,
    attention,
    notBeforeMs: null,
    ...deadline(Math.min(now + offeredMs, latest)),
  })
}

function refused(step: StepDocument, { now, scheduler }: Dispatching, message: string): StepDocument {
  const since = new Date(now).toISOString()
  const attention = {
    kind: 'error' as const,
    since,
    by: scheduler,
    message,
    stepId: step.stepId,
  }
  const outcome = {
    kind: 'permanent' as const,
    attempt: step.attempt,
    at: since,
    by: scheduler,
    didNothing: true,
  }
  return withDerivedState(step, { lockedBy: null, attention, outcome, ...deadline(null) })
}
