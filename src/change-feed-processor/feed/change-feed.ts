import type { FeedRange } from '../../../lease-store/index.js'

/** Where to read from: a continuation token (the quoted etag of an earlier page) or a first position. */
export type FeedStart =
  | { readonly kind: 'continuation'; readonly token: string }
  | { readonly kind: 'beginning' }
  | { readonly kind: 'now' }
  /** Changes after this instant, milliseconds since the epoch; the service knows it to the second. */
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

/** A changed document as the feed hands it over: its latest version, with `_lsn`, `_etag` and `_ts`. */
export type Change<T = Record<string, unknown>> = T & {
  readonly id: string
  readonly _etag: string
  /** Seconds since the epoch. */
  readonly _ts: number
  readonly _lsn: number
}

/** One change of a document, as the feed of all versions hands it over: what it became, what it was, what happened. */
export interface VersionChange<T = Record<string, unknown>> {
  /** The document after the change; an empty object after a delete. */
  readonly current: T | Readonly<Record<string, never>>
  /** The document before the change, where the account keeps it. */
  readonly previous?: T
  readonly metadata: {
    readonly operationType: 'create' | 'replace' | 'delete'
    /** Of the transaction; rises within a feed range. */
    readonly lsn: number
    /** Seconds since the epoch. */
    readonly crts: number
    /** The transaction that wrote the version before. */
    readonly previousImageLSN?: number
    /** Of a delete only: whether it was by time to live. */
    readonly timeToLiveExpired?: boolean
    /** Of a delete only. */
    readonly id?: string
    /** Of a delete only: the partition key's values by the names of their paths. */
    readonly partitionKey?: Readonly<Record<string, unknown>>
  }
}

/** One answer of the feed. */
export interface ChangePage<C = Change> {
  /** Oldest first. Empty when nothing is new. All changes of one transaction are in one page. */
  readonly changes: readonly C[]
  /**
   * Where to go on; always `continuation` positions. More than one entry exactly when the range was split: one for each
   * child, together covering the range read.
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

/** How to read a page. */
export interface ReadOptions {
  readonly maxItemCount: number
  /** Rejects a read that is under way, at once. */
  readonly signal: AbortSignal
}

/**
 * The change feed of one container. Reading rejects when a page could not be read, with nothing consumed: the same position may
 * be read again. A rejection carries the store's error as `cause`.
 */
export interface ChangeFeed {
  /** The physical partitions as they are now: no gap, no overlap, ordered by `min`. */
  physicalRanges(): Promise<readonly PhysicalRange[]>
  /** The paths of the container's partition key, such as `/customer`; several when it is hierarchical. */
  partitionKeyPaths(): Promise<readonly string[]>
  /** Documents in their latest version. */
  readNext(from: FeedPosition, options: ReadOptions): Promise<ChangePage>
  /**
   * Every version and every delete, for containers that keep them. Positions are `now` or a continuation of this same
   * feed; the service knows no beginning and no times here.
   */
  readAllVersions(from: FeedPosition, options: ReadOptions): Promise<ChangePage<VersionChange>>
}
