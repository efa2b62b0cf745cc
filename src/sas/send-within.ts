import type { Clock } from '../platform/index.js'
import { NotDelivered } from './webhook.js'

/** How long somebody else's code and network may take. */
export interface Patience {
  readonly clock: Clock
  readonly limitMs: number
  readonly stop: AbortSignal
}

/**
 * What `send` answers, if it does so in time. It is told by its signal when it is not waited for any more, and one that
 * does not heed that is left behind, so that nobody waits for it for ever.
 */
export async function sendWithin<T>(
  { clock, limitMs, stop }: Patience,
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
