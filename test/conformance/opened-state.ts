import type { PhysicalRange } from '../../src/change-feed-processor/index.js'
import type { VirtualClock } from '../../src/platform/index.js'
import type { JobQueries } from '../../src/sas/store/job-queries.js'
import type { ApplyResult, StateDocument, StateStore, StateWrite } from '../../src/sas/store/state-store.js'
import { submit, type SubmitRequest } from '../../src/sas/submission/submit.js'
import { aSubmission, aWorkflow, documentsOf } from '../support/a-job.js'

/**
 * An empty state container of several physical partitions, and what a suite needs to look at it from outside.
 */
export interface OpenedState {
  readonly store: StateStore
  readonly queries: JobQueries
  readonly clock: VirtualClock
  /** As the change feed of the same container says. */
  physicalRanges(): Promise<readonly PhysicalRange[]>
  /** Stores a document past the store under test, as an operator's own tool does. */
  put(document: StateDocument): void
  /** Lets the container keep all versions of its documents for an hour. */
  keepVersions(): Promise<void>
  /** The id of the physical partition in whose feed a change of this document is, or null. */
  rangeIdOf(id: string): Promise<string | null>
}

export const create = (document: StateDocument): StateWrite => ({ kind: 'create', document })
export const note = (id: string, text = 'first', pk = 'p'): StateDocument => ({ id, pk, text })

export function applied(result: ApplyResult): ApplyResult & { kind: 'applied' } {
  if (result.kind !== 'applied') throw new Error(`not applied: ${JSON.stringify(result)}`)
  return result
}

/** Submits a job of two steps, or of another plan, and returns its documents. */
export async function submittedTo(store: StateStore, overrides: Partial<SubmitRequest>) {
  const plan = overrides.plan ?? aWorkflow({ pay: [], ship: ['pay'] }).plan
  const writes = submit(aSubmission(plan, overrides))
  applied(await store.apply(documentsOf(writes).job.pk, writes))
  return documentsOf(writes)
}
