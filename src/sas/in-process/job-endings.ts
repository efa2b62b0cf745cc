import type { JobDocument, StepDocument } from '../model/documents.js'
import type { DocumentAddress } from '../store/state-store.js'

/** An ended job, as it was written at its end. */
export interface EndedJob {
  readonly job: JobDocument
  /** All steps of the job as they were stored at its end. Null if not every step is known here. */
  readonly steps: readonly StepDocument[] | null
}

/** Reports the ends of jobs from the scheduler of a process to callers in the same process. */
export class JobEndings implements WakeUps {
  private readonly listeners = new Map<string, Set<(ended: EndedJob) => void>>()

  /** Calls the listeners of a job. The end of the job must already be written. */
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

/** Returns the key of a job. It contains the partition, because an id is unique only within its partition. */
function keyOf({ pk, jobId }: Pick<JobDocument, 'pk' | 'jobId'>): string {
  return `${pk}\n${jobId}`
}

/** Reports the ends of jobs within this process. `subscribe` returns a function that unsubscribes. */
export interface WakeUps {
  subscribe(job: JobAddress, listener: (ended: EndedJob) => void): () => void
}

/** Reports what any of these reports. A listener may hear of one end several times. */
export function endingsOf(all: readonly WakeUps[]): WakeUps {
  return {
    subscribe: (job, listener) => {
      const unsubscribe = all.map((one) => one.subscribe(job, listener))
      return () => {
        for (const end of unsubscribe) end()
      }
    },
  }
}

/** Reports when a job that another process drives may have ended, so that it is time to read the job. */
export interface EndHints {
  /**
   * Calls `onHint` when the job may have ended. Returns a function that unsubscribes.
   *
   * @param physicalRangeId the partition key range of the job, or null if it is unknown
   */
  subscribe(job: JobAddress, physicalRangeId: string | null, onHint: () => void): () => void
}

export type JobAddress = DocumentAddress & { readonly jobId: string }
