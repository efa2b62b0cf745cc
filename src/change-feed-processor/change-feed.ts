import type { FeedRange } from '../../lease-store/index.js'

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

/** One answer of the feed. */
export interface ChangePage {
  /** Oldest first. Empty when nothing is new. All documents of one transaction are in one page. */
  readonly changes: readonly Change[]
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
}

/** How to read a page. */
export interface ReadOptions {
  readonly maxItemCount: number
  readonly signal: AbortSignal
}

/**
 * The change feed of one container. Rejects when a page could not be read, with nothing consumed: the same position may
 * be read again. A rejection carries the store's error as `cause`.
 */
export interface ChangeFeed {
  /** The physical partitions as they are now: no gap, no overlap, ordered by `min`. */
  physicalRanges(): Promise<readonly PhysicalRange[]>
  readNext(from: FeedPosition, options: ReadOptions): Promise<ChangePage>
}
