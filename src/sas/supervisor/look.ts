import type { StepDocument } from '../model/documents.js'
import type { JobRecovery } from '../decisions/recover-job.js'
import type { Recovery } from '../decisions/recover-step.js'

/** What came of looking at one document, and when to look again. */
export interface Look {
  readonly untilMs: number | null
  readonly isRecovered: boolean
}

/** The answer for a document that the supervisor leaves as it is. */
export const untouched: Look = { untilMs: null, isRecovered: false }

/** Returns what a write of a decision means: a recovery, or when to look again. */
export function lookOf(kind: 'written' | 'unchanged', decision: Recovery | JobRecovery): Look {
  if (kind === 'written') return { untilMs: null, isRecovered: true }
  return decision.kind === 'wait' ? { untilMs: decision.untilMs, isRecovered: false } : untouched
}

/** A decision about a step, or the question whether its job is still there to take it up. */
export type StepDecision = Recovery | { readonly kind: 'inDoubt'; readonly step: StepDocument }
