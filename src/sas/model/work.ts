import type { StepDocument } from './documents.js'

/** What an open attempt at a step is to do: the step's own operation, or its undo. */
export interface Work {
  readonly actor: string
  readonly action: string
  readonly input: StepDocument['input']
  /** Attempts in this direction that ended without success. */
  readonly failureCount: number
}

/** The operation that a step's direction names. */
export function workOf(step: StepDocument): Work {
  return step.direction === 'undo' && step.undo !== null ? step.undo : step
}

/** The step with one failure more, counted for the direction it goes in (I4, R111). */
export function withFailure(step: StepDocument): StepDocument {
  if (step.direction === 'do' || step.undo === null) return { ...step, failureCount: step.failureCount + 1 }
  return { ...step, undo: { ...step.undo, failureCount: step.undo.failureCount + 1 } }
}

/** Whether an attempt with this outcome may have had an effect. */
export function mayHaveEffect({ kind, didNothing }: NonNullable<StepDocument['outcome']>): boolean {
  return kind !== 'permanent' || !didNothing
}

/** The generation that a step works on: on the way back the one being undone, else the step's own. */
export function generationAtHand({ direction, generation, owed }: StepDocument): number {
  return direction === 'undo' ? (owed.at(-1)?.generation ?? generation) : generation
}

/** The idempotency key of what a step is doing or undoing now. */
export function currentKey(step: StepDocument): string {
  return idempotencyKey(step, generationAtHand(step), step.direction)
}

/** The same for all attempts of one job, step, generation and direction, and different across those (I9). */
export function idempotencyKey(
  { jobId, stepId }: Pick<StepDocument, 'jobId' | 'stepId'>,
  generation: number,
  direction: StepDocument['direction'],
): string {
  return `${jobId}/${stepId}/g${generation}/${direction}`
}

/** Whether a step waits for time or for an operator, and is not to be dispatched yet. */
export function isHeldBack(step: StepDocument, now: number): boolean {
  return step.attention?.kind === 'parked' || now < (step.notBeforeMs ?? 0)
}

export function isWaiting({ attention }: StepDocument): boolean {
  return attention?.kind === 'parked' || attention?.kind === 'extendedWait'
}
