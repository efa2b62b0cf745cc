import type { FeedRange } from '../../../lease-store/index.js'
import type { Change } from './change-feed.js'
import type { DelegateError, FeedError } from './errors.js'

/** The origin of a change, and the signal that limits the delegate's work on the change. */
export interface ChangeContext {
  readonly leaseToken: string
  readonly feedRange: FeedRange
  /** The request units that reading the page used. */
  readonly requestCharge: number
  /** The session token of the page. A read with this token returns no state that is older than the page. */
  readonly sessionToken: string | null
  /** The headers of the response that contained the page. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * The SDK's record of the request (`CosmosDiagnostics`), or null if the page did not come through the SDK.
   */
  readonly diagnostics: object | null
  /**
   * Aborts when the lease is lost, the processor stops, or `delegateTimeout` has passed. The changes are then
   * delivered again, unless the processor stops and this call still finishes within `stopTimeout`.
   */
  readonly signal: AbortSignal
  /**
   * Returns true if it is certain, by the store's clock, that no other instance held the lease when a change with this `_ts`
   * was made. At most one instance gets true for a change. In case of doubt the result is false, for
   * example for a change in the second in which the lease was taken over or released.
   */
  readonly wasHeldAt: (_ts: number) => boolean
}

/** The context of a delivered page, with the functions that store its position. */
export interface ChangeFeedContext extends ChangeContext {
  /**
   * Records that all changes up to and including `change` were handled. Without `change`, records that all
   * changes delivered by this call were handled. `change` must be one of the changes delivered by this call.
   * Resolves when the position is stored.
   *
   * A position lies only between two transactions. If later changes of the page belong to the transaction of
   * `change`, the position before that transaction is stored. The whole transaction is then delivered again.
   * The position never goes back, so a call with an earlier change has no effect after a later position was
   * stored.
   *
   * Rejects with {@link import('./errors.js').LeaseLostError} if this instance no longer holds the lease.
   * Another instance then delivers again from the last checkpoint. Rejects with a `RangeError` for a change
   * that this call did not deliver.
   */
  readonly checkpoint: (change?: object) => Promise<void>
  /**
   * Prevents checkpoints beyond the beginning of this page until the returned function is called. A delegate
   * can then return while it still works on some of these changes, so that later pages need not wait. If the
   * lease ends before the function is called, the next owner delivers this page and all later pages again.
   * The returned function may be called more than once, and also after the lease has ended.
   */
  readonly holdCheckpoint: () => () => void
  /**
   * Records that the delegate still works on some changes of this page, until the returned function is
   * called. Checkpoints do not wait for this work. If this process dies and a process of the same machine
   * notices it, the next owner delivers this page and all later pages again.
   *
   * @internal
   */
  readonly keepForSuccessor?: () => () => void
}

/** Receives a page of changes, of latest versions or of all versions. */
export type PageDelegate<C> = (changes: readonly C[], context: ChangeFeedContext) => Promise<void> | void

/**
 * Receives one page of changes, oldest first. The changes of each partition key are in order. When the
 * promise resolves, the page counts as handled. When the promise rejects, the same page is delivered again.
 * In any case a page may be delivered more than once.
 */
export type ChangeFeedDelegate<T> = PageDelegate<Change<T>>

/**
 * Receives one change at a time. When the promise resolves, the change counts as handled. When the promise
 * rejects, the change is delivered again.
 */
export type ChangeDelegate<C> = (change: C, context: ChangeContext) => Promise<void> | void

/** Where a lease without a position begins to read: now, at the beginning of the feed, or at an instant. */
export type StartPosition = 'now' | 'beginning' | Date

/** The reason why the reading of a lease ended. */
export type CloseReason =
  /** The processor was stopped. */
  | 'Shutdown'
  /** Another instance owns the lease, or may own it because this instance did not renew it in time. */
  | 'LeaseLost'
  /**
   * Another instance with fewer leases requested the lease, or this instance is unhealthy or has the same
   * name as another process. The current page was finished first.
   */
  | 'HandedOver'
  /** The lease's range was split, and leases of the parts have replaced the lease. */
  | 'Split'
  /** The feed cannot be read at all. The lease was released, so that any instance may try again. */
  | 'FeedError'
  /** A delegate exceeded `delegateTimeout`. The lease was released, so that any instance may try again. */
  | 'DelegateError'
/**
 * Stores a change that could not be handled. When the promise resolves, the feed continues without the
 * change. When the promise rejects, the function is called again. After a crash the function may be called
 * again for a change that it has already stored.
 */
export type DeadLetter<C> = (change: C, error: DelegateError, context: ChangeContext) => Promise<void> | void

/** The callbacks for acquired leases, released leases and errors. A callback that throws has no effect. */
export interface LifecycleNotifications {
  readonly onLeaseAcquired?: ((leaseToken: string, feedRange: FeedRange) => Promise<void> | void) | undefined
  readonly onLeaseReleased?: ((leaseToken: string, reason: CloseReason) => Promise<void> | void) | undefined
  /**
   * Receives errors. The `cause` of a `DelegateError` is the value that the delegate threw. The `cause` of a
   * `FeedError` is the store's error.
   */
  readonly onError?:
    ((leaseToken: string, error: DelegateError | FeedError) => Promise<void> | void) | undefined
}
