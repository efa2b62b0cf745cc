import type { StateChange } from '../../model/delivered/state-change.js'
import type { JobDocument } from '../../model/documents.js'
import { jobDocumentId } from '../../model/document-ids.js'
import { isOver } from '../../model/is-over.js'
import type { DocumentAddress } from '../../store/state-store.js'

/** The largest number of jobs that are kept. A job that is left out only costs the reads that it would save. */
const maxJobs = 1_000

/**
 * Keeps changes of jobs that the agents of this process have received before the scheduler. When the first step of
 * such a job has ended, the scheduler needs these documents. They are decoded only then.
 */
export class ForeseenJobs {
  /** The newest changes of each job, by the id of the document. */
  private readonly jobs = new Map<string, Map<string, StateChange>>()

  /** Keeps the jobs that a scheduler drives and that `isKnown` does not know, with the newest versions of their steps. */
  put(changes: readonly StateChange[], isKnown: (job: DocumentAddress) => boolean): void {
    for (const change of changes) {
      const { type, pk, id, lockedBy } = change
      if (type !== 'sas.job' || typeof pk !== 'string' || typeof lockedBy !== 'string') continue
      if (isKnown({ pk, id }) || isOver(change as unknown as JobDocument)) continue
      this.jobs.set(keyOf({ pk, id }), new Map([[id, change]]))
      const [oldest] = this.jobs.keys()
      if (this.jobs.size > maxJobs && oldest !== undefined) this.jobs.delete(oldest)
    }
    if (this.jobs.size === 0) return
    for (const change of changes) {
      const { type, pk, id, jobId } = change
      if (type !== 'sas.step' || typeof pk !== 'string' || typeof jobId !== 'string') continue
      this.jobs.get(keyOf({ pk, id: jobDocumentId(jobId) }))?.set(id, change)
    }
  }

  /** Returns the kept changes of a job, and forgets them. */
  take(job: DocumentAddress): readonly StateChange[] {
    const key = keyOf(job)
    const changes = this.jobs.get(key)?.values() ?? []
    this.jobs.delete(key)
    return [...changes]
  }
}

function keyOf({ pk, id }: DocumentAddress): string {
  return `${pk}\n${id}`
}
