import type { JobDocument, StepDocument } from '../model/documents.js'
import type { DocumentAddress } from '../store/state-store.js'

/** A job as it was written when it ended. */
export interface EndedJob {
  readonly job: JobDocument
  /** All of its steps as they are stored since then; null when not every one is at hand. */
  readonly steps: readonly StepDocument[] | null
}

/** Where the scheduler of a process tells those who wait here for a job that it has ended. */
export class JobEndings implements WakeUps {
  private readonly listeners = new Map<string, Set<(ended: EndedJob) => void>>()

  /** The job has ended: that is written already. */
  tell(ended: EndedJob): void {
    for (const listener of this.listeners.get(keyOf(ended.job)) ?? []) listener(ended)
  }

  subscribe(job: Pick<JobDocument, 'pk' | 'jobId'>, listener: (ended: EndedJob) => void): () => void {
    const key = keyOf(job)
    const listeners = this.listeners.get(key) ?? new Set()
    this.listeners.set(key, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) this.listeners.delete(key)
    }
  }
}

/** An id identifies a job within its partition only. */
function keyOf({ pk, jobId }: Pick<JobDocument, 'pk' | 'jobId'>): string {
  return `${pk}\n${jobId}`
}

/** Reports in this process when a job has ended, and its end. `subscribe` returns a function that unsubscribes. */
export interface WakeUps {
  subscribe(job: JobAddress, listener: (ended: EndedJob) => void): () => void
}

/** Where a job is, and its id. */
export type JobAddress = DocumentAddress & { readonly jobId: string }
