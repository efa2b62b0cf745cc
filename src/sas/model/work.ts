import { copyWith } from './copies/copy-with.js'
import type { Attention, LedgerEntry, StepDocument } from './documents.js'

/** The operation of an attempt: the step's own operation, or its undo. */
export interface Work {
  readonly actor: string
  readonly action: string
  readonly input: StepDocument['input']
  readonly failureCount: number
}

export function workOf(step: StepDocument): Work {
  return step.direction === 'undo' && step.undo !== null ? step.undo : step
}

/** Returns the step with one more failure, counted for its direction (I4, R111). */
export function withFailure(step: StepDocument): StepDocument {
  if (step.direction === 'do' || step.undo === null)
    return copyWith(step, { failureCount: step.failureCount + 1 })
  return copyWith(step, { undo: { ...step.undo, failureCount: step.undo.failureCount + 1 } })
}

/** Checks whether an attempt with this outcome may have had an effect. */
export function mayHaveEffect({ kind, didNothing }: NonNullable<StepDocument['outcome']>): boolean {
  return kind !== 'permanent' || !didNothing
}

/** Returns the generation of the step that an attempt carries out or undoes. */
export function generationAtHand({ direction, generation, owed }: StepDocument): number {
  return direction === 'undo' ? (owed.at(-1)?.generation ?? generation) : generation
}

/** Returns the key of the attempt at hand. From the second round on, the round is a part of it (I28). */
export function currentKey(step: StepDocument): string {
  const key = idempotencyKey(step, generationAtHand(step), step.direction)
  const { number = 1 } = step.round ?? {}
  return number > 1 && step.direction === 'do' ? `${key}/r${number}` : key
}

/**
 * Returns the key that the attempts of one job, step, generation and direction share, and no others (I9). A step
 * that a restart has carried over keeps the keys that services know.
 */
export function idempotencyKey(
  { jobId, stepId, keyJobId }: Pick<StepDocument, 'jobId' | 'stepId' | 'keyJobId'>,
  generation: number,
  direction: StepDocument['direction'],
): string {
  return `${keyJobId ?? jobId}/${stepId}/g${generation}/${direction}`
}

/** Checks whether a step must not be dispatched yet, because it waits for a time or for an operator. */
export function isHeldBack(step: StepDocument, now: number): boolean {
  return step.attention?.kind === 'parked' || now < (step.notBeforeMs ?? 0)
}

/** Checks whether an operation waited when its job was paused. It begins no attempt before the job is resumed. */
export function isHeldInPause({ kind, held }: StepDocument): boolean {
  return kind === 'operation' && held !== undefined
}

/** Checks whether an agent has reported a failure that is counted only at the end of the pause after it. */
export function isBetweenTries({ kind, lockedBy, outcome }: StepDocument): boolean {
  return kind === 'operation' && lockedBy !== null && outcome?.kind === 'failed'
}

/** Returns the failures of the step's direction, with a reported failure that is not counted yet. */
export function failuresOf(step: StepDocument): number {
  return workOf(step).failureCount + (isBetweenTries(step) ? 1 : 0)
}

export function isWaiting({ attention }: StepDocument): boolean {
  return attention?.kind === 'parked' || attention?.kind === 'extendedWait'
}

/**
 * Checks whether the job goes on without the step, or is undone, so that no operator has to act if the step is given up. If the undo
 * fails, an operator must act for the step of that undo.
 */
export function isLeftToJob({ direction, jobGoesOn, onExhausted }: StepDocument): boolean {
  const isUndone = onExhausted === 'compensate' || onExhausted === 'compensateThenRetry'
  return direction === 'do' && (jobGoesOn === true || isUndone)
}

/** The longest time between two offers of work that no instance takes, unless an attempt may take longer. */
const longestOfferMs = 3_600_000
/** The pause after the first dispatch whose deadline had passed when it was written. */
const firstPauseMs = 1_000

/**
 * Returns the time until the work is offered again, in milliseconds. The first offer lasts for the time that
 * an attempt may take. Later offers double, because each lasts for the time since the work was flagged. An
 * offer stays in the feed, so an instance that starts later takes the work immediately.
 */
export function offerWithinMs(usualMs: number, attention: Attention | null, now: number): number {
  const flaggedMs = attention?.kind === 'unclaimed' ? now - Date.parse(attention.since) : 0
  return Math.max(usualMs, Math.min(flaggedMs, longestOfferMs))
}

/**
 * Returns the pause after a late dispatch, which is one that was written after its deadline.
 *
 * @param lateDispatches the number of late dispatches directly before it, with those in a range that no instance read
 */
export function pauseAfterLateMs(lateDispatches: number): number {
  return Math.min(firstPauseMs * 2 ** Math.min(lateDispatches, 30), longestOfferMs)
}

/** Checks whether the job goes on without the step of this entry, which was given up. */
export function isLeftBehind(
  entry: LedgerEntry | undefined,
): entry is LedgerEntry & { readonly state: 'Failed' | 'TimedOut' | 'Refused' } {
  const state = entry?.state
  return state === 'Failed' || state === 'TimedOut' || state === 'Refused'
}

/** Checks whether the step of this entry is over, so that its dependents may begin. */
export function isBehind(entry: LedgerEntry | undefined): boolean {
  return entry?.state === 'Processed' || entry?.state === 'Skipped' || isLeftBehind(entry)
}
