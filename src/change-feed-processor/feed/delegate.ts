import type { FeedRange } from '../../../lease-store/index.js'
import type { Change } from './change-feed.js'
import type { DelegateError, FeedError } from './errors.js'

/** The origin of a change, and the time for which the delegate may work on it. */
export interface ChangeContext {
  readonly leaseToken: string
  readonly feedRange: FeedRange
  /** Request units of reading the page. */
  readonly requestCharge: number
  /** Pass it to reads that must not be older than the page. */
  readonly sessionToken: string | null
  /** The headers of the response that contained the page. */
  readonly headers: Readonly<Record<string, string>>
  /** What the SDK recorded about the request (its `CosmosDiagnostics`); null where there is no SDK. */
  readonly diagnostics: object | null
  /**
   * Aborts when the lease is lost, the processor stops, or `delegateTimeout` is over. The changes are then
   * delivered again unless this call finishes.
   */
  readonly signal: AbortSignal
  /**
   * Returns whether this instance certainly held the lease, by the store's clock, when a change with this
   * `_ts` was made. At most one instance gets true for a change. In doubt the result is false, for instance
   * for a change in the second in which the lease was acquired.
   */
  readonly wasHeldAt: (_ts: number) => boolean
}

/** The context of a delivered page, with the functions that store its position. */
export interface ChangeFeedContext extends ChangeContext {
  /**
   * Records that everything up to `change` was handled; without `change`, everything delivered by this call.
   * `change` must be one of the changes delivered by this call. Resolves when the position is stored, which
   * includes everything before it.
   *
   * A position lies only between two transactions. If later changes of the page belong to the transaction of
   * `change`, the position before that transaction is stored, and the whole transaction is delivered again.
   * The position never goes back: an earlier change has no effect after a later one was stored.
   *
   * Rejects with {@link import('./errors.js').LeaseLostError} when this instance no longer holds the lease:
   * another one delivers again from the last checkpoint. Rejects with a `RangeError` for a change that this
   * call did not deliver.
   */
  readonly checkpoint: (change?: object) => Promise<void>
  /**
   * Prevents checkpoints beyond the beginning of this page until the returned function is called. It is for a
   * delegate that returns while it still works on some of these changes, so that later pages need not wait.
   * When the lease ends before that, this page and all later ones are delivered again by the next owner. The
   * returned function may be called more than once, and after the lease has ended.
   */
  readonly holdCheckpoint: () => () => void
}

/** Receives a page of changes, in the shape of either feed. */
export type PageDelegate<C> = (changes: readonly C[], context: ChangeFeedContext) => Promise<void> | void

/**
 * Receives one page of changes, oldest first, in order per partition key. When it resolves, the page counts
 * as handled. When it rejects, the same page is delivered again. A page may be delivered more than once in
 * any case.
 */
export type ChangeFeedDelegate<T> = PageDelegate<Change<T>>

/**
 * Receives one change at a time. When it resolves, the change counts as handled; when it rejects, it is
 * delivered again.
 */
export type ChangeDelegate<C> = (change: C, context: ChangeContext) => Promise<void> | void

/** The start of leases without a position: changes from now on, everything, or changes after an instant. */
export type StartPosition = 'now' | 'beginning' | Date

/** The reason why the reading of a lease ended. */
export type CloseReason =
  /** The processor was stopped. */
  | 'Shutdown'
  /**
   * Another instance owns the lease, or this one could not renew it early enough to be sure that none does.
   */
  | 'LeaseLost'
  /**
   * Another instance with fewer leases requested it, or this instance stood by. The current page was finished
   * first.
   */
  | 'HandedOver'
  /** Its range was split, and leases of the parts have replaced it. */
  | 'Split'
  /** The feed cannot be read at all. The lease was released, so that any instance may try again. */
  | 'FeedError'
  /**
   * A delegate did not return within `delegateTimeout`. The lease was released, so that any instance may try
   * again.
   */
  | 'DelegateError'
/**
 * Stores a change that could not be handled. When it resolves, the feed goes on without the change; when it
 * rejects, it is called again. After a crash it may be called again for a change that it has already stored.
 */
export type DeadLetter<C> = (change: C, error: DelegateError, context: ChangeContext) => Promise<void> | void

/**
 * Called when leases are acquired and released, and on errors. A callback that throws or rejects does no
 * harm.
 */
export interface LifecycleNotifications {
  readonly onLeaseAcquired?: ((leaseToken: string, feedRange: FeedRange) => Promise<void> | void) | undefined
  readonly onLeaseReleased?: ((leaseToken: string, reason: CloseReason) => Promise<void> | void) | undefined
  /**
   * A `DelegateError` comes from the delegate and has what it threw as `cause`. A `FeedError` has the store's
   * error.
   */
  readonly onError?:
    ((leaseToken: string, error: DelegateError | FeedError) => Promise<void> | void) | undefined
}
