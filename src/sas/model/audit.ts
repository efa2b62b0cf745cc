import type { JobDocument } from './documents.js'

type AuditEntry = JobDocument['audit'][number]

/** The largest number of operators' decisions that a job keeps. */
const mostEntries = 20

/** Returns the operators' decisions about a job, with `entry` added. Drops the oldest ones beyond the limit. */
export function audited({ audit }: Pick<JobDocument, 'audit'>, entry: AuditEntry): AuditEntry[] {
  return [...audit, entry].slice(-mostEntries)
}
