/**
 * Resolves with the result of `promise`, or with null as soon as `signal` aborts. It is for calls that cannot be
 * interrupted: the caller need not wait for them, and their later results are ignored.
 */
export function unlessAborted<T extends object>(promise: Promise<T>, signal: AbortSignal): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const end = (): void => resolve(null)
    if (signal.aborted) end()
    signal.addEventListener('abort', end, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', end))
  })
}
