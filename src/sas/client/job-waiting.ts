import type { Clock } from '../../platform/index.js'
import { isAborted } from '../../platform/internal.js'
import type { EndedJob, WakeUps, JobAddress } from '../in-process/job-endings.js'
import type { JobDocument } from '../model/documents.js'
import { isTerminal } from '../model/process-state.js'
import type { DocumentAddress, StateStore } from '../store/state-store.js'
import { readableJob } from '../store/unreadable-jobs.js'
import { WaitPace, type Accepted } from './wait-pace.js'

/** The pause between two reads of a job's changes. It grows from `minMs` to `maxMs`. */
const rest = { minMs: 20, maxMs: 1_000 }
/** A job cannot have ended within this time after its acceptance, so it is not read earlier. */
const freshMs = 10

/**
 * Waits for the ends of jobs. The end of a job in this process is reported directly. Any other end is found
 * by reading the job.
 */
export class JobWaiting {
  private readonly pace = new WaitPace()

  constructor(
    private readonly store: StateStore,
    private readonly clock: Clock,
    private readonly wakeUps: WakeUps | null,
  ) {}

  /** Reads the job, or returns null. Throws `JobUnreadable` if its document cannot be decoded. */
  read(address: DocumentAddress): Promise<JobDocument | null> {
    return readableJob(this.store, address)
  }

  /** Pauses after `idleLooks` reads without a change, unless the job ends in this process. */
  async rest(job: JobAddress, idleLooks: number, signal?: AbortSignal): Promise<void> {
    const restMs = Math.min(rest.maxMs, rest.minMs * 2 ** Math.min(idleLooks, 10))
    await this.orEndedHere(job, (over) => this.clock.sleep(restMs, over), signal)
  }

  /**
   * Waits for the end of the job and returns the ended job, or null if the job does not exist. If the job
   * ends in this process, returns the written job without a request. Throws the signal's reason if the signal
   * aborts first.
   *
   * @param accepted the time when this process submitted the job; null otherwise
   */
  async untilEnded(
    address: JobAddress,
    accepted: Accepted | null,
    signal?: AbortSignal,
  ): Promise<EndedJob | null> {
    const ended = await this.orEndedHere(address, (over) => this.polled(address, accepted, over), signal)
    if (ended === null) return null
    const isHeard = 'job' in ended
    const job = isHeard ? ended.job : ended
    if (accepted !== null) {
      const waitedMs = this.clock.now() - accepted.atMs
      this.pace.note(job.workflow, tookMs(job, waitedMs), isHeard ? 'heard' : 'read')
    }
    return isHeard ? ended : { job, steps: null }
  }

  /** Reads the job, with growing pauses, until the job has ended. Returns null if the job does not exist. */
  private async polled(
    address: JobAddress,
    accepted: Accepted | null,
    signal: AbortSignal,
  ): Promise<JobDocument | null> {
    const { clock, pace } = this
    const pause = (since: Accepted) => clock.sleep(pace.restMs(since, clock.now()), signal)
    if (accepted !== null && clock.now() - accepted.atMs < freshMs) await pause(accepted)
    for (;;) {
      signal.throwIfAborted()
      const job = await this.read(address)
      if (job === null || isTerminal(job)) return job
      await pause(accepted ?? { workflow: job.workflow, atMs: job.submittedAtMs })
    }
  }

  /**
   * Waits until `poll` resolves or the job ends in this process, whichever comes first, and returns that
   * result. The signal of `poll` aborts with the caller's signal, or when `poll` is no longer needed.
   */
  private async orEndedHere<T>(
    job: JobAddress,
    poll: (over: AbortSignal) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T | EndedJob> {
    const over = new AbortController()
    const stop = (): void => over.abort(signal?.reason)
    if (isAborted(signal)) stop()
    signal?.addEventListener('abort', stop, { once: true })
    let unsubscribe: (() => void) | undefined
    const endedHere = new Promise<EndedJob>((resolve) => {
      unsubscribe = this.wakeUps?.subscribe(job, resolve)
    })
    try {
      return await Promise.race([endedHere, poll(over.signal)])
    } finally {
      over.abort()
      unsubscribe?.()
      signal?.removeEventListener('abort', stop)
    }
  }
}

/**
 * Returns the time that a job took, from 0 to `waitedMs`. The two times in the job may come from two clocks,
 * so their difference alone may be wrong.
 */
function tookMs({ submittedAtMs, endedAtMs }: JobDocument, waitedMs: number): number {
  return endedAtMs === null ? waitedMs : Math.min(waitedMs, Math.max(0, endedAtMs - submittedAtMs))
}
