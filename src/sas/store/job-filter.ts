import type { Attention, ProcessState } from '../model/documents.js'

/** The last job of a page. */
export interface PageEnd {
  /** ISO-8601 UTC. */
  readonly submittedAt: string
  readonly jobId: string
}

/** The filter of a list of notices. */
export interface NoticeFilter {
  /** Only notices of this job, in any partition. */
  readonly jobId?: string
  readonly workflow?: string
  /** Default 100. */
  readonly limit?: number
}

/** The filter of a list of jobs. */
export interface JobFilter {
  readonly state?: ProcessState
  readonly workflow?: string
  /** Only jobs submitted at this time or later. */
  readonly since?: Date
  /** Only jobs submitted before this time. */
  readonly before?: Date
  /** Only jobs after this one, the last job of the previous page. */
  readonly after?: PageEnd
  /** Only flagged jobs, whatever the reason. */
  readonly isFlagged?: true
  /** Only jobs with this kind of flag. */
  readonly attention?: Attention['kind']
  /** Only jobs whose flag names this step. */
  readonly step?: string
  /** Default 100. */
  readonly limit?: number
}
