import type { Attention, JobDocument, ProcessState, StepDocument } from './documents.js'

export type StateFields = Pick<
  JobDocument,
  'initialState' | 'targetState' | 'currentState' | 'desiredState' | 'lockedBy' | 'attention'
> &
  (Pick<JobDocument, 'compensation'> | Pick<StepDocument, 'direction'>)

/**
 * The pattern's word for a document's stored fields (requirements §18): at the target → Processed; out of the
 * loop until an operator decides → Error; on its way back → Compensating, and there → Compensated; held by an
 * instance → Processing; else Pending.
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

/** Whether nothing more happens by itself. Other kinds of attention only ask a person to look. */
function endsWork({ kind }: Attention): boolean {
  return kind === 'error' || kind === 'corrupt' || kind === 'compensationFailed'
}

/**
 * The document with `processState` set to what its other fields say: the only way a state is ever written
 * (I20).
 */
export function withDerivedState<T extends StateFields>(document: T): T & { processState: ProcessState } {
  return { ...document, processState: deriveProcessState(document) }
}

/** What is current of a job or step that is neither where it began nor where it was meant to get. */
export const betweenStates = 'Between'

/** `completeBy` in both its forms. */
export function deadline(atMs: number | null): Pick<JobDocument, 'completeBy' | 'completeByMs'> {
  return { completeBy: atMs === null ? null : new Date(atMs).toISOString(), completeByMs: atMs }
}

/** Whether a job has ended: only an operator's request changes it any more (I7). */
export function isTerminal(job: Pick<JobDocument, 'processState'>): boolean {
  return (
    job.processState === 'Processed' || job.processState === 'Error' || job.processState === 'Compensated'
  )
}

/**
 * Whether a job is written without its intent yet: its submission has not been completed, and nothing of it
 * may run.
 */
export function isStaged(job: Pick<JobDocument, 'desiredState' | 'initialState' | 'compensation'>): boolean {
  return job.compensation === null && job.desiredState === job.initialState
}
