import type { JobDocument, StepDocument } from '../model/documents.js'
import { jobDocumentId } from '../model/document-ids.js'
import { isTerminal } from '../model/process-state.js'
import { decodeDocument } from '../model/decode.js'
import { viewOf, type JobView } from './job-view.js'
import type { PartitionFeed } from '../store/state-store.js'

/** What following a job needs. */
export interface Following {
  readonly jobId: string
  readonly feed: PartitionFeed
  /** The job with every step, read now; null when it is gone. */
  readonly readView: () => Promise<JobView | null>
  /** Rests after `idleReads` reads that brought nothing; ends early when there may be something. */
  readonly rest: (idleReads: number) => Promise<void>
  readonly signal: AbortSignal | undefined
}

/**
 * The job as it is, and again whenever it or a step has changed, up to its end. From the feed of its own partition, so
 * it costs nothing in other jobs' way; versions that follow each other closely are shown as one.
 */
export async function* followJob(following: Following): AsyncGenerator<JobView, void, undefined> {
  const { jobId, feed, readView, rest, signal } = following
  const steps = new Map<string, StepDocument>()
  let job: JobDocument | null = null
  for (let idleReads = 0; ; idleReads += 1) {
    signal?.throwIfAborted()
    let isNews = false
    for (const document of await feed.readNext()) {
      const decoded = decodeDocument(document)
      if (decoded.kind === 'job' && decoded.job.jobId === jobId) job = decoded.job
      else if (decoded.kind === 'step' && decoded.step.jobId === jobId) {
        steps.set(decoded.step.stepId, decoded.step)
      } else if (decoded.kind === 'invalid' && document.id === jobDocumentId(jobId)) {
        // Throws `JobUnreadable`: the job can no longer be followed.
        await readView()
      } else continue
      isNews = true
    }
    if (job !== null && isTerminal(job)) {
      // A page may end within the transaction that ended the job: the last word is read as a whole.
      const last = await readView()
      if (last !== null) yield last
      return
    }
    if (isNews && job !== null) {
      idleReads = 0
      yield viewOf(job, [...steps.values()])
    } else {
      await rest(idleReads)
    }
  }
}
