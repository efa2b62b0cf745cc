import type {
  Attention,
  JobDocument,
  NoticeDocument,
  ProcessState,
  StepDocument,
} from '../model/documents.js'
import type { JobFilter, NoticeFilter } from './job-filter.js'

/** A document as the state container holds it. */
export type StateDocument = Record<string, unknown> & { readonly id: string; readonly pk: string }

/** A document read, with the etag that a later write is conditional on. */
export type Stored<T> = T & { readonly _etag: string; readonly _ts: number }

/** One write of an atomic group. A `replace` is refused unless the stored document still has `ifMatch`. */
export type StateWrite =
  | { readonly kind: 'create'; readonly document: StateDocument }
  | { readonly kind: 'replace'; readonly document: StateDocument; readonly ifMatch: string }

/** A replace of `before` by `after`, on condition that the document has not changed since it was read. */
export function replacing(before: Stored<StateDocument>, after: StateDocument): StateWrite {
  // What the store adds to a document is not ours to write.
  const { _rid, _self, _etag, _attachments, _ts, _lsn, ...own } = after
  return { kind: 'replace', document: own, ifMatch: before._etag }
}

/** What a group of writes made of the store. */
export type ApplyResult =
  /** Every write was applied, in one transaction. */
  | {
      readonly kind: 'applied'
      /** The new etag of each document, in the order of the writes. */
      readonly etags: readonly string[]
      /** The physical partition that took it, when the store says: wakes the local readers of that range. */
      readonly physicalRangeId: string | null
      readonly charge: number
    }
  /** None was applied: `id` had changed, was missing (`replace`) or existed already (`create`). */
  | { readonly kind: 'conflict'; readonly id: string; readonly reason: 'changed' | 'missing' | 'exists' }
  /** All or none was applied, and it is unknown which: read, and decide again. */
  | { readonly kind: 'unknownOutcome'; readonly cause: unknown }

/** Where a document is: its partition key value and its id. */
export interface DocumentAddress {
  readonly pk: string
  readonly id: string
}

/** A step or job that is due before the moment asked for. A hint: read it before deciding anything. */
export interface OverdueDocument extends DocumentAddress {
  /** Its `completeByMs`; for a job that no scheduler has taken up yet, when one must have. */
  readonly dueMs: number
}

/** A range of due times in milliseconds since the epoch, without its ends. */
export interface DueBetween {
  /** 0 for the first page; for a later page, the last `dueMs` of the page before it. */
  readonly afterMs: number
  readonly beforeMs: number
}

/** Due times of jobs and steps, and from when on a job is due that no scheduler has taken up. */
export interface OverdueBetween extends DueBetween {
  /** How long after its submission a scheduler must have taken up a job. */
  readonly pickUpWithinMs: number
}

/** How many jobs there are in each state. */
export type JobCounts = Readonly<Record<ProcessState, number>>

/** What happens in one logical partition. */
export interface PartitionFeed {
  /** Documents in their latest version: all of them at first, then those that have changed; empty when none has. */
  readNext(): Promise<readonly StateDocument[]>
}

/** A notice that should have been sent. A hint: read it before sending. */
export interface UnsentNotice extends DocumentAddress {
  readonly jobId: string
  /** Its `completeByMs`. */
  readonly dueMs: number
}

/** A job that a person should look at. A hint: read it before raising an alert. */
export interface FlaggedJob extends DocumentAddress, Pick<Attention, 'kind' | 'stepId' | 'since'> {
  readonly jobId: string
}

/**
 * The container that holds jobs, steps and the user's own documents. Implementations: a Cosmos container
 * ({@link import('./cosmos-state-store.js').CosmosStateStore}) and the embedded engine; both pass the same suite.
 *
 * Throws `StoreUnavailable` when the store cannot be reached or refuses for a while; nothing was written then.
 */
export interface StateStore {
  /** The document, or null when there is none. Never older than what this process has written or been delivered. */
  read(address: DocumentAddress): Promise<Stored<StateDocument> | null>
  /**
   * Applies all writes or none. All documents must have `pk` = `partition`; 1 to 100 writes.
   *
   * @throws DocumentInvalid when one of them could not be read back (`refuseUnreadable`); nothing was written
   */
  apply(partition: string, writes: readonly StateWrite[]): Promise<ApplyResult>
  /**
   * Steps and jobs that are due after `afterMs` and before `beforeMs`, earliest first, in pages like {@link listUnsent}.
   * Paging is needed because documents that cannot be read stay due, and documents behind them must still be found.
   * Documents of a newer schema are left out.
   */
  listOverdue(due: OverdueBetween, limit: number): Promise<readonly OverdueDocument[]>
  /**
   * For people (CLI, dashboard), never for decisions. Newest submission first, by id within a millisecond, at most
   * `limit`. The next page begins `after` the last job of this one. Paging omits no job, with one exception: two jobs with
   * the same id under different partition keys, submitted in the same millisecond, when a page ends between them.
   */
  listJobs(filter: JobFilter): Promise<readonly Stored<JobDocument>[]>
  /** For people: how many jobs there are in each state, counted by the store. */
  countJobs(): Promise<JobCounts>
  /**
   * The document of the job with this id in any partition, readable or not, or null. For people: it queries all
   * partitions.
   */
  findJob(jobId: string): Promise<Stored<StateDocument> | null>
  /** Every step of a job, in no order. */
  listSteps(partition: string, jobId: string): Promise<readonly Stored<StepDocument>[]>
  /** A job's notices that are still to be sent, in no order. */
  listNotices(partition: string, jobId: string): Promise<readonly Stored<NoticeDocument>[]>
  /**
   * Notices that were due after `afterMs` and before `beforeMs`, earliest first. Some stay due for hours, behind one that
   * is not taken, so there are pages: of at least `limit` if there are as many, and never cut within a millisecond, so
   * that the next page begins after the last notice of this one.
   */
  listUnsent(due: DueBetween, limit: number): Promise<readonly UnsentNotice[]>
  /** Flagged jobs, by when they were flagged (`since`), after that moment, or from the first: in pages, as notices. */
  listFlagged(afterSince: string | null, limit: number): Promise<readonly FlaggedJob[]>
  /** For people: notices that were given up, in no order. */
  listUndelivered(filter: NoticeFilter): Promise<readonly Stored<NoticeDocument>[]>
  /** For people: records of documents that could not be read, in no order. They may be outdated: read the document. */
  listUnreadable(limit: number): Promise<readonly Stored<StateDocument>[]>
  /** Follows one logical partition from its beginning. */
  follow(partition: string): PartitionFeed
}
