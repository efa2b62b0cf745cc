import type { Attention, NoticeDocument, StepDocument } from '../model/documents.js'

/** A document as the state container holds it. */
export type StateDocument = Record<string, unknown> & { readonly id: string; readonly pk: string }

/** A document as read, with the etag for a later conditional write. */
export type Stored<T> = T & { readonly _etag: string; readonly _ts: number }

/** One write of an atomic group. A `replace` is refused unless the stored document still has `ifMatch`. */
export type StateWrite =
  | { readonly kind: 'create'; readonly document: StateDocument }
  | { readonly kind: 'replace'; readonly document: StateDocument; readonly ifMatch: string }

/** Returns a write that replaces `before` by `after`, if the document has not changed since it was read. */
export function replacing(before: Stored<StateDocument>, after: StateDocument): StateWrite {
  // Removes the fields that the store adds to a document.
  const { _rid, _self, _etag, _attachments, _ts, _lsn, ...own } = after
  return { kind: 'replace', document: own, ifMatch: before._etag }
}

/** The result of a group of writes. */
export type ApplyResult =
  /** Every write was applied, in one transaction. */
  | {
      readonly kind: 'applied'
      /** The new etag of each document, in the order of the writes. */
      readonly etags: readonly string[]
      /**
       * The physical partition of the writes, if the store reports it. Wakes the local readers of that range.
       */
      readonly physicalRangeId: string | null
      readonly charge: number
    }
  /** No write was applied: `id` had changed, was missing (`replace`) or existed already (`create`). */
  | { readonly kind: 'conflict'; readonly id: string; readonly reason: 'changed' | 'missing' | 'exists' }
  /** All writes or none were applied, and it is unknown which. Read and decide again. */
  | { readonly kind: 'unknownOutcome'; readonly cause: unknown }

/** The address of a document: its partition key value and its id. */
export interface DocumentAddress {
  readonly pk: string
  readonly id: string
}

/** A step or job that is due. It is a hint: read the document before any decision. */
export interface OverdueDocument extends DocumentAddress {
  /** Its `completeByMs`. For a job that no scheduler has taken up, when a scheduler must have done so. */
  readonly dueMs: number
}

/** A range of due times in milliseconds since the epoch, excluding both ends. */
export interface DueBetween {
  /** 0 for the first page; for a later page, the last `dueMs` of the page before it. */
  readonly afterMs: number
  readonly beforeMs: number
}

/** A range of due times of jobs and steps, and the time limit for taking up a job. */
export interface OverdueBetween extends DueBetween {
  /** How long after its submission a scheduler must have taken up a job. */
  readonly pickUpWithinMs: number
}

/** A notice that should have been sent. It is a hint: read the notice before sending it. */
export interface UnsentNotice extends DocumentAddress {
  readonly jobId: string
  /** Its `completeByMs`. */
  readonly dueMs: number
}

/** A flagged job. It is a hint: read the job before raising an alert. */
export interface FlaggedJob extends DocumentAddress, Pick<Attention, 'kind' | 'stepId' | 'since'> {
  readonly jobId: string
}

/**
 * The container that holds jobs, steps and the user's own documents, as the roles need it to run jobs. What
 * people ask about jobs is {@link import('./job-queries.js').JobQueries}. It has two implementations, a
 * Cosmos container ({@link import('./cosmos-state-store.js').CosmosStateStore}) and the embedded engine. Both
 * pass the same test suite.
 *
 * Every method throws `StoreUnavailable` if the store cannot be reached or refuses temporarily. Then nothing
 * was written.
 */
export interface StateStore {
  /** Reads a document, or null. The result is never older than what this process has written or received. */
  read(address: DocumentAddress): Promise<Stored<StateDocument> | null>
  /**
   * Applies 1 to 100 writes, all or none. All documents must have `pk` = `partition`.
   *
   * @throws DocumentInvalid if a document could not be read back (`refuseUnreadable`); nothing was written
   */
  apply(partition: string, writes: readonly StateWrite[]): Promise<ApplyResult>
  /** Lists every step of a job, in no order. */
  listSteps(partition: string, jobId: string): Promise<readonly Stored<StepDocument>[]>
  /** Lists the unsent notices of a job, in no order. */
  listNotices(partition: string, jobId: string): Promise<readonly Stored<NoticeDocument>[]>
  /**
   * Lists steps and jobs that are due after `afterMs` and before `beforeMs`, earliest first, in pages like
   * {@link listUnsent}. Paging is needed because unreadable documents stay due, and later documents must
   * still be found. Documents of a newer schema are omitted.
   */
  listOverdue(due: OverdueBetween, limit: number): Promise<readonly OverdueDocument[]>
  /**
   * Lists notices that were due after `afterMs` and before `beforeMs`, earliest first. Notices behind one
   * that its receiver does not accept may stay due for hours, so there are pages. A page has at least `limit`
   * notices if there are as many. It never ends within a millisecond, so the next page begins after the last
   * notice of this one.
   */
  listUnsent(due: DueBetween, limit: number): Promise<readonly UnsentNotice[]>
  /**
   * Lists flagged jobs by `since`, after `afterSince` or from the first, in pages like {@link listUnsent}.
   */
  listFlagged(afterSince: string | null, limit: number): Promise<readonly FlaggedJob[]>
  /** Lists records of unreadable documents, in no order. A record may be outdated: read the document. */
  listUnreadable(limit: number): Promise<readonly Stored<StateDocument>[]>
}
