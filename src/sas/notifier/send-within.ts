import type { Clock } from '../../platform/index.js'
import { NotDelivered } from './webhook.js'

/** The time limit for a call to foreign code or to the network, and the signal to stop. */
export interface SendLimits {
  readonly clock: Clock
  readonly limitMs: number
  readonly stop: AbortSignal
}

/**
 * Calls `send` and waits for its result for a limited time. After this time, the signal aborts, and the call
 * rejects even if `send` ignores the signal.
 */
export async function sendWithin<T>(
  { clock, limitMs, stop }: SendLimits,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController()
  const timer = clock.schedule(limitMs, () =>
    late.abort(new NotDelivered(`no answer within ${limitMs} ms`, null)),
  )
  const signal = AbortSignal.any([late.signal, stop])
  const given = new AbortController()
  const givenUp = new Promise<never>((_, reject) => {
    const give = (): void => reject(signal.reason as Error)
    signal.addEventListener('abort', give, { once: true, signal: given.signal })
  })
  try {
    signal.throwIfAborted()
    return await Promise.race([send(signal), givenUp])
  } finally {
    timer.cancel()
    given.abort()
  }
}
