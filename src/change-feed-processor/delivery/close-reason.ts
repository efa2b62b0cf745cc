import type { FeedPosition } from '../feed/change-feed.js'
import type { DelegateError, FeedError } from '../feed/errors.js'

/** The reason why the reading of a lease ended, with the data needed to close the lease. */
export type CloseReason =
  | { readonly reason: 'Shutdown' }
  | { readonly reason: 'LeaseLost' }
  | { readonly reason: 'HandedOver' }
  /** `parts` are the positions at which the children begin. Every earlier change was delivered. */
  | { readonly reason: 'Split'; readonly parts: readonly FeedPosition[] }
  | { readonly reason: 'FeedError'; readonly error: FeedError }
  /** A delegate did not return within its time limit. */
  | { readonly reason: 'DelegateError'; readonly error: DelegateError }
