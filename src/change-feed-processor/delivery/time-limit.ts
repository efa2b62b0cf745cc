import type { Clock, Timer } from '../../platform/index.js'

/** Something took longer than it may. `cosmosErrorKind` knows the code: what was read may be read again. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError'
  readonly code = 'TimeoutError'

  constructor(what: string, limitMs: number) {
    super(`${what} took longer than ${limitMs} ms`)
  }
}

/** How long something may take, and who else may end it. */
export interface TimeLimit {
  readonly clock: Clock
  /** Null for as long as it likes. */
  readonly limitMs: number | null
  readonly signal: AbortSignal
  /** Names it in the error. */
  readonly what: string
}

/**
 * Runs `act` with a signal that aborts with the caller's and when the time is over. In the latter case it rejects with
 * {@link TimeLimitError} at once, whether or not `act` heeds the signal; what `act` still does is nobody's then.
 */
export async function withinLimit<T>(
  act: (signal: AbortSignal) => Promise<T> | T,
  { clock, limitMs, signal, what }: TimeLimit,
): Promise<T> {
  if (limitMs === null) return act(signal)
  const ending = new AbortController()
  const end = (): void => {
    ending.abort()
  }
  if (signal.aborted) end()
  // Taken off again below: the caller's signal outlives very many calls.
  signal.addEventListener('abort', end, { once: true })
  let timer: Timer | undefined
  try {
    return await new Promise<T>((resolve, reject) => {
      timer = clock.schedule(limitMs, () => {
        const error = new TimeLimitError(what, limitMs)
        ending.abort(error)
        reject(error)
      })
      Promise.resolve(act(ending.signal)).then(resolve, reject)
    })
  } finally {
    timer?.cancel()
    signal.removeEventListener('abort', end)
  }
}
