import type { Clock } from '../../platform/index.js'
import type { EndedJob } from '../in-process/job-endings.js'
import type { JobDocument } from '../model/documents.js'
import { isTerminal } from '../model/process-state.js'
import type { DocumentAddress, StateStore } from '../store/state-store.js'
import { readableJob } from '../store/unreadable-jobs.js'
import { WaitPace, type Accepted } from './wait-pace.js'
import type { WakeUps, JobAddress } from '../in-process/job-endings.js'

/** How long to rest between two reads of a job's changes: soon at first, then less and less often. */
const rest = { minMs: 20, maxMs: 1_000 }
/** A job accepted less than this long ago has not ended, so it is not looked at yet. */
const freshMs = 10

/** Waits for jobs to end: woken when this process ends the job, and looking now and then in case another does. */
export class JobWaiting {
  private readonly pace = new WaitPace()

  constructor(
    private readonly store: StateStore,
    private readonly clock: Clock,
    private readonly wakeUps: WakeUps | null,
  ) {}

  /** The job as it is, or null when there is none; throws `JobUnreadable` when it cannot be read. */
  read(address: DocumentAddress): Promise<JobDocument | null> {
    return readableJob(this.store, address)
  }

  /** Rests after this many looks without news, until woken or until the next look at the job is due. */
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
   * The job once it has ended, or null when there is none: as it is read, or, where it ends in this process, as it was
   * written, which is the same and costs no request. Throws the signal's reason when that aborts first.
   *
   * @param accepted when it was accepted here, if it was
   */
  async untilEnded(
    address: JobAddress,
    accepted: Accepted | null,
    signal?: AbortSignal,
  ): Promise<EndedJob | null> {
    const { clock, pace } = this
    let since = accepted
    /** How the last rest ended; null before there was one. */
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

  /** How long such jobs take is known from those that were waited for from the beginning. */
  private noteEnd(job: JobDocument, accepted: Accepted | null, isHeard: boolean | null): void {
    if (accepted === null || isHeard === null) return
    this.pace.note(job.workflow, { tookMs: tookMs(job, this.clock.now() - accepted.atMs), isHeard })
  }

  /** A signal that aborts at the next wake-up from now on, so that none is missed while the job is being read. */
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

/** How long a job took. Its two times are of two clocks, so it is never believed to be more than what we have waited. */
function tookMs({ submittedAtMs, endedAtMs }: JobDocument, waitedMs: number): number {
  return endedAtMs === null ? waitedMs : Math.min(waitedMs, Math.max(0, endedAtMs - submittedAtMs))
}
