import type { Change } from '../change-feed-processor/index.js'
import { BackgroundLoop, type Clock, type Random } from '../platform/index.js'
import type { Telemetry } from '../telemetry/index.js'
import type { AlertSink } from './alert-sink.js'
import { DeadlineIndex, type Deadline } from './deadline-index.js'
import { alertDocumentId, decodeDocument, jobDocumentId } from './documents.js'
import { AlertFailed, raiseAlert } from './raise-alert.js'
import { sendReplies } from './reply-line.js'
import type { ReplyChannel } from './reply.js'
import { SerialByKey } from './serial-by-key.js'
import { defaultNoticeRetry, type NoticeRetry } from './settle-notice.js'
import type { StateStore } from './state-store.js'

/** Whom a notifier tells, and how. */
export interface NotifierSettings {
  /** Operators. Every alert is also an `alert.raised` event. Default: nobody else. */
  readonly alertSinks?: readonly AlertSink[]
  /** After how long an alert is raised again while the same is still the matter, in milliseconds. Default a day. */
  readonly remindAfterMs?: number
  /** How long a receiver or sink may take, in milliseconds. Default 10,000. */
  readonly sendTimeoutMs?: number
  /** Default: 30 tries in about four hours. */
  readonly noticeRetry?: NoticeRetry
  /** How often the store is asked for what nobody was told, in milliseconds. Default 60,000. */
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

/** Somebody to tell about a job: its submitter, or an operator. */
interface Line extends Deadline {
  readonly jobId: string
  readonly to: 'submitter' | 'operator'
}

/** Jobs whose people are told side by side; one that hangs holds one place for as long as a send may take. */
const linesAtOnce = 32
const sweepLimit = 1_000
/** What should have been sent this long ago is nobody's who lives: a sweep takes it up. */
const overlookedAfterMs = 30_000
/** A sink that failed is told again after this long. */
const retryAlertAfterMs = 30_000

/**
 * The delegate and the two loops of the notifier unit: tells submitters what their jobs' notices say (R118 to R122),
 * and operators what is the matter (R114). It writes notices and its own records, never a job or a step.
 *
 * The feed says which job has something to tell; what that is, is read when it is told. The delegate does not wait for
 * receivers, so one that hangs holds up its own job and nothing else (F-N3); what an instance forgets when it dies is
 * found by the **sweep**, on every lease acquired and every interval by the holder of the first range.
 *
 * States: idle → running (`start`) → stopping (`stop`) → idle.
 */
export class Notifier {
  private readonly due = new DeadlineIndex<Line>()
  private readonly jobs = new SerialByKey()
  private readonly sending: BackgroundLoop
  private readonly sweep: BackgroundLoop
  private readonly held = new Map<string, { readonly isFirst: boolean }>()
  private readonly running = new Set<Promise<void>>()
  private stopping = new AbortController()
  private isSweepDue = false

  constructor(private readonly options: NotifierOptions) {
    const { clock, telemetry } = options
    const failed = (loop: string) => (error: unknown) => {
      telemetry.emit({ type: 'loop.failed', loop, error })
      return 1_000
    }
    this.sending = new BackgroundLoop({
      clock,
      turn: () => Promise.resolve(this.beginDue()),
      onError: failed('notify'),
    })
    this.sweep = new BackgroundLoop({ clock, turn: () => this.sweepUntold(), onError: failed('sweep') })
  }

  start(): void {
    this.stopping = new AbortController()
    this.sending.start()
    this.sweep.start()
  }

  /** Cuts off what is being sent: it is sent again by whoever takes over. */
  async stop(): Promise<void> {
    this.stopping.abort()
    await Promise.all([this.sending.stop(), this.sweep.stop()])
    await Promise.all(this.running)
  }

  /** Notes which jobs have something to tell. */
  onChanges(changes: readonly Change[], leaseToken: string): void {
    const now = this.options.clock.now()
    for (const change of changes.filter(mayTell)) {
      const decoded = decodeDocument(change)
      if (decoded.kind === 'notice') {
        const { pk, jobId, completeByMs } = decoded.notice
        if (completeByMs !== null) this.note({ pk, jobId, to: 'submitter', dueMs: completeByMs, leaseToken })
      } else if (decoded.kind === 'job' && decoded.job.attention !== null) {
        const { pk, jobId } = decoded.job
        this.note({ pk, jobId, to: 'operator', dueMs: now, leaseToken })
      }
    }
    this.sending.wake()
  }

  /** What was delivered before, to another owner, is found by a sweep. */
  onLeaseAcquired(leaseToken: string, isFirstRange: boolean): void {
    this.held.set(leaseToken, { isFirst: isFirstRange })
    this.isSweepDue = true
    this.sweep.wake()
  }

  onLeaseReleased(leaseToken: string): void {
    this.held.delete(leaseToken)
    this.due.forgetLease(leaseToken)
  }

  private note({ pk, jobId, to, dueMs, leaseToken }: Omit<Line, 'id'>): void {
    const id = to === 'submitter' ? jobDocumentId(jobId) : alertDocumentId(jobId)
    this.due.set({ pk, id, jobId, to, dueMs, leaseToken })
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
      againMs = await this.jobs.run(`${line.pk}\n${line.id}`, () => this.toldUntil(line))
    } catch (error) {
      // What stops is not told on; another instance finds it.
      if (this.stopping.signal.aborted) return
      if (error instanceof AlertFailed) {
        const { jobId, workflow, alertId } = error.alert
        telemetry.emit({ type: 'alert.failed', jobId, workflow, alertId, error })
      } else {
        telemetry.emit({ type: 'loop.failed', loop: 'notify', error })
      }
      againMs = clock.now() + retryAlertAfterMs
    }
    const isOurs = line.leaseToken === null || this.held.has(line.leaseToken)
    if (againMs !== null && isOurs) this.note({ ...line, dueMs: againMs })
  }

  /** Tells what there is to tell; answers when there is more, or null. */
  private async toldUntil({ pk, jobId, to }: Line): Promise<number | null> {
    const { alertSinks: sinks = [], remindAfterMs = 86_400_000, sendTimeoutMs = 10_000 } = this.options
    const { noticeRetry: retry = defaultNoticeRetry } = this.options
    const common = { ...this.options, sendTimeoutMs, stop: this.stopping.signal }
    if (to === 'submitter') return sendReplies({ ...common, retry }, { pk, jobId })
    await raiseAlert({ ...common, sinks, remindAfterMs }, { pk, jobId })
    return null
  }

  private async sweepUntold(): Promise<number> {
    const holdsFirst = [...this.held.values()].some((lease) => lease.isFirst)
    if (!this.isSweepDue && !holdsFirst) return this.sweepIntervalMs
    const wasDue = this.isSweepDue
    this.isSweepDue = false
    try {
      await this.sweepOnce()
    } catch (error) {
      // What a new lease brings is found by this sweep or by none.
      this.isSweepDue ||= wasDue
      throw error
    }
    return this.sweepIntervalMs
  }

  private async sweepOnce(): Promise<void> {
    const { store, clock } = this.options
    const dueMs = clock.now()
    for (const { pk, jobId, type } of await store.listUntold(dueMs - overlookedAfterMs, sweepLimit)) {
      this.note({ pk, jobId, to: type === 'sas.job' ? 'operator' : 'submitter', dueMs, leaseToken: null })
    }
    this.sending.wake()
  }

  private get sweepIntervalMs(): number {
    return this.options.notifySweepIntervalMs ?? 60_000
  }
}

/** Most of what the feed brings is told to nobody, which shows before it is decoded. */
function mayTell({ type, attention }: Change): boolean {
  return type === 'sas.notify' || (type === 'sas.job' && attention !== null)
}
