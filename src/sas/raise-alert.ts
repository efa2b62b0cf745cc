import type { Clock } from '../platform/index.js'
import type { Telemetry } from '../telemetry/index.js'
import type { AlertSink } from './alert-sink.js'
import { alertOf, alertRecordOf, type Alert } from './alert.js'
import { alertDocumentId, jobDocumentId, stepDocumentId, type JobDocument } from './documents.js'
import type { JobPlace } from './reply-line.js'
import { sendWithin } from './send-within.js'
import { replacing, type StateDocument, type StateStore, type Stored } from './state-store.js'
import { readJob, readStep } from './update-document.js'

/** What raising alerts needs. */
export interface AlertOptions {
  readonly store: StateStore
  readonly sinks: readonly AlertSink[]
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly sendTimeoutMs: number
  /** After which an alert is raised once more while the same is still the matter. */
  readonly remindAfterMs: number
  readonly stop: AbortSignal
}

/**
 * Tells every sink what is the matter with a job, if something is and its record does not say that this was done. The
 * record is written afterwards: whoever dies between raises the alert twice rather than not at all (I15, R114).
 *
 * @throws whatever a sink throws; nothing is recorded then, and all sinks will be told again
 */
export async function raiseAlert(options: AlertOptions, { pk, jobId }: JobPlace): Promise<void> {
  const { store, sinks, clock, telemetry, sendTimeoutMs, remindAfterMs, stop } = options
  const job = await readJob(store, { pk, id: jobDocumentId(jobId) })
  const alert = job === null ? null : alertOf(job, await diagnosticsOf(store, job))
  if (alert === null) return
  const before = await store.read({ pk, id: alertDocumentId(jobId) })
  if (before?.['alertId'] === alert.alertId) return
  const told = sinks.map((sink) =>
    sendWithin({ clock, limitMs: sendTimeoutMs, stop }, (signal) => sink(alert, signal)),
  )
  const failed = (await Promise.allSettled(told)).find((result) => result.status === 'rejected')
  if (failed !== undefined) throw new AlertFailed(alert, failed.reason)
  report(telemetry, alert)
  const record = alertRecordOf(alert, { pk, now: clock.now(), remindAfterMs })
  // A rival that recorded its own alert first has told the same.
  await store.apply(pk, [recording(before, record)])
}

function recording(before: Stored<StateDocument> | null, record: StateDocument) {
  return before === null ? { kind: 'create' as const, document: record } : replacing(before, record)
}

/** An alert that did not reach every sink. */
export class AlertFailed extends Error {
  override readonly name = 'AlertFailed'
  constructor(
    readonly alert: Alert,
    cause: unknown,
  ) {
    super(`a sink of alerts failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

async function diagnosticsOf(store: StateStore, { pk, jobId, attention }: JobDocument) {
  const stepId = attention?.stepId ?? null
  if (stepId === null) return []
  const step = await readStep(store, { pk, id: stepDocumentId(jobId, stepId) })
  return step?.diagnostics ?? []
}

function report(telemetry: Telemetry, { jobId, workflow, alertId, stepId, kind, message }: Alert): void {
  telemetry.emit({ type: 'alert.raised', jobId, workflow, alertId, stepId, kind, message })
}
