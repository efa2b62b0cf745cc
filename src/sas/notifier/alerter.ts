import type { Clock } from '../../platform/index.js'
import { inSlices, BackgroundLoop } from '../../platform/internal.js'
import type { Telemetry } from '../../telemetry/index.js'
import type { AlertSink } from './alert-sink.js'
import { afterFailure, neverFailed, groupsOf, type SendState } from './alert-groups.js'
import { alertIdOf, alertOf, alertRecordOf, toldUntilMs, unreadableAlertOf, type Alert } from './alert.js'
import { CallBudget } from './call-budget.js'
import { DeadlineIndex, type Deadline } from '../timing/deadline-index.js'
import type { JobDocument } from '../model/documents.js'
import { alertDocumentId, jobDocumentId, stepDocumentId } from '../model/document-ids.js'
import { sendWithin } from './send-within.js'
import {
  replacing,
  type FlaggedJob,
  type StateDocument,
  type StateStore,
  type Stored,
} from '../store/state-store.js'
import { Sweep } from '../timing/sweep.js'
import { unreadableFlags, unreadableJob, type UnreadableFlag } from '../store/unreadable-jobs.js'
import { readJob, readStep } from '../store/update-document.js'

/** What an alerter works with. */
export interface AlerterOptions {
  readonly store: StateStore
  readonly sinks: readonly AlertSink[]
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly sendTimeoutMs: number
  /** After which an alert is raised once more while the same is still the matter. */
  readonly remindAfterMs: number
  readonly callsPerMinute: number
  readonly sweepIntervalMs: number
}

/** A job about which an alert may be due. */
interface Matter extends Deadline, SendState {
  readonly jobId: string
  readonly alertId: string
  /** Set if the job's document could not be read. */
  readonly unreadable: UnreadableFlag | null
  /** Sinks that have taken the alert, while others were not reached. */
  readonly takenBy: ReadonlySet<AlertSink>
}

/** A job about which an alert is due. */
interface Pending extends SendState {
  readonly matter: Matter
  readonly alert: Alert
  readonly record: Stored<StateDocument> | null
}

/** The most alerts of one call: a message that receivers take. */
const alertsOfOneCall = 250

const requestsAtOnce = 32

const sweepLimit = 1_000

/** How soon the next page of a sweep is asked for: each of its jobs may have to be read. */
const nextPageAfterMs = 1_000

/** Unreadable jobs come by the feed. Those that a former owner of a lease left are asked for at once, then this rarely. */
const unreadableEveryMs = 600_000

/** How long to wait before reading a job again that could not be read. */
const retryAfterMs = 30_000

/** Alerts remembered as told. A sweep brings them again, and need not read what they are about. */
const remembered = 50_000

/**
 * Alerts operators to flagged jobs (R114). An alert is recorded beside the job after every sink took it, so an instance that
 * dies in between causes a second alert rather than none (I15). An outage may flag thousands of jobs at once
 * (F-V18): if more alerts are due than calls are left in this minute, one call carries many.
 *
 * The feed says who is flagged. A sweep, in pages, finds what a dead instance forgot; no flag hides another.
 *
 * States: idle → running (`start`) → stopping (`stop`: cuts off the sinks) → idle.
 */
export class Alerter {
  private readonly due = new DeadlineIndex<Matter>()
  private readonly told = new Map<string, { readonly alertId: string; readonly untilMs: number }>()
  private readonly calls: CallBudget
  private readonly telling: BackgroundLoop
  private readonly sweep: Sweep
  private nextPageAfter: string | null = null
  private unreadableDueMs = 0
  private stopping = new AbortController()

  constructor(private readonly options: AlerterOptions) {
    const { clock, telemetry, callsPerMinute, sweepIntervalMs: intervalMs } = options
    this.calls = new CallBudget(options.sinks.length === 0 ? Infinity : callsPerMinute)
    this.telling = new BackgroundLoop({
      clock,
      turn: () => this.tellDue(),
      onError: (error) => {
        telemetry.emit({ type: 'loop.failed', loop: 'alert', error })
        return 1_000
      },
    })
    this.sweep = new Sweep({ clock, telemetry, intervalMs, ask: () => this.noteFlagged() })
  }

  start(): void {
    this.stopping = new AbortController()
    this.telling.start()
    this.sweep.start()
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    await Promise.all([this.telling.stop(), this.sweep.stop()])
  }

  /** Notes a job that the feed brought. */
  jobChanged({ pk, jobId, attention }: JobDocument, leaseToken: string): void {
    if (attention === null) return
    this.note({ pk, id: jobDocumentId(jobId), jobId, ...attention }, leaseToken)
    this.telling.wake()
  }

  /** Notes a job that the feed says could not be read. */
  jobUnreadable(flag: UnreadableFlag, leaseToken: string): void {
    this.noteUnreadable(flag, leaseToken)
    this.telling.wake()
  }

  leaseAcquired(leaseToken: string, isFirstRange: boolean): void {
    this.unreadableDueMs = 0
    this.sweep.leaseAcquired(leaseToken, isFirstRange)
  }

  leaseReleased(leaseToken: string): void {
    this.sweep.leaseReleased(leaseToken)
    this.due.forgetLease(leaseToken)
  }

  private async noteFlagged(): Promise<number> {
    const flagged = await this.options.store.listFlagged(this.nextPageAfter, sweepLimit)
    for (const job of flagged) this.note(job, null)
    if (this.options.clock.now() >= this.unreadableDueMs) {
      for (const flag of await unreadableFlags(this.options.store)) this.noteUnreadable(flag, null)
      this.unreadableDueMs = this.options.clock.now() + unreadableEveryMs
    }
    this.telling.wake()
    const last = flagged.at(-1)
    const isWhole = last === undefined || flagged.length < sweepLimit
    this.nextPageAfter = isWhole ? null : last.since
    return isWhole ? this.options.sweepIntervalMs : nextPageAfterMs
  }

  private note(job: FlaggedJob, leaseToken: string | null): void {
    const { pk, id, jobId } = job
    this.noteMatter({ pk, id, jobId, alertId: alertIdOf(job), unreadable: null, leaseToken })
  }

  private noteUnreadable(flag: UnreadableFlag, leaseToken: string | null): void {
    const { pk, documentId: id, jobId, since } = flag
    const alertId = alertIdOf({ jobId, kind: 'unreadable', stepId: null, since })
    this.noteMatter({ pk, id, jobId, alertId, unreadable: flag, leaseToken })
  }

  private noteMatter(matter: Omit<Matter, 'dueMs' | 'takenBy' | keyof SendState>): void {
    const now = this.options.clock.now()
    const told = this.told.get(keyOf(matter))
    if (told?.alertId === matter.alertId && now < told.untilMs) return
    if (this.due.get(matter)?.alertId === matter.alertId) return
    this.due.set({ ...matter, dueMs: now, takenBy: new Set(), ...neverFailed })
  }

  private async tellDue(): Promise<number> {
    const { clock, sweepIntervalMs } = this.options
    const waitMs = this.calls.freeInMs(clock.now())
    if (waitMs > 0) return waitMs
    const matters = this.due.takeDue(clock.now(), alertsOfOneCall)
    const looks = await inSlices(matters, requestsAtOnce, (matter) => this.look(matter))
    this.report(looks)
    for (const [index, look] of looks.entries()) {
      const matter = matters[index]
      if (look.status === 'rejected' && matter !== undefined) this.again(matter, retryAfterMs)
    }
    const pending = looks.flatMap((look) =>
      look.status === 'fulfilled' && look.value !== null ? [look.value] : [],
    )
    const { now, later } = groupsOf(pending, this.calls.free(clock.now()))
    for (const { matter } of later) this.again(matter, 0)
    await inSlices(now, requestsAtOnce, (group) => this.tell(group))
    const next = this.due.next()
    return next === null ? sweepIntervalMs : Math.max(0, next - clock.now())
  }

  /** What there is to tell about a job now; null for nothing, or nothing new. */
  private async look(matter: Matter): Promise<Pending | null> {
    const { store } = this.options
    const { pk, jobId } = matter
    const alert = await this.alertAbout(matter)
    if (alert === null) return null
    const record = await store.read({ pk, id: alertDocumentId(jobId) })
    if (record?.['alertId'] === alert.alertId) {
      this.remember(matter, alert, toldUntilMs(record))
      return null
    }
    const isAsNoted = matter.alertId === alert.alertId
    const other = { ...matter, alertId: alert.alertId, takenBy: new Set<AlertSink>(), ...neverFailed }
    const known = isAsNoted ? matter : other
    const { atMost, failures } = known
    return { matter: known, alert, record, atMost, failures }
  }

  private async alertAbout({ pk, id, unreadable }: Matter): Promise<Alert | null> {
    const { store } = this.options
    if (unreadable !== null) {
      const job = await unreadableJob(store, unreadable)
      if (job !== null) return unreadableAlertOf(job)
    }
    const job = await readJob(store, { pk, id })
    return job === null ? null : alertOf(job, [])
  }

  /** Makes one call to each sink that does not know all of these yet, and records which alerts are known to all. */
  private async tell(group: readonly Pending[]): Promise<void> {
    const { clock, telemetry, sinks } = this.options
    this.calls.take(clock.now())
    const [only, ...more] = group
    const isOne = only !== undefined && more.length === 0
    const told = isOne ? [{ ...only, alert: await this.withDiagnostics(only) }] : group
    const results = await Promise.allSettled(sinks.map((sink) => this.tellSink(sink, told)))
    const failed = results.find((result) => result.status === 'rejected')
    if (failed === undefined) {
      this.report(await inSlices(told, requestsAtOnce, (pending) => this.record(pending)))
      return
    }
    // What stops is not told on; another instance finds it.
    if (this.stopping.signal.aborted) return
    const took = sinks.filter((_, index) => results[index]?.status === 'fulfilled')
    for (const { matter } of told) {
      const { afterMs, ...telling } = afterFailure(matter, told.length, failed.reason)
      this.again({ ...matter, ...telling, takenBy: new Set([...matter.takenBy, ...took]) }, afterMs)
    }
    for (const { alert } of told.slice(0, 1)) {
      const { jobId, workflow, alertId } = alert
      const count = told.length
      telemetry.emit({ type: 'alert.failed', jobId, workflow, alertId, count, error: failed.reason })
    }
  }

  private async tellSink(sink: AlertSink, group: readonly Pending[]): Promise<void> {
    const { clock, sendTimeoutMs: limitMs } = this.options
    const alerts = group.flatMap(({ matter, alert }) => (matter.takenBy.has(sink) ? [] : [alert]))
    if (alerts.length === 0) return
    await sendWithin({ clock, limitMs, stop: this.stopping.signal }, (signal) => sink(alerts, signal))
  }

  /** As it is where they cannot be read: an alert without them is better than none. */
  private async withDiagnostics({ matter: { pk, jobId }, alert }: Pending): Promise<Alert> {
    const { store, sinks } = this.options
    if (alert.stepId === null || sinks.length === 0) return alert
    const address = { pk, id: stepDocumentId(jobId, alert.stepId) }
    const step = await readStep(store, address).catch(() => null)
    return { ...alert, diagnostics: step?.diagnostics ?? [] }
  }

  private async record({ matter, alert, record: before }: Pending): Promise<void> {
    const { store, clock, telemetry, remindAfterMs } = this.options
    const { jobId, workflow, alertId, stepId, kind, message } = alert
    telemetry.emit({ type: 'alert.raised', jobId, workflow, alertId, stepId, kind, message })
    const { pk } = matter
    const after = alertRecordOf(alert, { pk, now: clock.now(), remindAfterMs })
    const write = before === null ? { kind: 'create' as const, document: after } : replacing(before, after)
    const result = await store.apply(pk, [write])
    // A rival that recorded its own alert first has told the same; a sweep looks.
    if (result.kind === 'applied') this.remember(matter, alert, clock.now() + remindAfterMs)
  }

  private remember(matter: Matter, { alertId }: Alert, untilMs: number): void {
    const key = keyOf(matter)
    this.told.delete(key)
    this.told.set(key, { alertId, untilMs })
    for (const oldest of this.told.keys()) {
      if (this.told.size <= remembered) return
      this.told.delete(oldest)
    }
  }

  private report(results: readonly PromiseSettledResult<unknown>[]): void {
    const failed = results.find((result) => result.status === 'rejected')
    if (failed === undefined) return
    this.options.telemetry.emit({ type: 'loop.failed', loop: 'alert', error: failed.reason })
  }

  private again(matter: Matter, afterMs: number): void {
    const isOurs = matter.leaseToken === null || this.sweep.holds(matter.leaseToken)
    if (isOurs) this.due.set({ ...matter, dueMs: this.options.clock.now() + afterMs })
  }
}

function keyOf({ pk, jobId }: Pick<Matter, 'pk' | 'jobId'>): string {
  return `${pk}\n${jobId}`
}
