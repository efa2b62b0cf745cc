import type { JobDocument } from './documents.js'

type AuditEntry = JobDocument['audit'][number]

/** The largest number of operators' decisions that a job keeps. */
const mostEntries = 20

/** Returns the decisions of operators about a job with a further one. The oldest ones are left out. */
export function audited({ audit }: Pick<JobDocument, 'audit'>, entry: AuditEntry): AuditEntry[] {
  return [...audit, entry].slice(-mostEntries)
}
