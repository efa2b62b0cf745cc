/**
 * Checks whether `signal` has aborted. The compiler takes a property for unchanged after an await, a call
 * not.
 */
export function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true
}

/**
 * Settles as `work` does, or resolves with null as soon as `signal` aborts. It is for work that cannot be
 * interrupted: the caller need not wait for it, and its later result is ignored.
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const end = (): void => resolve(null)
    if (signal.aborted) end()
    signal.addEventListener('abort', end, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end))
  })
}
