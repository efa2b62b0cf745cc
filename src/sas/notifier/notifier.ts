import type { ResolvedRetry } from '../../platform/internal.js'
import type { AlertSink } from './alert-sink.js'
import { Alerter } from './alerter.js'
import type { DueEntry } from '../timing/due-entries.js'
import { DueWork, forEachEntry } from '../timing/due-work.js'
import type { StateChange } from '../model/delivered/state-change.js'
import { jobDocumentId } from '../model/document-ids.js'
import { decodeDelivered } from '../model/delivered/decode-delivered.js'
import { sendReplies, type SendRepliesOptions } from './send-replies.js'
import { mustRead } from '../decisions/readers.js'
import { flagIn } from '../store/unreadable-jobs.js'

export interface NotifierOptions extends Omit<SendRepliesOptions, 'retry' | 'stop'> {
  readonly alertSinks: readonly AlertSink[]
  readonly alertCallsPerMinute: number
  readonly remindAfterMs: number
  readonly noticeRetry: ResolvedRetry
  readonly sweepIntervalMs: number
}

/** A job with notices to send. */
interface NoticeQueueEntry extends DueEntry {
  readonly jobId: string
}

/**
 * The number of jobs whose notices are sent in parallel. A receiver that hangs occupies one of these places.
 */
const jobsAtOnce = 32
/** A sweep sends a notice that has been overdue for this time, because no other instance has sent it. */
const overlookedAfterMs = 30_000
/** The pause before the next try for a job whose notices could not be read or recorded. */
const retryAfterMs = 30_000

/**
 * The delegate of the notifier unit. It sends the notices of jobs to their submitters (R118 to R122) and
 * alerts operators ({@link Alerter}). It writes notices and its own records, but never a job or a step.
 *
 * The feed only reports which job has notices, and the notices are read when they are sent. The delegate does
 * not wait for receivers, so a receiver that hangs delays only its own job (F-N3).
 *
 * The notifier is idle, then running after `start`, then stopping after `stop`, then idle again.
 */
export class Notifier {
  private readonly notices: DueWork<NoticeQueueEntry>
  private readonly alerter: Alerter

  constructor(private readonly options: NotifierOptions) {
    const { store, clock, telemetry, sweepIntervalMs, sendTimeoutMs, noticeRetry: retry } = options
    this.notices = new DueWork({
      clock,
      telemetry,
      name: 'notify',
      runsAtOnce: jobsAtOnce,
      retryAfterMs,
      sweepIntervalMs,
      list: (last, limit) => this.listUnsent(last, limit),
      // A sweep lists a notice again while it waits for its next try, or for an earlier notice.
      isNews: ({ leaseToken }, known) => leaseToken !== null || known === null,
      run: forEachEntry((entry, stop) => sendReplies({ ...options, retry, stop }, entry)),
    })
    this.alerter = new Alerter({
      store,
      clock,
      telemetry,
      sinks: options.alertSinks,
      sendTimeoutMs,
      remindAfterMs: options.remindAfterMs,
      callsPerMinute: options.alertCallsPerMinute,
      sweepIntervalMs,
    })
  }

  start(): void {
    this.notices.start()
    this.alerter.start()
  }

  /** Aborts running sends. The next instance sends these notices again. */
  async stop(): Promise<void> {
    await Promise.all([this.notices.stop(), this.alerter.stop()])
  }

  onChanges(changes: readonly StateChange[], leaseToken: string): void {
    for (const change of changes.filter(mustRead.notifier)) {
      if (change.type === 'sas.unreadable') this.alerter.jobUnreadable(flagIn(change), leaseToken)
      const decoded = decodeDelivered(change)
      if (decoded.kind === 'job') this.alerter.jobChanged(decoded.job, leaseToken)
      if (decoded.kind !== 'notice') continue
      const { completeByMs } = decoded.notice
      if (completeByMs !== null) this.notices.note(entryOf(decoded.notice, completeByMs, leaseToken))
    }
  }

  onLeaseAcquired(leaseToken: string, isFirstRange: boolean): void {
    this.notices.leaseAcquired(leaseToken, isFirstRange)
    this.alerter.leaseAcquired(leaseToken, isFirstRange)
  }

  onLeaseReleased(leaseToken: string): void {
    this.notices.leaseReleased(leaseToken)
    this.alerter.leaseReleased(leaseToken)
  }

  private async listUnsent(last: NoticeQueueEntry | null, limit: number): Promise<NoticeQueueEntry[]> {
    const { store, clock } = this.options
    const due = { afterMs: last?.dueMs ?? 0, beforeMs: clock.now() - overlookedAfterMs }
    const unsent = await store.listUnsent(due, limit)
    return unsent.map((notice) => entryOf(notice, notice.dueMs, null))
  }
}

/** Returns the entry for the job of a notice, because a job's notices are sent one after another. */
function entryOf(
  { pk, jobId }: { readonly pk: string; readonly jobId: string },
  dueMs: number,
  leaseToken: string | null,
): NoticeQueueEntry {
  return { pk, jobId, id: jobDocumentId(jobId), dueMs, leaseToken }
}
