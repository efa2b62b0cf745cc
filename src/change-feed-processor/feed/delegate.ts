import type { FeedRange } from '../../../lease-store/index.js'
import type { Change } from './change-feed.js'
import type { DelegateError, FeedError } from './errors.js'

/** Where a change came from, and until when it may be worked on. */
export interface ChangeContext {
  readonly leaseToken: string
  readonly feedRange: FeedRange
  /** Request units that reading the page took. */
  readonly requestCharge: number
  /** For reads that must not be older than the page. */
  readonly sessionToken: string | null
  /** Of the response the page came in. */
  readonly headers: Readonly<Record<string, string>>
  /** What the SDK recorded about the request (its `CosmosDiagnostics`); null where there is no SDK. */
  readonly diagnostics: object | null
  /**
   * Aborts when the lease is lost, the processor stops, or `delegateTimeoutMs` is over: the changes will be delivered
   * again unless this call finishes.
   */
  readonly signal: AbortSignal
  /**
   * Whether this instance certainly held the lease, by the store's clock, when a change with this `_ts` was made. At most
   * one instance gets true for a change. In doubt the answer is false, for instance for a change in the second in which
   * the lease was acquired.
   */
  readonly wasHeldAt: (_ts: number) => boolean
}

/** What a delegate is told about the page it gets. */
export interface ChangeFeedContext extends ChangeContext {
  /**
   * Stores that everything up to `change`, one of those delivered by this call, was handled; without it, everything
   * delivered by this call. Resolves when it is stored; what came before it is stored with it. A position lies only
   * between two transactions: if later changes of the page belong to the transaction of `change`, the position before
   * that transaction is stored, and it will come again whole. Never goes back: what a later call has stored stays.
   *
   * Rejects with {@link import('./errors.js').LeaseLostError} when the lease is no longer held: others have it, and
   * deliver again from the last checkpoint. Rejects with a `RangeError` for a change that this call did not deliver.
   */
  readonly checkpoint: (change?: object) => Promise<void>
  /**
   * Keeps every checkpoint before this page until the answer is called: for a delegate that returns while it still works
   * on some of these changes, so that the pages behind it need not wait. When the lease ends before that, the page and
   * all behind it come again, to whoever has the lease then. The answer may be called more than once, and too late.
   */
  readonly holdCheckpoint: () => () => void
}

/** Receives changes that come together, in the shape of either feed. */
export type PageDelegate<C> = (changes: readonly C[], context: ChangeFeedContext) => Promise<void> | void

/**
 * Receives one page of changes, oldest first, in order per partition key. When it resolves, the page counts as handled;
 * when it rejects, the same page comes again. A page may come more than once in any case.
 */
export type ChangeFeedDelegate<T> = PageDelegate<Change<T>>

/** Receives one change at a time: when it resolves, that counts as handled; when it rejects, it comes again. */
export type ChangeDelegate<C> = (change: C, context: ChangeContext) => Promise<void> | void

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
  /** A delegate did not return within `delegateTimeoutMs`; the lease was given back for another try by anybody. */
  | 'DelegateError'
/**
 * Keeps a change that could not be handled. When it resolves, the feed goes on without it; when it rejects, it is called
 * again. It may be called again for a change that it has kept already, after a crash.
 */
export type DeadLetter<C> = (change: C, error: DelegateError, context: ChangeContext) => Promise<void> | void

/** Called as leases come and go. One that throws or rejects does no harm. */
export interface LifecycleNotifications {
  readonly onLeaseAcquired?: (leaseToken: string, feedRange: FeedRange) => Promise<void> | void
  readonly onLeaseReleased?: (leaseToken: string, reason: CloseReason) => Promise<void> | void
  /** A `DelegateError` is yours and has what you threw as `cause`; a `FeedError` has the store's error. */
  readonly onError?: (leaseToken: string, error: DelegateError | FeedError) => Promise<void> | void
}
