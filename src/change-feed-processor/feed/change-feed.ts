import type { FeedRange } from '../../../lease-store/index.js'

/**
 * The position to read from: a continuation token (the quoted etag of an earlier page) or a first position.
 */
export type FeedStart =
  | { readonly kind: 'continuation'; readonly token: string }
  | { readonly kind: 'beginning' }
  | { readonly kind: 'now' }
  /** Changes after this instant, milliseconds since the epoch. The service rounds it to the second. */
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

/** A changed document as the feed delivers it: its latest version, with `_lsn`, `_etag` and `_ts`. */
export type Change<T = Record<string, unknown>> = T & {
  readonly id: string
  readonly _etag: string
  /** Seconds since the epoch. */
  readonly _ts: number
  readonly _lsn: number
}

/**
 * One change of a document, as the feed of all versions delivers it: its new and old state, and the
 * operation.
 */
export interface VersionChange<T = Record<string, unknown>> {
  /** The document after the change; an empty object after a delete. */
  readonly current: T | Readonly<Record<string, never>>
  /** The document before the change, where the account keeps it. */
  readonly previous?: T
  readonly metadata: {
    readonly operationType: 'create' | 'replace' | 'delete'
    /** The number of the transaction. Rises within a feed range. */
    readonly lsn: number
    /** Seconds since the epoch. */
    readonly crts: number
    /** The transaction that wrote the previous version. */
    readonly previousImageLSN?: number
    /** Of a delete only: whether it was caused by time to live. */
    readonly timeToLiveExpired?: boolean
    /** The document's id; of a delete only. */
    readonly id?: string
    /** Of a delete only: the partition key's values by the names of their paths. */
    readonly partitionKey?: Readonly<Record<string, unknown>>
  }
}

/** One response of the feed. */
export interface ChangePage<C = Change> {
  /** Oldest first. Empty when nothing is new. All changes of one transaction are in one page. */
  readonly changes: readonly C[]
  /**
   * The positions to continue from; always `continuation` positions. It has more than one entry exactly when
   * the range was split: one for each child, together covering the range read.
   */
  readonly next: readonly FeedPosition[]
  /** Whether the page is known to be the last for now (the service answered 304). */
  readonly isDrained: boolean
  /** Request units. */
  readonly charge: number
  readonly sessionToken: string | null
  readonly headers: Readonly<Record<string, string>>
  /** What the SDK recorded about the request (its `CosmosDiagnostics`); null where there is no SDK. */
  readonly diagnostics: object | null
}

/** The options of reading a page. */
export interface ReadOptions {
  readonly maxItemCount: number
  /** Aborting it rejects a read that is under way, at once. */
  readonly signal: AbortSignal
}

/**
 * Reads the change feed of one container. A read that fails rejects and consumes nothing: the same position
 * may be read again. The error carries the store's error as `cause`.
 */
export interface ChangeFeed {
  /** Returns the current physical partitions: no gap, no overlap, ordered by `min`. */
  physicalRanges(): Promise<readonly PhysicalRange[]>
  /**
   * Returns the paths of the container's partition key, such as `/customer`; several when it is hierarchical.
   */
  partitionKeyPaths(): Promise<readonly string[]>
  /** Reads a page of documents in their latest version. */
  readNext(from: FeedPosition, options: ReadOptions): Promise<ChangePage>
  /**
   * Reads a page of all versions and deletes, for containers that keep them. Positions are `now` or a
   * continuation of this same feed. The service supports no beginning and no times here.
   */
  readAllVersions(from: FeedPosition, options: ReadOptions): Promise<ChangePage<VersionChange>>
}
