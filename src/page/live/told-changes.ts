import type { Change } from '../../change-feed-processor/index.js'
import type { JobSummary, ProcessState } from '../../sas/index.js'
import { decodeDelivered, summaryOf } from '../../sas/internal.js'

/** A step that changed. */
export interface ToldStep {
  readonly jobId: string
  readonly partitionKey: string
  readonly stepId: string
  readonly state: ProcessState
}

/** The changes of one page of the feed, as viewers receive them. */
export interface ToldChanges {
  readonly jobs: readonly JobSummary[]
  readonly steps: readonly ToldStep[]
  /** Whether the page had more changes than are told, so that a viewer must read again. */
  readonly isCut: boolean
}

/** The largest number of jobs, and of steps, in one message. */
const most = 200

/** Returns the newest version of each changed job and step, or null if none of the changes is about a job. */
export function toldChanges(changes: readonly Change[]): ToldChanges | null {
  const jobs = new Map<string, JobSummary>()
  const steps = new Map<string, ToldStep>()
  for (const change of changes) {
    const decoded = decodeDelivered(change)
    if (decoded.kind === 'job') {
      const { pk, id } = decoded.job
      jobs.set(JSON.stringify([pk, id]), summaryOf(decoded.job))
    } else if (decoded.kind === 'step') {
      const { pk, id, jobId, stepId, processState: state } = decoded.step
      steps.set(JSON.stringify([pk, id]), { jobId, partitionKey: pk, stepId, state })
    }
  }
  if (jobs.size + steps.size === 0) return null
  return {
    jobs: [...jobs.values()].slice(-most),
    steps: [...steps.values()].slice(-most),
    isCut: jobs.size > most || steps.size > most,
  }
}
