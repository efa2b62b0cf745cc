import { errorMessage } from '../../../platform/internal.js'
import { cosmosErrorKind, isTransient } from '../../../../lease-store/internal.js'
import { StoreRefused, StoreUnavailable } from '../../model/errors.js'

/** Returns `StoreUnavailable` for a temporary failure, and `StoreRefused` for a permanent failure. */
export function storeError(operation: string, error: unknown): Error {
  const known = cosmosErrorKind(error)
  const detail = errorMessage(error)
  if (isTransient(known.kind)) {
    const retryAfterMs =
      known.kind === 'throttled' && known.retryAfterMs !== null ? { retryAfterMs: known.retryAfterMs } : {}
    return new StoreUnavailable(`${operation}: the store is not available: ${detail}`, {
      cause: error,
      ...retryAfterMs,
    })
  }
  return new StoreRefused(`${operation}: the store refused the request: ${detail}`, { cause: error })
}
