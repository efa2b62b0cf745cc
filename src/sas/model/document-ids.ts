import type { JobDocument } from './documents.js'

/** The characters that Cosmos DB or its clients do not accept in an id, and our own escape character. */
const unsafeInId = /[/\\?#~%\p{Cc}]/gu

function safeId(text: string): string {
  return text.replace(unsafeInId, (character) => `~${character.charCodeAt(0).toString(16).padStart(2, '0')}`)
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
