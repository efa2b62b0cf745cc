import type { Turn } from './gate-parts.js'
import type { JobDocument } from './documents.js'

/** The characters that Cosmos DB or its clients do not accept in an id, and our own escape character. */
const unsafeInId = /[/\\?#~%\p{Cc}]/gu

/** The latest text that was made safe. Most ids in a row are of one job. */
const latest = { text: '', safe: '' }

function safeId(text: string): string {
  if (text !== latest.text) {
    latest.safe = text.replace(unsafeInId, escaped)
    latest.text = text
  }
  return latest.safe
}

function escaped(character: string): string {
  return `~${character.charCodeAt(0).toString(16).padStart(2, '0')}`
}

export const jobIdPrefix = 'sas.job:'

export function jobDocumentId(jobId: string): string {
  return `${jobIdPrefix}${safeId(jobId)}`
}

/**
 * Returns the document id of a notice of a job. A notice may outlive its job, and a later job may have the
 * same id. The time of submission distinguishes the notices of the two jobs.
 */
export function noticeDocumentId(
  { jobId, submittedAtMs }: Pick<JobDocument, 'jobId' | 'submittedAtMs'>,
  seq: number,
): string {
  return `sas.notify:${safeId(jobId)}:${submittedAtMs}:${seq}`
}

/** Returns the document id of the record of an alert that was raised about a job. */
export function alertDocumentId(jobId: string): string {
  return `sas.alert:${safeId(jobId)}`
}

/** Returns the document id of the record of a document of ours that cannot be read. */
export function unreadableDocumentId(documentId: string): string {
  return `sas.unreadable:${documentId}`
}

export function stepDocumentId(jobId: string, stepId: string): string {
  return `sas.step:${safeId(jobId)}:${stepId}`
}

export const scheduleIdPrefix = 'sas.schedule:'

/** Returns the document id of a schedule, which is also its partition key. */
export function scheduleDocumentId(scheduleId: string): string {
  return `${scheduleIdPrefix}${safeId(scheduleId)}`
}

/** Returns the document id of the job that the ticks of a schedule submit. */
export function scheduledJobDocumentId(scheduleId: string): string {
  return `sas.scheduledJob:${safeId(scheduleId)}`
}

export const gateIdPrefix = 'sas.gate:'

/** Returns the document id of the gate of a key, which is also its partition key. */
export function gateDocumentId(key: string): string {
  return `${gateIdPrefix}${safeId(key)}`
}

/**
 * Returns the document id of a waiter, which is unique within the partition of its gate. `ofKey` is the key of a gate
 * that shares its partition with other gates, or null.
 */
export function waiterDocumentId({ group, number, priority }: Turn, ofKey: string | null = null): string {
  const place = priority === undefined ? String(number) : `${number}p${priority}`
  return `sas.waiter:${ofKey === null ? '' : `${safeId(ofKey)}:`}${safeId(group)}:${place}`
}

/** The id of the document with the decisions about a limit, in the partition of its gate. */
export const limitDecisionsId = 'sas.limitDecisions'

/** Returns the id of the document with the decisions about a limit that shares its partition with other limits. */
export function decisionsOfLimitId(key: string): string {
  return `${limitDecisionsId}:${safeId(key)}`
}

/** Returns the id of the job of a tick: the schedule's id and the due time in the basic form of ISO 8601. */
export function tickJobId(scheduleId: string, dueMs: number): string {
  return `${scheduleId}@${basicTime(dueMs)}`
}

/** Returns a time without the characters that ids forbid, such as `20261123T020000Z`. */
export function basicTime(ms: number): string {
  return new Date(ms).toISOString().replaceAll(/[-:]|\.000/g, '')
}

/** The id of the document with the pauses of workflows and agents, which is also its partition key. */
export const pausesDocumentId = 'sas.pauses'

/** The id of the document with the decisions about instances, which is also its partition key. */
export const fleetDecisionsId = 'sas.fleetDecisions'
