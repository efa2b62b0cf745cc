import type { FeedRange } from '../../../lease-store/index.js'

/** The position to read from: the quoted etag of an earlier page, or a first position. */
export type FeedStart =
  | { readonly kind: 'continuation'; readonly token: string }
  | { readonly kind: 'beginning' }
  | { readonly kind: 'now' }
  /** The changes after this instant, in milliseconds since the epoch. The service rounds to the second. */
  | { readonly kind: 'time'; readonly atMs: number }

/** A place in the feed of one range. */
export interface FeedPosition {
  readonly feedRange: FeedRange
  readonly start: FeedStart
}

/** A physical partition's part of the key space. */
export interface PhysicalRange extends FeedRange {
  /** The partition key range id, such as `"0"`. */
  readonly id: string
}

/** The latest version of a changed document, with the fields `_lsn`, `_etag` and `_ts`. */
export type Change<T = Record<string, unknown>> = T & {
  readonly id: string
  readonly _etag: string
  /** The time of the change, in seconds since the epoch. */
  readonly _ts: number
  readonly _lsn: number
}

/** A change in the feed of all versions, with the new state, the old state and the operation. */
export interface VersionChange<T = Record<string, unknown>> {
  /** The document after the change, or an empty object after a delete. */
  readonly current: T | Readonly<Record<string, never>>
  /** The document before the change, if the account keeps earlier versions. */
  readonly previous?: T
  readonly metadata: {
    readonly operationType: 'create' | 'replace' | 'delete'
    /** The number of the transaction, which rises within a feed range. */
    readonly lsn: number
    /** The time of the change, in seconds since the epoch. */
    readonly crts: number
    /** The transaction that wrote the previous version. */
    readonly previousImageLSN?: number
    /** Whether time to live caused the delete. Only a delete has this field. */
    readonly timeToLiveExpired?: boolean
    /** The document's id. Only a delete has this field. */
    readonly id?: string
    /** The partition key's values by the names of their paths. Only a delete has this field. */
    readonly partitionKey?: Readonly<Record<string, unknown>>
  }
}

/** One response of the feed. */
export interface ChangePage<C = Change> {
  /** The changes, oldest first. Empty if nothing is new. All changes of one transaction are in one page. */
  readonly changes: readonly C[]
  /**
   * The `continuation` positions to continue from. There is one position, unless the range was split. After a
   * split there is one position for each child, and the children together cover the range read.
   */
  readonly next: readonly FeedPosition[]
  /** Whether the page is known to be the last for now (the service answered 304). */
  readonly isDrained: boolean
  /** Whether a page with changes is known to follow, so that a reader need not pause. Default false. */
  readonly isFollowed?: boolean
  /** When the request of the page began, as `Clock.monotonic` says. Missing if the reader of the page made this request. */
  readonly begunAtMs?: number
  /** The size of the changes as JSON text, in bytes, if the port knows it. */
  readonly bytes?: number
  /** The request units that the read used. */
  readonly charge: number
  readonly sessionToken: string | null
  readonly headers: Readonly<Record<string, string>>
  /**
   * The SDK's record of the request (`CosmosDiagnostics`), or null if the page did not come through the SDK.
   */
  readonly diagnostics: object | null
}

/** Options for reading a page. */
export interface ReadOptions {
  readonly maxItemCount: number
  /**
   * If another reader of this process has found nothing new, its empty page serves as well, provided that its request
   * began at most this many milliseconds ago. Default 0. A feed may ignore this option.
   */
  readonly emptyWithinMs?: number
  /**
   * Called once if the reader should read again soon, because the pages that follow are in memory now and will not
   * stay there. A feed may ignore this option.
   */
  readonly onPagesWaiting?: () => void
  /** When this signal aborts, a read that is under way rejects immediately. */
  readonly signal: AbortSignal
}

/**
 * Reads the change feed of one container. A failed read rejects and consumes nothing, so the same position
 * may be read again. The `cause` of the error is the store's error.
 */
export interface ChangeFeed {
  /** Returns the current physical partitions, ordered by `min`, without gaps or overlaps. */
  physicalRanges(): Promise<readonly PhysicalRange[]>
  /** Returns the paths of the partition key, such as `/customer`. A hierarchical key has several paths. */
  partitionKeyPaths(): Promise<readonly string[]>
  /**
   * Reads the resource id of the container that has the name now. Null, or no such method: the headers of pages
   * (`x-ms-content-path`) alone tell whether the container was replaced.
   */
  containerRid?(): Promise<string | null>
  /** Reads a page of documents in their latest version. */
  readNext(from: FeedPosition, options: ReadOptions): Promise<ChangePage>
  /**
   * Says that a reader pauses, and which page it will read next with `readNext`. A feed of a store that sends messages may have that page
   * sent with the news of a write. Most feeds have no such method.
   */
  expect?(from: FeedPosition, options: Pick<ReadOptions, 'maxItemCount'>): void
  /**
   * Reads a page of all versions and deletes, for containers that keep them. The position must be `now` or a
   * continuation of this feed, because the service supports neither the beginning nor times here.
   */
  readAllVersions(from: FeedPosition, options: ReadOptions): Promise<ChangePage<VersionChange>>
}
