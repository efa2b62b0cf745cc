import type { Change } from '../../change-feed-processor/index.js'
import { BackgroundLoop, type Clock, type Random } from '../../platform/index.js'
import type { Telemetry } from '../../telemetry/index.js'
import type { AlertSink } from './alert-sink.js'
import { Alerter } from './alerter.js'
import { DeadlineIndex, type Deadline } from '../timing/deadline-index.js'
import { jobDocumentId } from '../model/document-ids.js'
import { decodeDocument } from '../model/decode.js'
import { sendReplies } from './reply-line.js'
import type { ReplyChannel } from './reply.js'
import { SerialByKey } from '../timing/serial-by-key.js'
import { defaultNoticeRetry, type NoticeRetry } from '../decisions/settle-notice.js'
import type { StateStore } from '../store/state-store.js'
import { Sweep } from '../timing/sweep.js'
import { flagIn } from '../store/unreadable-jobs.js'

/** The receivers of a notifier's alerts, and its limits. */
export interface NotifierSettings {
  /** Receivers of alerts. Every alert is also an `alert.raised` event. Default: none. */
  readonly alertSinks?: readonly AlertSink[]
  /**
   * How often each sink is called in a minute, at most, by one instance. If more jobs are flagged, one call
   * carries up to 250 alerts. Default 20.
   */
  readonly alertCallsPerMinute?: number
  /** After how long an alert is raised again while the same is still the matter, in milliseconds. Default a day. */
  readonly remindAfterMs?: number
  /** How long a receiver or sink may take, in milliseconds. Default 10,000. */
  readonly sendTimeoutMs?: number
  /** Default: 30 tries in about four hours. */
  readonly noticeRetry?: NoticeRetry
  /** How often the store is asked for unsent notices and alerts, in milliseconds. Default 60,000. */
  readonly notifySweepIntervalMs?: number
}

/** What a notifier works with. */
export interface NotifierOptions extends NotifierSettings {
  readonly store: StateStore
  readonly channel: ReplyChannel
  readonly instanceName: string
  readonly clock: Clock
  readonly random: Random
  readonly telemetry: Telemetry
}

/** A job whose submitter is to be told. */
interface Line extends Deadline {
  readonly jobId: string
}

const defaultSendTimeoutMs = 10_000
/** Jobs whose submitters are told side by side; one that hangs holds one place for as long as a send may take. */
const linesAtOnce = 32
const sweepLimit = 1_000
/** How soon the next page of a sweep is asked for: the sends of one need a while. */
const nextPageAfterMs = 1_000
/** A notice that is overdue by this much has no living sender: a sweep takes it up. */
const overlookedAfterMs = 30_000
/** A job whose notices could not be read is looked at again after this long. */
const retryAfterMs = 30_000

/**
 * The delegate of the notifier unit: tells submitters what their jobs' notices say (R118 to R122), and has operators
 * told what is the matter ({@link Alerter}). It writes notices and its own records, never a job or a step.
 *
 * The feed says which job has something to tell; what that is, is read when it is told. The delegate does not wait for
 * receivers, so one that hangs holds up its own job and nothing else (F-N3); what an instance forgets when it dies is
 * found by the **sweep**.
 *
 * States: idle → running (`start`) → stopping (`stop`) → idle.
 */
export class Notifier {
  private readonly due = new DeadlineIndex<Line>()
  private readonly jobs = new SerialByKey()
  private readonly alerter: Alerter
  private readonly sending: BackgroundLoop
  private readonly sweep: Sweep
  private readonly sweepIntervalMs: number
  private readonly running = new Set<Promise<void>>()
  /** The sweep's next page begins after it. */
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

  /** Cuts off sends that are under way. The instance that takes over sends them again. */
  async stop(): Promise<void> {
    this.stopping.abort()
    await Promise.all([this.sending.stop(), this.sweep.stop(), this.alerter.stop()])
    await Promise.all(this.running)
  }

  /** Notes which jobs have something to tell. */
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

  /** What was delivered before, to another owner, is found by a sweep. */
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
    // Woken when a place becomes free.
    if (next === null || this.running.size >= linesAtOnce) return this.sweepIntervalMs
    return Math.max(0, next - clock.now())
  }

  private async tell(line: Line): Promise<void> {
    const { clock, telemetry } = this.options
    let againMs: number | null
    try {
      againMs = await this.jobs.run(`${line.pk}\n${line.id}`, () => this.send(line))
    } catch (error) {
      // What stops is not told on; another instance finds it.
      if (this.stopping.signal.aborted) return
      telemetry.emit({ type: 'loop.failed', loop: 'notify', error })
      againMs = clock.now() + retryAfterMs
    }
    const isOurs = line.leaseToken === null || this.sweep.holds(line.leaseToken)
    if (againMs !== null && isOurs) this.note({ ...line, dueMs: againMs })
  }

  /** Sends what there is to send; answers when there is more, or null. */
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

/** Whether a change may need a notice or an alert. Most need neither, which shows before they are decoded. */
function mayTell({ type, attention }: Change): boolean {
  return type === 'sas.notify' || type === 'sas.unreadable' || (type === 'sas.job' && attention !== null)
}
