/**
 * What `promise` resolves with, or null as soon as `signal` aborts: for calls that cannot be interrupted. Nobody has to wait
 * for them, and what comes of them then is never seen.
 */
export async function unlessAborted<T extends object>(
  promise: Promise<T>,
  signal: AbortSignal,
): Promise<T | null> {
  let abort: (() => void) | undefined
  const aborted = new Promise<null>((resolve) => {
    abort = () => {
      resolve(null)
    }
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    if (abort !== undefined) signal.removeEventListener('abort', abort)
  }
}
