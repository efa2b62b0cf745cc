import type { FeedRange } from '../../lease-store/index.js'
import type { Change } from './change-feed.js'

/** What a delegate is told about the page it gets. */
export interface ChangeFeedContext {
  readonly leaseToken: string
  readonly feedRange: FeedRange
  /** Request units that reading the page took. */
  readonly requestCharge: number
  /** For reads that must not be older than the page. */
  readonly sessionToken: string | null
  /** Of the response the page came in. */
  readonly headers: Readonly<Record<string, string>>
  /** Aborts when the lease is lost or the processor stops: the page will be delivered again unless it is finished. */
  readonly signal: AbortSignal
}

/**
 * Receives one page of changes, oldest first, in order per partition key. When it resolves, the page counts as handled;
 * when it rejects, the same page comes again. A page may come more than once in any case.
 */
export type ChangeFeedDelegate<T> = (
  changes: readonly Change<T>[],
  context: ChangeFeedContext,
) => Promise<void> | void

/** Where leases without a position begin: with changes from now on, with everything, or with changes after an instant. */
export type StartPosition = 'now' | 'beginning' | Date

/** Why the reading of a lease ended. */
export type CloseReason =
  /** The processor was stopped. */
  | 'Shutdown'
  /** Somebody else has it, or it could not be renewed in time to be sure that nobody has. */
  | 'LeaseLost'
  /** Another instance, which has less to do, asked for it; the page under way was finished first. */
  | 'HandedOver'
  /** Its range was split; leases of the parts have taken its place. */
  | 'Split'
  /** The feed cannot be read at all; the lease was given back for another try by anybody. */
  | 'FeedError'
