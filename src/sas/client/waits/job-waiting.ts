import type { Clock } from '../../../platform/index.js'
import { beginPause, isAborted } from '../../../platform/internal.js'
import type { EndedJob, EndHints, JobAddress, WakeUps } from '../../in-process/job-endings.js'
import type { JobDocument } from '../../model/documents.js'
import { isTerminal } from '../../model/process-state.js'
import type { DocumentAddress, StateDocument, StateStore, Stored } from '../../store/state-store.js'
import { Together } from '../../store/together.js'
import { readableJob } from '../../store/unreadable-jobs.js'
import { Outage } from './outage.js'
import { WaitPace, type Accepted } from './wait-pace.js'

/** The pause between two reads of a job's changes. It grows from `minMs` to `maxMs`. */
const rest = { minMs: 20, maxMs: 1_000 }
/** A job cannot have ended within this time after its acceptance, so it is not read earlier. */
const freshMs = 10

export interface JobWaitingParts {
  readonly store: StateStore
  readonly clock: Clock
  /** Wakes the callers that wait for a job's result when the job ends in this process. */
  readonly wakeUps?: WakeUps
  /** Tells callers that wait for a job when it may have ended in another process. */
  readonly endHints?: EndHints
}

/**
 * Waits for the ends of jobs. The end of a job in this process is reported directly. To find any other end,
 * this class reads the job. A hint of the process that ended the job makes this read earlier.
 */
export class JobWaiting {
  private readonly pace = new WaitPace()
  /** Reads of jobs share requests (ADR 0083). */
  private readonly reads: Together<DocumentAddress, Stored<StateDocument> | null>
  private waits = 0

  constructor(private readonly parts: JobWaitingParts) {
    const { store, clock } = parts
    this.reads = new Together({
      clock,
      alone: (address) => store.read(address),
      together: (addresses) => store.readMany(addresses).catch(() => []),
    })
  }

  /** Reads the job, or returns null. Throws `JobUnreadable` if its document cannot be decoded. */
  read(address: DocumentAddress): Promise<JobDocument | null> {
    return readableJob({ read: (job) => this.reads.ask(job) }, address)
  }

  /** Pauses after `idleLooks` reads without a change, unless the job ends in this process. */
  async rest(job: JobAddress, idleLooks: number, signal?: AbortSignal): Promise<void> {
    const restMs = Math.min(rest.maxMs, rest.minMs * 2 ** Math.min(idleLooks, 10))
    await this.orEndedHere(job, (over) => this.parts.clock.sleep(restMs, over), signal)
  }

  /**
   * Waits for the end of the job and returns the ended job, or null if the job does not exist. If the job
   * ends in this process, returns the written job without a request. Throws the signal's reason if the signal
   * aborts first.
   *
   * @param accepted the workflow and the time of the submission if this process submitted the job; null otherwise
   */
  async untilEnded(
    address: JobAddress,
    accepted: Accepted | null,
    signal?: AbortSignal,
  ): Promise<EndedJob | null> {
    const hint = this.hintOf(address, accepted?.physicalRangeId ?? null)
    this.waits += 1
    try {
      const poll = (over: AbortSignal) => this.polled(address, accepted, hint, over)
      const ended = await this.orEndedHere(address, poll, signal)
      if (ended === null) return null
      const isHere = 'job' in ended
      const job = isHere ? ended.job : ended
      if (accepted !== null) {
        const waitedMs = this.parts.clock.now() - accepted.atMs
        this.pace.note(job.workflow, tookMs(job, waitedMs), isHere || hint.isGiven ? 'heard' : 'read')
      }
      return isHere ? ended : { job, steps: null }
    } finally {
      this.waits -= 1
      hint.unsubscribe()
    }
  }

  /** Reads the job, with growing pauses, until the job has ended. Returns null if the job does not exist. */
  private async polled(
    address: JobAddress,
    accepted: Accepted | null,
    hint: Hint,
    signal: AbortSignal,
  ): Promise<JobDocument | null> {
    const { pace } = this
    const { clock } = this.parts
    const pause = (since: Accepted) => hint.orSlept(pace.restMs(since, clock.now(), this.waits), signal)
    if (accepted !== null && clock.now() - accepted.atMs < freshMs) await pause(accepted)
    const outage = new Outage(clock)
    for (;;) {
      signal.throwIfAborted()
      try {
        const job = await this.read(address)
        if (job === null || isTerminal(job)) return job
        outage.end()
        await pause(accepted ?? { workflow: job.workflow, atMs: job.submittedAtMs })
      } catch (error) {
        await hint.orSlept(outage.pauseAfter(error), signal)
      }
    }
  }

  /** Subscribes to the hint that the job may have ended. */
  private hintOf(job: JobAddress, physicalRangeId: string | null): Hint {
    const { clock, endHints } = this.parts
    const hint = new Hint(clock)
    hint.unsubscribe = endHints?.subscribe(job, physicalRangeId, () => hint.give()) ?? hint.unsubscribe
    return hint
  }

  /**
   * Waits until `poll` resolves or the job ends in this process, whichever comes first, and returns that
   * result. Throws the reason of the caller's signal if that aborts first. The signal of `poll` aborts then, or when
   * `poll` is no longer needed.
   */
  private async orEndedHere<T>(
    job: JobAddress,
    poll: (over: AbortSignal) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T | EndedJob> {
    const over = new AbortController()
    let stop = (): void => undefined
    // A read that gets no answer must not hold the caller.
    const stopped = new Promise<never>((_resolve, reject) => {
      stop = () => {
        over.abort(signal?.reason)
        reject(signal?.reason as Error)
      }
    })
    if (isAborted(signal)) stop()
    signal?.addEventListener('abort', stop, { once: true })
    let unsubscribe: (() => void) | undefined
    const endedHere = new Promise<EndedJob>((resolve) => {
      unsubscribe = this.parts.wakeUps?.subscribe(job, resolve)
    })
    try {
      return await Promise.race([endedHere, poll(over.signal), stopped])
    } finally {
      over.abort(notNeeded)
      unsubscribe?.()
      signal?.removeEventListener('abort', stop)
    }
  }
}

/**
 * The reason with which a read ends if its result is no longer needed. All waits share this error, because making one takes
 * longer than all other work at the end of a wait.
 */
const notNeeded = new Error('The result of this wait is not needed.')

/** A hint that ends the pause before the next read. A hint during a read lets the next pause be skipped. */
class Hint {
  isGiven = false
  unsubscribe = (): void => undefined
  private isPending = false
  private endPause: (() => void) | null = null

  constructor(private readonly clock: Clock) {}

  give(): void {
    this.isGiven = true
    this.isPending = true
    this.endPause?.()
  }

  /** Resolves after the pause, when `signal` aborts, or when the hint is given. */
  async orSlept(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.isPending && !signal.aborted) {
      const pause = beginPause(this.clock, ms, signal)
      this.endPause = pause.end
      await pause.over
      this.endPause = null
    }
    this.isPending = false
  }
}

/**
 * Returns the time that a job took, from 0 to `waitedMs`. The two times in the job may come from two clocks,
 * so their difference alone may be wrong.
 */
function tookMs({ submittedAtMs, endedAtMs }: JobDocument, waitedMs: number): number {
  return endedAtMs === null ? waitedMs : Math.min(waitedMs, Math.max(0, endedAtMs - submittedAtMs))
}
