import { basicSchema, type Diagnostic, type JobDocument } from '../model/documents.js'
import { alertDocumentId } from '../model/document-ids.js'
import type { UnreadableJob } from '../store/unreadable-jobs.js'

/** The message to an operator that a job needs attention. */
export interface Alert {
  /**
   * The id of the alert, which stays the same for the same problem, so receivers can recognise repeated
   * alerts.
   */
  readonly alertId: string
  readonly jobId: string
  readonly orderId: string
  readonly workflow: string
  readonly state: JobDocument['processState']
  /**
   * The kind of problem: `error`, `compensationFailed`, `corrupt`, `parked`, `extendedWait`, `unclaimed`, or
   * `unreadable`. `unreadable` means that no instance can read the job's document, because it was edited.
   */
  readonly kind: string
  readonly stepId: string | null
  readonly message: string
  /** The time when the problem began, in ISO-8601 UTC. */
  readonly since: string
  /**
   * The reports of the step's agents, oldest first. Empty if no step is named, or if the call contains
   * several alerts.
   */
  readonly diagnostics: readonly Diagnostic[]
}

/** The reason why a job is flagged. */
export type Problem = Pick<Alert, 'jobId' | 'kind' | 'stepId' | 'since'>

/**
 * The record of an alert that was raised. The record is a separate document, so an alert never writes the
 * job. If the problem still exists when the record expires, the alert is raised again.
 */
export interface AlertRecord {
  readonly [field: string]: unknown
  readonly id: string
  readonly pk: string
  readonly type: 'sas.alert'
  readonly schema: number
  readonly jobId: string
  readonly alertId: string
  readonly raisedAt: string
  readonly ttl: number
}

/** Returns the alert for the current state of a job, or null. The alert never depends on an event (I15). */
export function alertOf(job: JobDocument, diagnostics: readonly Diagnostic[]): Alert | null {
  const { jobId, orderId, workflow, processState: state, attention } = job
  if (attention === null) return null
  const { kind, stepId, message, since } = attention
  const alertId = alertIdOf({ jobId, ...attention })
  return { alertId, jobId, orderId, workflow, state, kind, stepId, message, since, diagnostics }
}

export function unreadableAlertOf({ jobId, workflow, since, reason: message }: UnreadableJob): Alert {
  const [kind, stepId, state] = ['unreadable', null, 'Error'] as const
  const alertId = alertIdOf({ jobId, kind, stepId, since })
  return { alertId, jobId, orderId: jobId, workflow, state, kind, stepId, message, since, diagnostics: [] }
}

/** Returns an id that stays the same while the problem of the job stays the same. */
export function alertIdOf({ jobId, kind, stepId, since }: Problem): string {
  return [jobId, kind, stepId ?? '', since].join('|')
}

export function alertedUntilMs({ raisedAt, ttl }: Readonly<Record<string, unknown>>): number {
  return Date.parse(String(raisedAt)) + Number(ttl) * 1_000
}

export function alertRecordOf(
  alert: Alert,
  about: { readonly pk: string; readonly now: number; readonly remindAfterMs: number },
): AlertRecord {
  return {
    id: alertDocumentId(alert.jobId),
    pk: about.pk,
    type: 'sas.alert',
    schema: basicSchema,
    jobId: alert.jobId,
    alertId: alert.alertId,
    raisedAt: new Date(about.now).toISOString(),
    ttl: Math.max(1, Math.ceil(about.remindAfterMs / 1_000)),
  }
}
