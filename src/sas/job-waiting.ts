import type { Clock } from '../platform/index.js'
import { decodeDocument, type JobDocument } from './documents.js'
import type { DocumentAddress, StateStore } from './state-store.js'

/** Somebody in this process who says when a job may have ended. Answers how to stop listening. */
export interface WakeUps {
  subscribe(jobId: string, listener: () => void): () => void
}

/** How long to rest between two looks at a job: soon at first, then less and less often. */
const rest = { minMs: 20, maxMs: 1_000 }
/** The same where somebody says when a job of this process ends: looks are for what other processes end. */
const restWithWakeUps = { minMs: 250, maxMs: 1_000 }

/** Waits for jobs to reach a state: woken when this process ends the job, and looking now and then in case another does. */
export class JobWaiting {
  private readonly restUntilEnd: typeof rest

  constructor(
    private readonly store: StateStore,
    private readonly clock: Clock,
    private readonly wakeUps: WakeUps | null,
  ) {
    this.restUntilEnd = wakeUps === null ? rest : restWithWakeUps
  }

  /** The job as it is, or null when there is none. */
  async read(address: DocumentAddress): Promise<JobDocument | null> {
    const document = await this.store.read(address)
    const decoded = document === null ? null : decodeDocument(document)
    return decoded?.kind === 'job' ? decoded.job : null
  }

  /** Rests after so many looks that brought nothing, until woken or for as long as between two looks at a job. */
  async rest(jobId: string, idleLooks: number, signal?: AbortSignal): Promise<void> {
    const woken = this.nextWakeUp(jobId, signal)
    try {
      const restMs = Math.min(rest.maxMs, rest.minMs * 2 ** Math.min(idleLooks, 10))
      await this.clock.sleep(restMs, woken.signal)
    } finally {
      woken.stop()
    }
  }

  /** The job once `isReached`, or null when there is none. Throws the signal's reason when that aborts first. */
  async until(
    address: DocumentAddress & { readonly jobId: string },
    isReached: (job: JobDocument) => boolean,
    signal?: AbortSignal,
  ): Promise<JobDocument | null> {
    const { minMs, maxMs } = this.restUntilEnd
    for (let restMs = minMs; ; restMs = Math.min(maxMs, restMs * 2)) {
      signal?.throwIfAborted()
      const woken = this.nextWakeUp(address.jobId, signal)
      try {
        const job = await this.read(address)
        if (job === null || isReached(job)) return job
        await this.clock.sleep(restMs, woken.signal)
      } finally {
        woken.stop()
      }
    }
  }

  /** A signal that aborts at the next wake-up from now on, so that none is missed while the job is being read. */
  private nextWakeUp(
    jobId: string,
    signal: AbortSignal | undefined,
  ): { readonly signal: AbortSignal; stop(): void } {
    const woken = new AbortController()
    const wake = (): void => woken.abort()
    const unsubscribe = this.wakeUps?.subscribe(jobId, wake)
    signal?.addEventListener('abort', wake, { once: true })
    return {
      signal: woken.signal,
      stop: () => {
        unsubscribe?.()
        signal?.removeEventListener('abort', wake)
      },
    }
  }
}
