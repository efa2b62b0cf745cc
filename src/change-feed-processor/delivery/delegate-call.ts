import type { Closing } from './closing.js'
import type { DeliverySite } from './delivery.js'
import { DelegateError } from '../feed/errors.js'
import { TimeLimitError, withinLimit } from './time-limit.js'

/** How one call of the user's delegate ended. */
export type DelegateCall =
  | { readonly kind: 'handled' }
  | { readonly kind: 'failed'; readonly error: DelegateError }
  /** It was not made, or broke off because it was told to. */
  | { readonly kind: 'close'; readonly closing: Closing }

/**
 * Calls the user's delegate once, unless nothing shall be delivered (any more): the last look at the trust in the lease
 * comes directly before the call. A delegate that does not return in its time counts as failed. Where failures are
 * limited that is all, so that a poison that hangs is set aside like any other; where they are not, the lease is given
 * back (F-C14): a process in which a delegate hangs may be the reason, and must not keep the feed for ever.
 */
export async function callDelegate(
  site: DeliverySite,
  call: (signal: AbortSignal) => Promise<void> | void,
): Promise<DelegateCall> {
  const { runtime, holder, signal, closing } = site
  const { clock, options, notifications, gate } = runtime
  const { leaseToken } = holder.lease
  await gate.passed(signal)
  const before = closing()
  if (before !== null) return { kind: 'close', closing: before }
  const limit = { clock, signal, limitMs: options.delegateTimeoutMs, what: 'a call of the delegate' }
  try {
    await withinLimit(call, limit)
    return { kind: 'handled' }
  } catch (cause) {
    // A delegate that stops because it was told to has not failed.
    const told = closing()
    if (told !== null) return { kind: 'close', closing: told }
    const error = new DelegateError(leaseToken, cause)
    notifications.failed(leaseToken, error)
    const isGivenBack = cause instanceof TimeLimitError && options.failureLimits.maxAttempts === null
    return isGivenBack
      ? { kind: 'close', closing: { reason: 'DelegateError', error } }
      : { kind: 'failed', error }
  }
}
