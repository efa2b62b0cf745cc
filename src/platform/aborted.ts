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
    signal.addEventListener('abort', end, { once: true })
    const settled = (): void => signal.removeEventListener('abort', end)
    // This needs fewer promises than `finally`, and a page of a feed needs it.
    work.then(settled, settled)
    work.then(resolve, reject)
  })
}
