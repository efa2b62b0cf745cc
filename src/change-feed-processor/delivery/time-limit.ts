import type { Clock } from '../../platform/index.js'
import { withinLimit } from '../../platform/internal.js'

/**
 * Thrown when an operation exceeds its limit. `cosmosErrorKind` classifies the code as transient, so reads
 * are retried.
 */
export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError'
  readonly code = 'TimeoutError'

  constructor(what: string, limitMs: number) {
    super(`${what} took longer than ${limitMs} ms`)
  }
}

/** The time limit of an operation, and the caller's signal that may end the operation earlier. */
export interface CallLimit {
  readonly clock: Clock
  readonly limitMs: number
  readonly signal: AbortSignal
  /** The name of the operation in the error. */
  readonly what: string
}

/**
 * Runs `act` with a signal that aborts when the caller's signal aborts or the limit is reached. At the limit,
 * rejects immediately with {@link TimeLimitError}, even if `act` ignores its signal.
 */
export async function calledWithin<T>(
  act: (signal: AbortSignal) => Promise<T> | T,
  { clock, limitMs, signal, what }: CallLimit,
): Promise<T> {
  const ending = new AbortController()
  const end = (): void => {
    ending.abort()
  }
  if (signal.aborted) end()
  // The listener is removed below, because the caller's signal outlives many calls.
  signal.addEventListener('abort', end, { once: true })
  const atLimit = (): never => {
    const error = new TimeLimitError(what, limitMs)
    ending.abort(error)
    throw error
  }
  try {
    const acting = (async () => act(ending.signal))()
    return await withinLimit(clock, limitMs, acting, atLimit)
  } finally {
    signal.removeEventListener('abort', end)
  }
}
