import type { JobDocument, NoticeDocument, ProcessState, StepDocument } from '../model/documents.js'
import type { GateDocument } from '../model/gate-documents.js'
import type { ScheduleDocument } from '../model/schedule-documents.js'
import type { JobFilter, NoticeFilter, QuestionFilter } from './filters/job-filter.js'
import type { StateDocument, Stored } from './state-store.js'

/** One change of a document, as a container that keeps all versions reports it. */
export interface DocumentVersionChange {
  readonly operation: 'create' | 'replace' | 'delete'
  /** The number of the transaction, which rises within a physical partition. */
  readonly lsn: number
  /** Seconds since the epoch. */
  readonly at: number
  /** Null after a delete. */
  readonly current: StateDocument | null
  /** The document before the change. Null if it was created, or if the store does not tell. */
  readonly previous: StateDocument | null
  /** The transaction that wrote the version before, or null if the store does not tell. */
  readonly previousLsn: number | null
}

/** The answer to a read of versions. */
export type VersionsRead =
  | {
      readonly kind: 'page'
      /** In the order in which they were made. */
      readonly changes: readonly DocumentVersionChange[]
      /** The position after this page. */
      readonly position: string
      readonly charge: number
    }
  /** The container does not keep versions, or the store does not serve them. */
  | { readonly kind: 'notKept'; readonly reason: string }
  /** The position is older than what the store still keeps. */
  | { readonly kind: 'forgotten' }

/** The number of jobs in each state. */
export type JobCounts = Readonly<Record<ProcessState, number>>

/** The changes of one logical partition. */
export interface PartitionFeed {
  /**
   * Returns the next page of changed documents, each in its latest version. The first pages contain every
   * document of the partition. A page is empty if no document has changed.
   */
  readNext(): Promise<readonly StateDocument[]>
}

/** The largest number of jobs in a list if its filter has no limit. */
export const defaultListLimit = 100

/**
 * The queries that people make about the jobs of a state container. Decisions never use these queries. The
 * interface has two implementations, like {@link import('./state-store.js').StateStore}.
 *
 * Every method throws `StoreUnavailable` if the store cannot be reached, or if it refuses a request
 * temporarily.
 */
export interface JobQueries {
  /**
   * Lists at most `limit` jobs. The newest submission comes first, and jobs of the same millisecond are
   * ordered by id. The next page begins `after` the last job of this page. Paging can omit a job in only one
   * case: two jobs with the same id under different partition keys were submitted in the same millisecond,
   * and a page ends between them.
   */
  listJobs(filter: JobFilter): Promise<readonly Stored<JobDocument>[]>
  /** Counts the jobs in each state. The store does the counting. */
  countJobs(): Promise<JobCounts>
  /** Counts the jobs that have not ended. Unlike `countJobs`, it does not cost more the more ended jobs are stored. */
  countOpen(): Promise<number>
  /**
   * Searches all partitions for the document of a job, whether readable or not. Returns null if there is
   * none.
   */
  findJob(jobId: string): Promise<Stored<StateDocument> | null>
  listUndelivered(filter: NoticeFilter): Promise<readonly Stored<NoticeDocument>[]>
  /**
   * Lists the steps whose question is open, in the order in which the questions were put. Steps without an open
   * question do not count towards the charge.
   */
  listQuestions(filter: QuestionFilter): Promise<readonly Stored<StepDocument>[]>
  /** Lists all schedules, in no order. A process has few of them. */
  listSchedules(): Promise<readonly Stored<ScheduleDocument>[]>
  /** Lists the gates of all limits, in no order. */
  listGates(): Promise<readonly Stored<GateDocument>[]>
  /**
   * Lists the documents about which an operator has decided, the newest decision first, before a time or from
   * the newest. A page has at least `limit` documents, except the last page. It never ends between decisions
   * of one millisecond, so the next page begins before the last one.
   */
  listOperated(beforeMs: number | null, limit: number): Promise<readonly Stored<StateDocument>[]>
  /**
   * Reads a page of all versions of the documents of one logical partition, after a position: the `position` of
   * an earlier page, an LSN as text, or `now`. A page is empty if nothing follows.
   */
  listVersions(partition: string, after: string, limit: number): Promise<VersionsRead>
  /**
   * Returns the LSN of the first document of a logical partition whose latest version was written since a time.
   * Returns null if there is none.
   */
  firstLsn(
    partition: string,
    sinceMs: number,
  ): Promise<{ readonly lsn: number | null; readonly charge: number }>
  /** Follows the changes of one logical partition from its beginning. */
  follow(partition: string): PartitionFeed
}
