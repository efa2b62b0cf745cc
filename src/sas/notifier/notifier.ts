import type { Change } from '../../change-feed-processor/index.js'
import type { Clock, Random } from '../../platform/index.js'
import { BackgroundLoop, SerialByKey } from '../../platform/internal.js'
import type { Telemetry } from '../../telemetry/index.js'
import type { AlertSink } from './alert-sink.js'
import { Alerter } from './alerter.js'
import { DeadlineIndex, type Deadline } from '../timing/deadline-index.js'
import { jobDocumentId } from '../model/document-ids.js'
import { decodeDocument } from '../model/decode.js'
import { sendReplies } from './send-replies.js'
import type { ReplyChannel } from './reply.js'
import { defaultNoticeRetry, type NoticeRetry } from '../decisions/settle-notice.js'
import type { StateStore } from '../store/state-store.js'
import { Sweep } from '../timing/sweep.js'
import { flagIn } from '../store/unreadable-jobs.js'

/** The receivers of a notifier's alerts, and its limits. */
export interface NotifierSettings {
  /** Receivers of alerts. Every alert is also an `alert.raised` event. Default: none. */
  readonly alertSinks?: readonly AlertSink[]
  /**
   * How many times per minute one instance may call each sink. If more jobs are flagged, one call carries up to 250
   * alerts. Default 20.
   */
  readonly alertCallsPerMinute?: number
  /** After how long an alert is raised again if the problem still exists, in milliseconds. Default: one day. */
  readonly remindAfterMs?: number
  /** How long a receiver or sink may take, in milliseconds. Default 10,000. */
  readonly sendTimeoutMs?: number
  /** How often and at which intervals notices are tried. Default: 30 tries in about four hours. */
  readonly noticeRetry?: NoticeRetry
  /** The interval of the queries for unsent notices and flagged jobs, in milliseconds. Default 60,000. */
  readonly notifySweepIntervalMs?: number
}

export interface NotifierOptions extends NotifierSettings {
  readonly store: StateStore
  readonly channel: ReplyChannel
  readonly instanceName: string
  readonly clock: Clock
  readonly random: Random
  readonly telemetry: Telemetry
}

/** A job with notices to send. */
interface Line extends Deadline {
  readonly jobId: string
}

const defaultSendTimeoutMs = 10_000
/** How many jobs have notices sent in parallel. A receiver that hangs holds one place for up to the send timeout. */
const linesAtOnce = 32
const sweepLimit = 1_000
/** The pause before the next page of a sweep, because the sends of a page take some time. */
const nextPageAfterMs = 1_000
/** After this time overdue, a notice counts as having no running sender, and a sweep takes it up. */
const overlookedAfterMs = 30_000
/** The pause before a job is tried again whose notices could not be read or recorded. */
const retryAfterMs = 30_000

/**
 * The delegate of the notifier unit. It sends the notices of jobs to their submitters (R118 to R122) and alerts
 * operators ({@link Alerter}). It writes notices and its own records, never a job or a step.
 *
 * The feed only says which job has notices. The notices are read when they are sent. The delegate does not wait for
 * receivers, so a receiver that hangs delays only its own job (F-N3). The **sweep** finds the notices that an instance
 * left behind when it died.
 *
 * It is idle, then running after `start`, then stopping after `stop`, then idle again.
 */
export class Notifier {
  private readonly due = new DeadlineIndex<Line>()
  private readonly jobs = new SerialByKey()
  private readonly alerter: Alerter
  private readonly sending: BackgroundLoop
  private readonly sweep: Sweep
  private readonly sweepIntervalMs: number
  private readonly running = new Set<Promise<void>>()
  /** The due time after which the next page of the sweep begins. */
  private unsentAfterMs = 0
  private stopping = new AbortController()

  constructor(private readonly options: NotifierOptions) {
    const { store, clock, telemetry, notifySweepIntervalMs = 60_000 } = options
    this.sweepIntervalMs = notifySweepIntervalMs
    this.sending = new BackgroundLoop({
      clock,
      turn: () => Promise.resolve(this.beginDue()),
      onError: (error) => {
        telemetry.emit({ type: 'loop.failed', loop: 'notify', error })
        return 1_000
      },
    })
    this.sweep = new Sweep({
      clock,
      telemetry,
      intervalMs: notifySweepIntervalMs,
      ask: () => this.noteUnsent(),
    })
    this.alerter = new Alerter({
      store,
      clock,
      telemetry,
      sinks: options.alertSinks ?? [],
      sendTimeoutMs: options.sendTimeoutMs ?? defaultSendTimeoutMs,
      remindAfterMs: options.remindAfterMs ?? 86_400_000,
      callsPerMinute: options.alertCallsPerMinute ?? 20,
      sweepIntervalMs: notifySweepIntervalMs,
    })
  }

  start(): void {
    this.stopping = new AbortController()
    this.sending.start()
    this.sweep.start()
    this.alerter.start()
  }

  /** Aborts running sends. The instance that takes over sends these notices again. */
  async stop(): Promise<void> {
    this.stopping.abort()
    await Promise.all([this.sending.stop(), this.sweep.stop(), this.alerter.stop()])
    await Promise.all(this.running)
  }

  /** Notes which jobs have notices or alerts to send. */
  onChanges(changes: readonly Change[], leaseToken: string): void {
    for (const change of changes.filter(mayTell)) {
      if (change['type'] === 'sas.unreadable') this.alerter.jobUnreadable(flagIn(change), leaseToken)
      const decoded = decodeDocument(change)
      if (decoded.kind === 'job') this.alerter.jobChanged(decoded.job, leaseToken)
      if (decoded.kind !== 'notice') continue
      const { pk, jobId, completeByMs } = decoded.notice
      if (completeByMs !== null) this.note({ pk, jobId, dueMs: completeByMs, leaseToken })
    }
    this.sending.wake()
  }

  /** Starts a sweep, which finds the changes that were delivered to the previous owner. */
  onLeaseAcquired(leaseToken: string, isFirstRange: boolean): void {
    this.sweep.leaseAcquired(leaseToken, isFirstRange)
    this.alerter.leaseAcquired(leaseToken, isFirstRange)
  }

  onLeaseReleased(leaseToken: string): void {
    this.sweep.leaseReleased(leaseToken)
    this.alerter.leaseReleased(leaseToken)
    this.due.forgetLease(leaseToken)
  }

  private note(line: Omit<Line, 'id'>): void {
    this.due.set({ ...line, id: jobDocumentId(line.jobId) })
  }

  private beginDue(): number {
    const { clock } = this.options
    for (const line of this.due.takeDue(clock.now(), linesAtOnce - this.running.size)) {
      const telling = this.tell(line).finally(() => {
        this.running.delete(telling)
        this.sending.wake()
      })
      this.running.add(telling)
    }
    const next = this.due.next()
    // The loop wakes when a place becomes free.
    if (next === null || this.running.size >= linesAtOnce) return this.sweepIntervalMs
    return Math.max(0, next - clock.now())
  }

  private async tell(line: Line): Promise<void> {
    const { clock, telemetry } = this.options
    let againMs: number | null
    try {
      againMs = await this.jobs.run(`${line.pk}\n${line.id}`, () => this.send(line))
    } catch (error) {
      // When this instance stops, another one finds the notice.
      if (this.stopping.signal.aborted) return
      telemetry.emit({ type: 'loop.failed', loop: 'notify', error })
      againMs = clock.now() + retryAfterMs
    }
    const isOurs = line.leaseToken === null || this.sweep.holds(line.leaseToken)
    if (againMs !== null && isOurs) this.note({ ...line, dueMs: againMs })
  }

  /** Sends the due notices of a job. Returns when the next one is due, or null. */
  private send(place: Line): Promise<number | null> {
    const { sendTimeoutMs = defaultSendTimeoutMs, noticeRetry: retry = defaultNoticeRetry } = this.options
    const stop = this.stopping.signal
    return sendReplies({ ...this.options, retry, sendTimeoutMs, stop }, place)
  }

  private async noteUnsent(): Promise<number> {
    const { store, clock } = this.options
    const dueMs = clock.now()
    const due = { afterMs: this.unsentAfterMs, beforeMs: dueMs - overlookedAfterMs }
    const unsent = await store.listUnsent(due, sweepLimit)
    for (const { pk, jobId } of unsent) {
      const isWaitedFor = this.due.get({ pk, id: jobDocumentId(jobId) }) !== undefined
      if (!isWaitedFor) this.note({ pk, jobId, dueMs, leaseToken: null })
    }
    this.sending.wake()
    const last = unsent.at(-1)
    const isWhole = last === undefined || unsent.length < sweepLimit
    this.unsentAfterMs = isWhole ? 0 : last.dueMs
    return isWhole ? this.sweepIntervalMs : nextPageAfterMs
  }
}

/** Checks before decoding whether a change may need a notice or an alert. Most changes need neither. */
function mayTell({ type, attention }: Change): boolean {
  return type === 'sas.notify' || type === 'sas.unreadable' || (type === 'sas.job' && attention !== null)
}
