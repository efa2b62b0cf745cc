import { copyWith } from './copies/copy-with.js'
import type { Attention, JobDocument, ProcessState, StepDocument } from './documents.js'

export type StateFields = Pick<
  JobDocument,
  'initialState' | 'targetState' | 'currentState' | 'desiredState' | 'lockedBy' | 'attention'
> &
  (Pick<JobDocument, 'compensation'> | Pick<StepDocument, 'direction'>)

/**
 * Derives the state, as the pattern names it, from a document's stored fields (requirements §18). The first
 * rule that applies decides:
 *
 * - The document is at its target: Processed.
 * - Its work has stopped until an operator decides: Error.
 * - It is being undone: Compensating. It is completely undone: Compensated.
 * - An instance holds it: Processing.
 * - In all other cases: Pending.
 */
export function deriveProcessState(fields: StateFields): ProcessState {
  const { currentState, desiredState, targetState, attention, lockedBy } = fields
  if (currentState === desiredState && currentState === targetState) return 'Processed'
  if (attention !== null && endsWork(attention)) return 'Error'
  if (isReverting(fields)) return currentState === desiredState ? 'Compensated' : 'Compensating'
  return currentState !== desiredState && lockedBy !== null ? 'Processing' : 'Pending'
}

function isReverting(fields: StateFields): boolean {
  return 'direction' in fields ? fields.direction === 'undo' : fields.compensation !== null
}

/** Checks whether work stops until an operator decides. Other kinds of attention only inform a person. */
function endsWork({ kind }: Attention): boolean {
  return kind === 'error' || kind === 'corrupt' || kind === 'compensationFailed'
}

/**
 * Returns a copy of the document with these changes, and with the `processState` that its fields then imply. Every
 * write needs this (I20).
 */
export function withDerivedState<T extends StateFields>(
  document: T,
  changes: Partial<T> = {},
): T & { processState: ProcessState } {
  return addDerivedState(copyWith(document, changes))
}

/** The same as {@link withDerivedState}, but for a new object that no other code has yet, which is not copied again. */
export function addDerivedState<T extends StateFields>(made: T): T & { processState: ProcessState } {
  return Object.assign(made, { processState: deriveProcessState(made) })
}

/** The current state of a job or step between its initial state and its target state. */
export const betweenStates = 'Between'

/** Returns a deadline in both of its stored forms. */
export function deadline(atMs: number | null): Pick<JobDocument, 'completeBy' | 'completeByMs'> {
  return { completeBy: atMs === null ? null : new Date(atMs).toISOString(), completeByMs: atMs }
}

/** Checks whether a job has ended. After its end, only an operator's request can change it (I7). */
export function isTerminal(job: Pick<JobDocument, 'processState'>): boolean {
  return (
    job.processState === 'Processed' || job.processState === 'Error' || job.processState === 'Compensated'
  )
}

/**
 * Checks whether a job is stored without its intent. Its submission is incomplete, so the job must not run.
 */
export function isStaged(job: Pick<JobDocument, 'desiredState' | 'initialState' | 'compensation'>): boolean {
  return job.compensation === null && job.desiredState === job.initialState
}
