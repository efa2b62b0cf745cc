import type { Attention, ProcessState } from '../../model/documents.js'
import type { Tags } from '../../model/tags.js'
import type { Duration } from '../../../platform/index.js'
import type { WaitKind } from './waiting-steps.js'

/** The last job of a page. */
export interface PageEnd {
  /** The time when the job was submitted, in ISO-8601 UTC. */
  readonly submittedAt: string
  readonly jobId: string
}

/** The filter of a list of notices. */
export interface NoticeFilter {
  /** Only notices of this job, in any partition. */
  readonly jobId?: string
  readonly workflow?: string
  /** The largest number of notices in the list. Default 100. */
  readonly limit?: number
}

/** The filter of a list of open questions. */
export interface QuestionFilter {
  /** Only questions that this person may answer: those with this name, and those without names. */
  readonly assignee?: string
  readonly workflow?: string
  /** Lists the newest questions first. Default: the oldest first. */
  readonly newestFirst?: boolean
  /** The largest number of questions in the list. Default 100. */
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
  /** Only jobs after this job, which is the last job of the previous page. */
  readonly after?: PageEnd
  /** Only flagged jobs, with any kind of flag. */
  readonly isFlagged?: true
  /** Only paused jobs. */
  readonly isPaused?: true
  /** Only jobs with this kind of flag. */
  readonly attention?: Attention['kind']
  /** Only jobs whose flag names this step. */
  readonly step?: string
  /** Only jobs with all these tags. A number or a boolean equals its text. */
  readonly tags?: Tags
  /** Only jobs whose id, order id or workflow contains this text, in capital or small letters. */
  readonly text?: string
  /** Only jobs under way with a step that waits for this. `retry` means that an attempt has failed. */
  readonly waitingFor?: WaitKind
  /** Only jobs under way in which a step of this agent is under way. With `waitingFor`, the same step must wait. */
  readonly agent?: string
  /** Only jobs that have ended, and took at least this long from the submission to the end. */
  readonly tookAtLeast?: Duration
  /** The largest number of jobs in the list. Default 100. */
  readonly limit?: number
}
