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
    // The two functions remove the listener themselves, because `finally` would add two promises to each page of a feed.
    work.then(
      (result) => {
        signal.removeEventListener('abort', end)
        resolve(result)
      },
      (error: Error) => {
        signal.removeEventListener('abort', end)
        reject(error)
      },
    )
  })
}
