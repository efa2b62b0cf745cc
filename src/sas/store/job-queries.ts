import type { JobDocument, NoticeDocument, ProcessState } from '../model/documents.js'
import type { JobFilter, NoticeFilter } from './job-filter.js'
import type { StateDocument, Stored } from './state-store.js'

/** How many jobs there are in each state. */
export type JobCounts = Readonly<Record<ProcessState, number>>

/** The changes of one logical partition. */
export interface PartitionFeed {
  /** Returns the latest versions of documents: first of all, then of those that have changed since. */
  readNext(): Promise<readonly StateDocument[]>
}

/** Jobs that a list contains when its filter does not say how many. */
export const defaultListLimit = 100

/**
 * What people ask about the jobs of a state container, never for decisions. It has two implementations, like
 * {@link import('./state-store.js').StateStore}.
 *
 * Every method throws `StoreUnavailable` if the store cannot be reached or refuses temporarily.
 */
export interface JobQueries {
  /**
   * Lists jobs: at most `limit`, the newest submission first and by id within a millisecond. The next page
   * begins `after` the last job of this one. Paging omits no job, with one exception: two jobs with the same
   * id under different partition keys, submitted in the same millisecond, if a page ends between them.
   */
  listJobs(filter: JobFilter): Promise<readonly Stored<JobDocument>[]>
  /** Counts the jobs in each state. The store counts them. */
  countJobs(): Promise<JobCounts>
  /** Finds the document of the job with this id, readable or not, or null. Queries all partitions. */
  findJob(jobId: string): Promise<Stored<StateDocument> | null>
  /** Lists notices that were given up, in no order. */
  listUndelivered(filter: NoticeFilter): Promise<readonly Stored<NoticeDocument>[]>
  /** Follows one logical partition from its beginning. */
  follow(partition: string): PartitionFeed
}
