import { schemaVersion, type Attention, type Diagnostic, type JobDocument } from '../model/documents.js'
import { alertDocumentId } from '../model/document-ids.js'
import type { UnreadableJob } from '../store/unreadable-jobs.js'

/** That a job needs attention, as an operator reads it. */
export interface Alert {
  /** The same for as long as the same thing is the matter: receivers recognise a repetition by it. */
  readonly alertId: string
  readonly jobId: string
  readonly orderId: string
  readonly workflow: string
  readonly state: JobDocument['processState']
  /**
   * What is the matter: `error`, `compensationFailed`, `corrupt`, `parked`, `extendedWait`, `unclaimed`, or `unreadable`:
   * the job's document was edited so that no instance can read it.
   */
  readonly kind: string
  readonly stepId: string | null
  readonly message: string
  /** ISO-8601 UTC. */
  readonly since: string
  /** What the step's agents reported, oldest first; empty where no step is to blame, or many alerts are told at once. */
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * The record that an alert was raised: a document beside the job, so that raising alerts never writes the job.
 * It expires; if the same is still the matter then, the alert is raised again.
 */
export interface AlertRecord {
  readonly [field: string]: unknown
  readonly id: string
  readonly pk: string
  readonly type: 'sas.alert'
  readonly schema: number
  readonly jobId: string
  readonly alertId: string
  /** ISO-8601 UTC. */
  readonly raisedAt: string
  readonly ttl: number
}

/** What a job has to say to an operator now; null for nothing. Asked of the state, never of an event (I15). */
export function alertOf(job: JobDocument, diagnostics: readonly Diagnostic[]): Alert | null {
  const { jobId, orderId, workflow, processState: state, attention } = job
  if (attention === null) return null
  const { kind, stepId, message, since } = attention
  const alertId = alertIdOf({ jobId, ...attention })
  return { alertId, jobId, orderId, workflow, state, kind, stepId, message, since, diagnostics }
}

/** What there is to say of a job whose document cannot be read. */
export function unreadableAlertOf({ jobId, workflow, since, reason: message }: UnreadableJob): Alert {
  const [kind, stepId, state] = ['unreadable', null, 'Error'] as const
  const alertId = alertIdOf({ jobId, kind, stepId, since })
  return { alertId, jobId, orderId: jobId, workflow, state, kind, stepId, message, since, diagnostics: [] }
}

/** The same for as long as the same is the matter with a job. */
export function alertIdOf({
  jobId,
  kind,
  stepId,
  since,
}: Pick<Attention, 'stepId' | 'since'> & { readonly jobId: string; readonly kind: string }): string {
  return [jobId, kind, stepId ?? '', since].join('|')
}

/** Until when a record speaks for its alert, milliseconds since the epoch. */
export function toldUntilMs({ raisedAt, ttl }: Readonly<Record<string, unknown>>): number {
  return Date.parse(String(raisedAt)) + Number(ttl) * 1_000
}

/** The record that this alert was raised. */
export function alertRecordOf(
  alert: Alert,
  about: { readonly pk: string; readonly now: number; readonly remindAfterMs: number },
): AlertRecord {
  return {
    id: alertDocumentId(alert.jobId),
    pk: about.pk,
    type: 'sas.alert',
    schema: schemaVersion,
    jobId: alert.jobId,
    alertId: alert.alertId,
    raisedAt: new Date(about.now).toISOString(),
    ttl: Math.max(1, Math.ceil(about.remindAfterMs / 1_000)),
  }
}
