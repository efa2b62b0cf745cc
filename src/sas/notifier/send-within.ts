import type { Clock } from '../../platform/index.js'
import { NotDelivered } from './webhook.js'

/** The limit for a call of foreign code or the network. */
export interface SendLimits {
  readonly clock: Clock
  readonly limitMs: number
  readonly stop: AbortSignal
}

/**
 * Calls `send` and waits for its result for a limited time. Then its signal aborts. A `send` that ignores the
 * signal is no longer awaited, so the caller never hangs.
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
