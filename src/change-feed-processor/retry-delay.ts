import { cosmosErrorKind } from '../../lease-store/index.js'
import { backoffDelayMs, type Backoff, type Random } from '../platform/index.js'

const backoff: Backoff = { minMs: 100, maxMs: 5_000 }

/** How long to wait before a request to the store is made again: what the server advises, else longer each time. */
export function retryDelayMs(error: unknown, failures: number, random: Random): number {
  const failure = cosmosErrorKind(error)
  const advisedMs = failure.kind === 'throttled' ? failure.retryAfterMs : null
  return advisedMs ?? backoffDelayMs(failures, backoff, random)
}
