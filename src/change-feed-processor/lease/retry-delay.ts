import { backoffDelayMs, type Backoff, type Random } from '../../platform/index.js'

const backoff: Backoff = { minMs: 100, maxMs: 5_000 }

/** How long to wait before a request to the store is made again: what the server advises, else longer each time. */
export function retryDelayMs(error: unknown, failures: number, random: Random): number {
  return advisedMs(error) ?? backoffDelayMs(failures, backoff, random)
}

/** Advice comes with any refusal that passes (429, 449, 503), as a field or, where the SDK drops that, as a header. */
function advisedMs(error: unknown): number | null {
  if (typeof error !== 'object' || error === null) return null
  const { retryAfterInMs, headers, cause } = error as Readonly<Record<string, unknown>>
  const advice = Number(retryAfterInMs ?? headerOf(headers, 'x-ms-retry-after-ms') ?? Number.NaN)
  return Number.isFinite(advice) && advice >= 0 ? advice : advisedMs(cause)
}

function headerOf(headers: unknown, name: string): unknown {
  return typeof headers === 'object' && headers !== null ? Reflect.get(headers, name) : undefined
}
