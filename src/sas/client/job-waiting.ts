import type { Clock } from '../../platform/index.js'
import { isAborted } from '../../platform/internal.js'
import type { EndedJob, WakeUps, JobAddress } from '../in-process/job-endings.js'
import type { JobDocument } from '../model/documents.js'
import { isTerminal } from '../model/process-state.js'
import type { DocumentAddress, StateStore } from '../store/state-store.js'
import { readableJob } from '../store/unreadable-jobs.js'
import { WaitPace, type Accepted } from './wait-pace.js'

/** The pause between two reads of a job's changes, which grows from `minMs` to `maxMs`. */
const rest = { minMs: 20, maxMs: 1_000 }
/** A job accepted less than this long ago cannot have ended, so it is not read yet. */
const freshMs = 10

/** Waits for jobs to end, in this process or, as reads of the job show, in another one. */
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

  /** Pauses after this many reads without a change, until the job ends here or the next read is due. */
  async rest(job: JobAddress, idleLooks: number, signal?: AbortSignal): Promise<void> {
    const restMs = Math.min(rest.maxMs, rest.minMs * 2 ** Math.min(idleLooks, 10))
    await this.orEndedHere(job, (over) => this.clock.sleep(restMs, over), signal)
  }

  /**
   * Waits for the end of the job and returns it, or null if there is no such job. If the job ends in this
   * process, the job is returned as written, which costs no request. Throws the signal's reason if the signal
   * aborts first.
   *
   * @param accepted when the job was accepted, if that was in this process
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

  /** Reads the job, with growing pauses, until it has ended. Returns null if there is no such job. */
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
   * Waits for `poll`, or for the end of the job in this process if that comes first. The signal of `poll`
   * aborts with the caller's, and when `poll` is no longer needed.
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

/** Returns how long a job took, at most `waitedMs`, because its two times may come from two clocks. */
function tookMs({ submittedAtMs, endedAtMs }: JobDocument, waitedMs: number): number {
  return endedAtMs === null ? waitedMs : Math.min(waitedMs, Math.max(0, endedAtMs - submittedAtMs))
}
