import type { Attention, ProcessState } from '../model/documents.js'

/** Where a page of jobs ended: its last job. */
export interface PageEnd {
  /** ISO-8601 UTC. */
  readonly submittedAt: string
  readonly jobId: string
}

/** Which notices to list. */
export interface NoticeFilter {
  /** Only this job's, wherever its partition is. */
  readonly jobId?: string
  readonly workflow?: string
  /** Default 100. */
  readonly limit?: number
}

/** Which jobs to list. */
export interface JobFilter {
  readonly state?: ProcessState
  readonly workflow?: string
  /** Submitted then or after. */
  readonly since?: Date
  /** Submitted before then. */
  readonly before?: Date
  /** The last job of the page before this one: those that come after it. */
  readonly after?: PageEnd
  /** Only flagged jobs, for any reason. */
  readonly isFlagged?: true
  /** Only jobs with this the matter. */
  readonly attention?: Attention['kind']
  /** Only jobs whose attention is about this step. */
  readonly step?: string
  /** Default 100. */
  readonly limit?: number
}
