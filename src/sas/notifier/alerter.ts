import { neverFailed } from './alert-groups.js'
import { alertIdOf, type Problem } from './alert.js'
import { CallBudget } from './call-budget.js'
import type { JobDocument } from '../model/documents.js'
import { jobDocumentId } from '../model/document-ids.js'
import { sendAlerts, type AlertOptions, type PendingAlert } from './send-alerts.js'
import type { DocumentAddress } from '../store/state-store.js'
import { DueWork } from '../timing/due-work.js'
import { unreadableFlags, type UnreadableFlag } from '../store/unreadable-jobs.js'

export interface AlerterOptions extends AlertOptions {
  readonly callsPerMinute: number
  readonly sweepIntervalMs: number
}

/** The largest number of alerts in one call. Receivers accept a message of this size. */
const alertsOfOneCall = 250

/**
 * The interval between queries for unreadable jobs. The feed delivers the jobs that become unreadable while
 * this instance owns the lease. The queries find the jobs that became unreadable before. The first query
 * follows when a lease is acquired.
 */
const unreadableEveryMs = 600_000

/**
 * The largest number of remembered alerts. A sweep lists the jobs of these alerts again, but need not read
 * them.
 */
const remembered = 50_000

/**
 * Alerts operators to flagged jobs, at least once for each problem (R114, I15). An outage may flag thousands
 * of jobs at the same time (F-V18). If the remaining calls of this minute are fewer than the due alerts, one
 * call contains many alerts.
 *
 * The alerter is idle, then running after `start`, then stopping after `stop`, then idle again. `stop` aborts
 * running calls of sinks.
 */
export class Alerter {
  private readonly work: DueWork<PendingAlert>
  /** The alerts that were already raised, oldest first, with the time when each is due again. */
  private readonly alerted = new Map<string, number>()
  private unreadableDueMs = 0

  constructor(private readonly options: AlerterOptions) {
    const { clock, sinks, callsPerMinute } = options
    const calls = new CallBudget(sinks.length === 0 ? Infinity : callsPerMinute)
    const onAlerted = this.remember.bind(this)
    this.work = new DueWork({
      ...options,
      name: 'alert',
      // Only one run at a time, so that alerts can share calls.
      runsAtOnce: 1,
      entriesPerRun: alertsOfOneCall,
      retryAfterMs: 30_000,
      list: (last, limit) => this.listFlagged(last, limit),
      isNews: (pending, known) => pending.alertId !== known?.alertId && !this.isAlerted(pending),
      pauseMs: () => calls.freeInMs(clock.now()),
      run: (due, stop) => sendAlerts({ ...options, calls, onAlerted, stop }, due),
    })
  }

  start(): void {
    this.work.start()
  }

  stop(): Promise<void> {
    return this.work.stop()
  }

  jobChanged({ pk, jobId, attention }: JobDocument, leaseToken: string): void {
    if (attention === null) return
    const { kind, stepId, since } = attention
    this.work.note(this.pending({ pk, id: jobDocumentId(jobId), jobId, kind, stepId, since }, leaseToken))
  }

  /** Notes a job that cannot be read. `leaseToken` is null if a sweep found the job. */
  jobUnreadable({ pk, documentId: id, jobId, since }: UnreadableFlag, leaseToken: string | null): void {
    this.work.note(this.pending({ pk, id, jobId, kind: 'unreadable', stepId: null, since }, leaseToken))
  }

  leaseAcquired(leaseToken: string, isFirstRange: boolean): void {
    this.unreadableDueMs = 0
    this.work.leaseAcquired(leaseToken, isFirstRange)
  }

  leaseReleased(leaseToken: string): void {
    this.work.leaseReleased(leaseToken)
  }

  private async listFlagged(last: PendingAlert | null, limit: number): Promise<readonly PendingAlert[]> {
    const { store, clock } = this.options
    const flagged = await store.listFlagged(last?.since ?? null, limit)
    const page = flagged.map((job) => this.pending(job, null))
    if (clock.now() < this.unreadableDueMs) return page
    // The page is noted before the second query, which may fail.
    for (const pending of page) this.work.note(pending)
    for (const flag of await unreadableFlags(store)) this.jobUnreadable(flag, null)
    this.unreadableDueMs = clock.now() + unreadableEveryMs
    return page
  }

  private pending(job: DocumentAddress & Problem, leaseToken: string | null): PendingAlert {
    const [alertId, dueMs] = [alertIdOf(job), this.options.clock.now()]
    return { ...job, alertId, dueMs, leaseToken, takenBy: new Set(), ...neverFailed }
  }

  private isAlerted(pending: PendingAlert): boolean {
    return (this.alerted.get(keyOf(pending)) ?? 0) > this.options.clock.now()
  }

  private remember(pending: PendingAlert, untilMs: number): void {
    this.alerted.delete(keyOf(pending))
    this.alerted.set(keyOf(pending), untilMs)
    const [oldest] = this.alerted.keys()
    if (oldest !== undefined && this.alerted.size > remembered) this.alerted.delete(oldest)
  }
}

/** Returns a key with the partition, because jobs with different partition keys may have the same id. */
function keyOf({ pk, alertId }: PendingAlert): string {
  return `${pk}\n${alertId}`
}
