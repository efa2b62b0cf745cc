import type { Clock } from '../../platform/index.js'
import type { EndedJob } from '../in-process/job-endings.js'
import type { JobDocument } from '../model/documents.js'
import { isTerminal } from '../model/process-state.js'
import type { DocumentAddress, StateStore } from '../store/state-store.js'
import { readableJob } from '../store/unreadable-jobs.js'
import { WaitPace, type Accepted } from './wait-pace.js'
import type { WakeUps, JobAddress } from '../in-process/job-endings.js'

/** The pause between two reads of a job's changes, which grows from `minMs` to `maxMs`. */
const rest = { minMs: 20, maxMs: 1_000 }
/** A job accepted less than this long ago cannot have ended, so it is not read yet. */
const freshMs = 10

/**
 * Waits for jobs to end. Wakes when this process ends the job, and reads it at intervals in case another process
 * does.
 */
export class JobWaiting {
  private readonly pace = new WaitPace()

  constructor(
    private readonly store: StateStore,
    private readonly clock: Clock,
    private readonly wakeUps: WakeUps | null,
  ) {}

  /** Reads the job. Returns null if there is none, and throws `JobUnreadable` if it cannot be decoded. */
  read(address: DocumentAddress): Promise<JobDocument | null> {
    return readableJob(this.store, address)
  }

  /** Pauses after this many reads without a change, until woken or until the next read is due. */
  async rest(job: JobAddress, idleLooks: number, signal?: AbortSignal): Promise<void> {
    const woken = this.nextWakeUp(job, signal)
    try {
      const restMs = Math.min(rest.maxMs, rest.minMs * 2 ** Math.min(idleLooks, 10))
      await this.clock.sleep(restMs, woken.signal)
    } finally {
      woken.stop()
    }
  }

  /**
   * Waits for the end of the job and returns it, or null if there is no such job. If the job ends in this process, the
   * job is returned as written, which costs no request. Throws the signal's reason if the signal aborts first.
   *
   * @param accepted when the job was accepted, if that was in this process
   */
  async untilEnded(
    address: JobAddress,
    accepted: Accepted | null,
    signal?: AbortSignal,
  ): Promise<EndedJob | null> {
    const { clock, pace } = this
    let since = accepted
    /** Whether a wake-up or the signal ended the last pause; null before the first pause. */
    let isHeard: boolean | null = null
    const isFresh = accepted !== null && clock.now() - accepted.atMs < freshMs
    for (let looks = isFresh ? 0 : 1; ; looks += 1) {
      signal?.throwIfAborted()
      const woken = this.nextWakeUp(address, signal)
      try {
        if (looks > 0) {
          const job = await this.read(address)
          if (job === null) return null
          if (isTerminal(job)) {
            this.noteEnd(job, accepted, isHeard)
            return { job, steps: null }
          }
          since ??= { workflow: job.workflow, atMs: job.submittedAtMs }
        }
        await clock.sleep(pace.restMs(since, clock.now()), woken.signal)
        isHeard = woken.signal.aborted
        const heard = woken.heard()
        if (heard !== null) {
          this.noteEnd(heard.job, accepted, isHeard)
          return heard
        }
      } finally {
        woken.stop()
      }
    }
  }

  /** Notes how long the job took. Only jobs that were awaited from the beginning count. */
  private noteEnd(job: JobDocument, accepted: Accepted | null, isHeard: boolean | null): void {
    if (accepted === null || isHeard === null) return
    this.pace.note(job.workflow, { tookMs: tookMs(job, this.clock.now() - accepted.atMs), isHeard })
  }

  /** Returns a signal that aborts at the next wake-up, so that none is missed while the job is being read. */
  private nextWakeUp(
    job: JobAddress,
    signal: AbortSignal | undefined,
  ): { readonly signal: AbortSignal; heard(): EndedJob | null; stop(): void } {
    const woken = new AbortController()
    let heard: EndedJob | null = null
    const wake = (): void => woken.abort()
    const unsubscribe = this.wakeUps?.subscribe(job, (ended) => {
      heard = ended
      wake()
    })
    signal?.addEventListener('abort', wake, { once: true })
    return {
      signal: woken.signal,
      heard: () => heard,
      stop: () => {
        unsubscribe?.()
        signal?.removeEventListener('abort', wake)
      },
    }
  }
}

/** Returns how long a job took, at most `waitedMs`, because its two times may come from two clocks. */
function tookMs({ submittedAtMs, endedAtMs }: JobDocument, waitedMs: number): number {
  return endedAtMs === null ? waitedMs : Math.min(waitedMs, Math.max(0, endedAtMs - submittedAtMs))
}
