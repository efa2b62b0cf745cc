import type { JobDocument } from './documents.js'

/** Characters that Cosmos DB or its clients do not take in an id, and our own escape character. */
const unsafeInId = /[/\\?#~%\p{Cc}]/gu

function safeId(text: string): string {
  return text.replace(unsafeInId, (character) => `~${character.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

/** What the document id of every job begins with. */
export const jobIdPrefix = 'sas.job:'

/** The document id of a job. */
export function jobDocumentId(jobId: string): string {
  return `${jobIdPrefix}${safeId(jobId)}`
}

/**
 * The document id of a job's notice. A notice may outlive its job, and the job's id may be submitted again.
 * The time of submission tells the notices of both jobs apart.
 */
export function noticeDocumentId(
  { jobId, submittedAtMs }: Pick<JobDocument, 'jobId' | 'submittedAtMs'>,
  seq: number,
): string {
  return `sas.notify:${safeId(jobId)}:${submittedAtMs}:${seq}`
}

/** The document id of the record that an alert about a job was raised. */
export function alertDocumentId(jobId: string): string {
  return `sas.alert:${safeId(jobId)}`
}

/** The document id of the record that says that a document of ours cannot be read. */
export function unreadableDocumentId(documentId: string): string {
  return `sas.unreadable:${documentId}`
}

/** The document id of a step. */
export function stepDocumentId(jobId: string, stepId: string): string {
  return `sas.step:${safeId(jobId)}:${stepId}`
}
