import type { JobDocument, StepDocument } from '../model/documents.js'
import { jobDocumentId } from '../model/document-ids.js'
import { plannedSteps } from '../model/planned/planned-steps.js'
import { isTerminal } from '../model/process-state.js'
import { decodeDocument } from '../model/decode.js'
import type { JobView } from './job-view.js'
import type { PartitionFeed } from '../store/job-queries.js'

export interface Following {
  readonly jobId: string
  readonly feed: PartitionFeed
  /** Reads the job with every step. Returns null if the job does not exist any more. */
  readonly readView: () => Promise<JobView | null>
  /** Returns what people see of these documents. */
  readonly viewOf: (job: JobDocument, steps: readonly StepDocument[]) => Promise<JobView>
  /** Pauses after `idleReads` reads without changes. The pause ends early if a change is likely. */
  readonly rest: (idleReads: number) => Promise<void>
  readonly signal: AbortSignal | undefined
}

/**
 * Yields the present view of the job, and another view after each change of the job or a step, until the job
 * ends. Several changes within a short time are yielded as one view. Reads only the feed of the job's own
 * logical partition, so changes of jobs in other partitions cost nothing.
 */
export async function* followJob(following: Following): AsyncGenerator<JobView, void, undefined> {
  const { jobId, feed, readView, viewOf, rest, signal } = following
  const steps = new Map<string, StepDocument>()
  let job: JobDocument | null = null
  for (let idleReads = 0; ; idleReads += 1) {
    signal?.throwIfAborted()
    let isNews = false
    for (const document of await feed.readNext()) {
      const decoded = decodeDocument(document)
      if (decoded.kind === 'job' && decoded.job.jobId === jobId) {
        job = decoded.job
        // A page may end before the document that a planned step gets, so what the job has planned is kept until then.
        for (const [stepId, step] of plannedSteps(job)) steps.set(stepId, step)
      } else if (decoded.kind === 'step' && decoded.step.jobId === jobId) {
        steps.set(decoded.step.stepId, decoded.step)
      } else if (decoded.kind === 'invalid' && document.id === jobDocumentId(jobId)) {
        // This read throws `JobUnreadable`, because the job can no longer be followed.
        await readView()
      } else continue
      isNews = true
    }
    if (job !== null && isTerminal(job)) {
      // A page may end within the transaction that ended the job, so the final view is read separately.
      const last = await readView()
      if (last !== null) yield last
      return
    }
    if (isNews && job !== null) {
      idleReads = 0
      yield await viewOf(job, [...steps.values()])
    } else {
      await rest(idleReads)
    }
  }
}
