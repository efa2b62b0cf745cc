import type { StepDocument } from '../model/documents.js'
import type { JobRecovery } from '../decisions/recover-job.js'
import type { Recovery } from '../decisions/recover-step.js'
import type { FeedRange } from '../../../lease-store/index.js'
import type { AgentsKnown } from '../waiting/agents-position.js'
import type { Stored } from '../store/state-store.js'

/** The result of a check of one document. `untilMs` is the time of the next check, or null. */
export interface Look {
  readonly untilMs: number | null
  readonly isRecovered: boolean
  /**
   * The passed deadline of a step that may wait for a slot, or of its job. If a sweep lists the document with this deadline
   * before `untilMs`, the supervisor does not look earlier.
   */
  readonly inLineSinceMs?: number
}

/** The result for a document that the supervisor does not change. */
export const untouched: Look = { untilMs: null, isRecovered: false }

/** Returns the result of a check whose decision was carried out. */
export function lookOf(kind: 'written' | 'unchanged', decision: Recovery | JobRecovery): Look {
  if (kind === 'written') return { untilMs: null, isRecovered: true }
  if (decision.kind === 'inLine') {
    return { untilMs: decision.untilMs, isRecovered: false, inLineSinceMs: decision.dueMs }
  }
  return decision.kind === 'wait' ? { untilMs: decision.untilMs, isRecovered: false } : untouched
}

/** Asks the agents of a feed range, or the agents of all ranges if the range is null. */
export type AskAgents = (range: FeedRange | null) => Promise<AgentsKnown>

/** The supervisor must first ask whether the step, or a step of the job, may still wait for a slot. */
export interface MustAsk<T> {
  readonly kind: 'mustAsk'
  /** The version to decide about. */
  readonly read: Stored<T>
}

/** A decision about a step. For `inDoubt`, the supervisor first checks whether the step's job has ended. */
export type StepDecision =
  Recovery | MustAsk<StepDocument> | { readonly kind: 'inDoubt'; readonly step: StepDocument }
