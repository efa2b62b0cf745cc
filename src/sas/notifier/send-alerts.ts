import type { Clock } from '../../platform/index.js'
import { inSlices } from '../../platform/internal.js'
import type { Telemetry } from '../../telemetry/index.js'
import type { AlertSink } from './alert-sink.js'
import { afterFailure, groupsOf, neverFailed, type Group, type SendState } from './alert-groups.js'
import {
  alertedUntilMs,
  alertOf,
  alertRecordOf,
  unreadableAlertOf,
  type Alert,
  type Problem,
} from './alert.js'
import type { CallBudget } from './call-budget.js'
import type { DueEntry } from '../timing/due-entries.js'
import { alertDocumentId, stepDocumentId } from '../model/document-ids.js'
import { sendWithin } from './send-within.js'
import { replacing, type StateDocument, type StateStore, type Stored } from '../store/state-store.js'
import { unreadableJob } from '../store/unreadable-jobs.js'
import { readJob, readStep } from '../store/update-document.js'

/** A job about which an alert may be due. */
export interface PendingAlert extends DueEntry, Problem, SendState {
  readonly alertId: string
  /** The sinks that have accepted the alert, although another sink has not. */
  readonly takenBy: ReadonlySet<AlertSink>
}

export interface AlertOptions {
  readonly store: StateStore
  readonly sinks: readonly AlertSink[]
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly sendTimeoutMs: number
  readonly remindAfterMs: number
}

interface SendAlertsOptions extends AlertOptions {
  readonly calls: CallBudget
  /** Called when an alert need not be raised again until `untilMs`. */
  readonly onAlerted: (pending: PendingAlert, untilMs: number) => void
  readonly stop: AbortSignal
}

/** An alert that matches the present documents. */
interface CurrentAlert extends SendState {
  readonly pending: PendingAlert
  readonly alert: Alert
  /** The record of an earlier alert about the job. */
  readonly record: Stored<StateDocument> | null
}

const requestsAtOnce = 32

/** The pause before the next try for a job that could not be read. */
const retryAfterMs = 30_000

/**
 * Sends the alerts that are still needed, with as few calls as the budget requires. The record of an alert is
 * written after every sink has accepted the alert. If an instance dies before that, another instance sends
 * the alert again (I15).
 *
 * @returns the alerts to send again, with their new due times
 */
export async function sendAlerts(
  options: SendAlertsOptions,
  due: readonly PendingAlert[],
): Promise<readonly PendingAlert[]> {
  const { clock, calls } = options
  const looks = await inSlices(due, requestsAtOnce, (pending) => currentAlert(options, pending))
  report(options, looks)
  const unread = due.filter((_, index) => looks[index]?.status === 'rejected')
  const current = fulfilled(looks).filter((one) => one !== null)
  const { now, later } = groupsOf(current, calls.free(clock.now()))
  const sent = await inSlices(now, requestsAtOnce, (group) => sendGroup(options, group))
  return [
    ...unread.map((pending) => again(options, pending, retryAfterMs)),
    ...later.map(({ pending }) => again(options, pending, 0)),
    ...fulfilled(sent).flat(),
  ]
}

/** Returns the present alert about a job. Returns null if there is none, or if it was already raised. */
async function currentAlert(options: SendAlertsOptions, noted: PendingAlert): Promise<CurrentAlert | null> {
  const { store, onAlerted } = options
  const alert = await alertAbout(store, noted)
  if (alert === null) return null
  const { alertId } = alert
  const isAsNoted = noted.alertId === alertId
  const pending = isAsNoted ? noted : { ...noted, alertId, takenBy: new Set<AlertSink>(), ...neverFailed }
  const record = await store.read({ pk: noted.pk, id: alertDocumentId(noted.jobId) })
  if (record?.['alertId'] === alertId) {
    onAlerted(pending, alertedUntilMs(record))
    return null
  }
  const { atMost, failures } = pending
  return { pending, alert, record, atMost, failures }
}

async function alertAbout(store: StateStore, pending: PendingAlert): Promise<Alert | null> {
  const unreadable =
    pending.kind === 'unreadable' ? await unreadableJob(store, { ...pending, documentId: pending.id }) : null
  if (unreadable !== null) return unreadableAlertOf(unreadable)
  const job = await readJob(store, pending)
  return job === null ? null : alertOf(job, [])
}

/**
 * Calls each sink with those of these alerts that it has not taken. If no call fails, records all these
 * alerts.
 */
async function sendGroup(
  options: SendAlertsOptions,
  group: Group<CurrentAlert>,
): Promise<readonly PendingAlert[]> {
  const { clock, telemetry, calls, sinks, stop } = options
  calls.take(clock.now())
  const [first, ...more] = group
  const toSend = more.length === 0 ? [{ ...first, alert: await withDiagnostics(options, first) }] : group
  const results = await Promise.allSettled(sinks.map((sink) => sendToSink(options, sink, toSend)))
  const failed = results.find((result) => result.status === 'rejected')
  if (failed === undefined) {
    report(options, await inSlices(toSend, requestsAtOnce, (current) => record(options, current)))
    return []
  }
  // A send that the stop aborted does not count as a failure, because another instance will find the alert.
  if (stop.aborted) return []
  const { jobId, workflow, alertId } = first.alert
  const count = group.length
  const error: unknown = failed.reason
  telemetry.emit({ type: 'alert.failed', jobId, workflow, alertId, count, error })
  const took = sinks.filter((_, index) => results[index]?.status === 'fulfilled')
  return toSend.map(({ pending }) => {
    const { afterMs, ...state } = afterFailure(pending, count, error)
    return again(options, { ...pending, ...state, takenBy: new Set([...pending.takenBy, ...took]) }, afterMs)
  })
}

async function sendToSink(
  { clock, sendTimeoutMs: limitMs, stop }: SendAlertsOptions,
  sink: AlertSink,
  group: readonly CurrentAlert[],
): Promise<void> {
  const alerts = group.flatMap(({ pending, alert }) => (pending.takenBy.has(sink) ? [] : [alert]))
  if (alerts.length === 0) return
  await sendWithin({ clock, limitMs, stop }, (signal) => sink(alerts, signal))
}

/** Adds the diagnostics of the step, if they can be read. */
async function withDiagnostics(
  { store, sinks }: SendAlertsOptions,
  { pending: { pk, jobId }, alert }: CurrentAlert,
): Promise<Alert> {
  if (alert.stepId === null || sinks.length === 0) return alert
  const address = { pk, id: stepDocumentId(jobId, alert.stepId) }
  const step = await readStep(store, address).catch(() => null)
  return { ...alert, diagnostics: step?.diagnostics ?? [] }
}

async function record(options: SendAlertsOptions, current: CurrentAlert): Promise<void> {
  const { store, clock, telemetry, remindAfterMs, onAlerted } = options
  const { pending, alert, record: before } = current
  const { jobId, workflow, alertId, stepId, kind, message } = alert
  telemetry.emit({ type: 'alert.raised', jobId, workflow, alertId, stepId, kind, message })
  const { pk } = pending
  const after = alertRecordOf(alert, { pk, now: clock.now(), remindAfterMs })
  const write = before === null ? { kind: 'create' as const, document: after } : replacing(before, after)
  const result = await store.apply(pk, [write])
  // If another instance wrote first, its record remains, and a sweep reads that record.
  if (result.kind === 'applied') onAlerted(pending, clock.now() + remindAfterMs)
}

function again({ clock }: SendAlertsOptions, pending: PendingAlert, afterMs: number): PendingAlert {
  return { ...pending, dueMs: clock.now() + afterMs }
}

/** Reports only the first failure of the store, because the other failures usually have the same cause. */
function report({ telemetry }: SendAlertsOptions, results: readonly PromiseSettledResult<unknown>[]): void {
  const failed = results.find((result) => result.status === 'rejected')
  if (failed !== undefined) telemetry.emit({ type: 'loop.failed', loop: 'alert', error: failed.reason })
}

function fulfilled<R>(results: readonly PromiseSettledResult<R>[]): R[] {
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
}
