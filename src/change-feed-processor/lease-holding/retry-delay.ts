import type { Random } from '../../platform/index.js'
import { backoffDelayMs, type Backoff } from '../../platform/internal.js'

const backoff: Backoff = { minMs: 100, maxMs: 5_000 }

/** Returns the pause that the server advises before a retry, or else a pause that grows with each failure. */
export function retryDelayMs(error: unknown, failures: number, random: Random): number {
  return advisedMs(error) ?? backoffDelayMs(failures, backoff, random)
}

/**
 * Returns the pause that the server advises (with status 429, 449 or 503), or null. The pause is in a header
 * if the SDK omits the field.
 */
function advisedMs(error: unknown): number | null {
  if (typeof error !== 'object' || error === null) return null
  const { retryAfterInMs, headers, cause } = error as Readonly<Record<string, unknown>>
  const advice = Number(retryAfterInMs ?? headerOf(headers, 'x-ms-retry-after-ms') ?? Number.NaN)
  return Number.isFinite(advice) && advice >= 0 ? advice : advisedMs(cause)
}

function headerOf(headers: unknown, name: string): unknown {
  return typeof headers === 'object' && headers !== null ? Reflect.get(headers, name) : undefined
}
