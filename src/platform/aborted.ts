/**
 * Checks whether `signal` has aborted. If the property were read directly, the compiler would assume that it
 * cannot change during an await.
 */
export function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true
}

/**
 * Settles in the same way as `work`, or resolves with null as soon as `signal` aborts. This function is for
 * work that cannot be interrupted. After the abort, the result of the work is ignored.
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const end = (): void => resolve(null)
    if (signal.aborted) end()
    const ends = endsOf(signal).add(end)
    // One reaction needs fewer promises than `finally`, and every page of a feed needs it.
    work.then(
      (value) => {
        ends.delete(end)
        resolve(value)
      },
      (error: unknown) => {
        ends.delete(end)
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- passes on what the work threw
        reject(error)
      },
    )
  })
}

/** Calls `end` when `signal` aborts. Returns a function that ends this. `signal` must not have aborted yet. */
export function whenAborted(signal: AbortSignal, end: () => void): () => void {
  const ends = endsOf(signal).add(end)
  return () => ends.delete(end)
}

/**
 * The functions to call when a signal aborts. All work with one signal shares one listener, because adding and
 * removing a listener takes longer than the rest of this file does for a page of a feed.
 */
const waiting = new WeakMap<AbortSignal, Set<() => void>>()

function endsOf(signal: AbortSignal): Set<() => void> {
  const known = waiting.get(signal)
  if (known !== undefined) return known
  const ends = new Set<() => void>()
  const endAll = (): void => {
    for (const end of ends) end()
    ends.clear()
  }
  signal.addEventListener('abort', endAll, { once: true })
  waiting.set(signal, ends)
  return ends
}
