/**
 * What `promise` resolves with, or null as soon as `signal` aborts: for calls that cannot be interrupted. Nobody has to wait
 * for them, and what comes of them then is never seen.
 */
export function unlessAborted<T extends object>(promise: Promise<T>, signal: AbortSignal): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const end = (): void => resolve(null)
    if (signal.aborted) end()
    signal.addEventListener('abort', end, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', end))
  })
}
