import { copyWithout } from '../model/copies/copy-with.js'
import type { Attention, NoticeDocument, StepDocument } from '../model/documents.js'
import type { PausedWith } from '../model/operator-documents.js'
import { etagOfPlanned } from '../model/planned/planned-steps.js'

/** A document as the state container stores it. */
export type StateDocument = Record<string, unknown> & { readonly id: string; readonly pk: string }

/** A document as it was read, with the etag for a later conditional write. */
export type Stored<T> = T & { readonly _etag: string; readonly _ts: number }

/** One write of an atomic group. A `replace` is refused unless the stored document has the etag `ifMatch`. */
export type StateWrite =
  | { readonly kind: 'create'; readonly document: StateDocument }
  | { readonly kind: 'replace'; readonly document: StateDocument; readonly ifMatch: string }

/**
 * Returns a write that replaces `before` with `after`, if the document has not changed since it was read. If `before` is a
 * planned step, the write creates its document, if there is none.
 */
export function replacing(before: Stored<StateDocument>, after: StateDocument): StateWrite {
  if (before._etag === etagOfPlanned) return { kind: 'create', document: withoutStoreFields(after) }
  return { kind: 'replace', document: withoutStoreFields(after), ifMatch: before._etag }
}

/** The rows that a query for documents asks for at once. */
export const rowsPerPage = 1_000

const storeFields: ReadonlySet<string> = new Set(['_rid', '_self', '_etag', '_attachments', '_ts', '_lsn'])

/** Returns a copy of a document without the fields that the store adds. */
export function withoutStoreFields(document: StateDocument): StateDocument {
  return copyWithout(document, storeFields)
}

/** Returns a copy of a document with the etag and the time of this version, and no other fields of the store. */
export function asStored<T extends object>(
  document: T,
  { _etag, _ts }: { readonly _etag: string; readonly _ts: number },
): Stored<T> {
  return Object.assign(copyWithout(document, storeFields), { _etag, _ts })
}

export type ApplyResult =
  | {
      readonly kind: 'applied'
      /** The new etag of each document, in the order of the writes. */
      readonly etags: readonly string[]
      /** The physical partition of the writes, or null if the store does not report it. */
      readonly physicalRangeId: string | null
      readonly charge: number
    }
  /**
   * No write was applied, because the document `id` had changed, was missing (`replace`) or existed
   * (`create`).
   */
  | { readonly kind: 'conflict'; readonly id: string; readonly reason: 'changed' | 'missing' | 'exists' }
  /** Either all writes or none were applied, but it is unknown which. Read and decide again. */
  | { readonly kind: 'unknownOutcome'; readonly cause: unknown }

export interface DocumentAddress {
  readonly pk: string
  readonly id: string
}

/** A step, job or schedule that is due. The entry is only a hint: read the document before any decision. */
export interface OverdueDocument extends DocumentAddress {
  /** The document's `completeByMs`, or the time limit for taking a job that no scheduler has taken. */
  readonly dueMs: number
}

/** A range of due times in milliseconds since the epoch. Both ends are excluded. */
export interface DueBetween {
  /** The last `dueMs` of the previous page, or 0 for the first page. */
  readonly afterMs: number
  readonly beforeMs: number
}

/** A range of due times of jobs and steps, and the time limit for taking a job. */
export interface OverdueBetween extends DueBetween {
  /** The time after a job's submission within which a scheduler must take the job. */
  readonly pickUpWithinMs: number
}

/** Which jobs a pause of a workflow or an agent concerns. */
export type PauseQuestion =
  /** The jobs under way of a workflow that are not paused. */
  | { readonly kind: 'toPause'; readonly workflow: string }
  /** The jobs that are paused with this workflow or agent. */
  | { readonly kind: 'toResume'; readonly with: PausedWith }

/** A job of the answer. The entry is only a hint: read the job before any decision. */
export interface ConcernedJob extends DocumentAddress {
  readonly jobId: string
}

/** A notice that should have been sent. The entry is only a hint: read the notice before you send it. */
export interface UnsentNotice extends DocumentAddress {
  readonly jobId: string
  readonly dueMs: number
}

/** A flagged job. The entry is only a hint: read the job before you raise an alert. */
export interface FlaggedJob extends DocumentAddress, Pick<Attention, 'kind' | 'stepId' | 'since'> {
  readonly jobId: string
}

/**
 * The container of jobs, steps and the user's own documents, with the methods that the roles need to run
 * jobs. For people's queries about jobs, see {@link import('./job-queries.js').JobQueries}. The interface has
 * two implementations, which pass the same test suite: a Cosmos container ({@link
 * import('./cosmos/cosmos-state-store.js').CosmosStateStore}) and the embedded engine.
 *
 * Every method throws `StoreUnavailable` if the store cannot be reached, or if it refuses a request
 * temporarily. Then nothing was written.
 */
export interface StateStore {
  /**
   * Reads a document, or returns null. The result is never older than a version that this process has already
   * seen.
   */
  read(address: DocumentAddress): Promise<Stored<StateDocument> | null>
  /**
   * Reads up to 100 documents, in as few requests as possible. The result has their order. Undefined, or missing at the
   * end, means that this document must be read alone.
   */
  readMany(
    addresses: readonly DocumentAddress[],
  ): Promise<readonly (Stored<StateDocument> | null | undefined)[]>
  /**
   * Applies 1 to 100 writes: either all or none. All documents must have `pk` = `partition`.
   *
   * @throws DocumentInvalid if a document could not be read back (`refuseUnreadable`); nothing was written
   */
  apply(partition: string, writes: readonly StateWrite[]): Promise<ApplyResult>
  listSteps(partition: string, jobId: string): Promise<readonly Stored<StepDocument>[]>
  listNotices(partition: string, jobId: string): Promise<readonly Stored<NoticeDocument>[]>
  /**
   * Lists steps, jobs, schedules, limits and pauses that are due after `afterMs` and before `beforeMs`, earliest first, in pages like
   * {@link listUnsent}. Pages are needed because unreadable documents stay due, and later documents must
   * still be found. Documents of a newer schema are omitted.
   */
  listOverdue(due: OverdueBetween, limit: number): Promise<readonly OverdueDocument[]>
  /**
   * Lists notices that were due after `afterMs` and before `beforeMs`, earliest first. Pages are needed
   * because the notices after a refused notice may stay due for hours. A page has at least `limit` notices if
   * there are that many. A page never ends within a millisecond, so the next page begins after the last
   * notice of this page.
   */
  listUnsent(due: DueBetween, limit: number): Promise<readonly UnsentNotice[]>
  /** Lists jobs flagged after `afterSince` (null: all), by `since`, in pages like {@link listUnsent}. */
  listFlagged(afterSince: string | null, limit: number): Promise<readonly FlaggedJob[]>
  /** Lists the jobs that must still be paused with their workflow, or that are still paused with it. */
  listConcerned(question: PauseQuestion): Promise<readonly ConcernedJob[]>
  /** Lists records of unreadable documents, in any order. Read the document, because a record may be old. */
  listUnreadable(limit: number): Promise<readonly Stored<StateDocument>[]>
}
