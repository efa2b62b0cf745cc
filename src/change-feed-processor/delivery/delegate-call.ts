import type { CloseReason } from './close-reason.js'
import type { DeliverySite } from './delivery.js'
import { DelegateError } from '../feed/errors.js'
import { TimeLimitError, calledWithin } from './time-limit.js'

export type DelegateCall =
  | { readonly kind: 'handled' }
  | { readonly kind: 'failed'; readonly error: DelegateError }
  /** The call was not made, or ended because its signal aborted. */
  | { readonly kind: 'close'; readonly closing: CloseReason }

const handled: DelegateCall = { kind: 'handled' }

/**
 * Calls the user's delegate once, unless delivery has ended. Directly before the call, checks for the last
 * time whether the lease can be trusted.
 *
 * A delegate that does not return within its time limit counts as failed. If failures are limited, the change
 * is later set aside like any other change that keeps failing. Otherwise the lease is released (F-C14),
 * because this process itself may be the cause and must not keep the lease forever.
 */
export async function callDelegate(
  site: DeliverySite,
  call: (signal: AbortSignal) => Promise<void> | void,
): Promise<DelegateCall> {
  const { runtime, holder, signal, closing } = site
  const { clock, options, notifications, gate } = runtime
  const { leaseToken } = holder.lease
  if (gate.isPaused) await gate.passed(signal)
  const before = closing()
  if (before !== null) return { kind: 'close', closing: before }
  const { delegateTimeoutMs: limitMs } = options
  try {
    await (limitMs === null
      ? call(signal)
      : calledWithin(call, { clock, signal, limitMs, what: 'a call of the delegate' }))
    return handled
  } catch (cause) {
    // A delegate that stops because its signal aborted has not failed.
    const told = closing()
    if (told !== null) return { kind: 'close', closing: told }
    const error = new DelegateError(leaseToken, cause)
    notifications.failed(leaseToken, error)
    const isGivenBack = cause instanceof TimeLimitError && options.failureLimits.tries === null
    return isGivenBack
      ? { kind: 'close', closing: { reason: 'DelegateError', error } }
      : { kind: 'failed', error }
  }
}
