import { compare } from '../../platform/internal.js'
import { NotDelivered } from './webhook.js'

/** The state that decides how an alert may be sent after failed calls. */
export interface SendState {
  /** The largest number of alerts in one call that includes this alert. */
  readonly atMost: number
  readonly failures: number
}

/** The state of an alert before any failed call. */
export const neverFailed: SendState = { atMost: Infinity, failures: 0 }

export type Group<T> = readonly [T, ...T[]]

const retryAfterMs = 30_000
const maxRetryAfterMs = 3_600_000

/**
 * Groups alerts into calls. If there are enough free calls, each alert has its own call. Otherwise all alerts
 * that never failed share one call, and the others share smaller calls, as small as their earlier failures
 * require. Groups without a free call wait.
 */
export function groupsOf<T extends SendState>(
  pending: readonly T[],
  freeCalls: number,
): { readonly now: readonly Group<T>[]; readonly later: readonly T[] } {
  if (pending.length <= freeCalls) return { now: pending.map((one) => [one]), later: [] }
  const groups: [T, ...T[]][] = []
  // `compare` does not subtract, because Infinity minus Infinity is NaN.
  for (const one of [...pending].sort((a, b) => compare(b.atMost, a.atMost))) {
    const last = groups.at(-1)
    if (last?.[0].atMost === one.atMost && last.length < one.atMost) last.push(one)
    else groups.push([one])
  }
  return { now: groups.slice(0, freeCalls), later: groups.slice(freeCalls).flat() }
}

/**
 * Decides how and when an alert is sent again after a call with `count` alerts failed.
 *
 * - If the receiver refused the message, perhaps because of one alert or the size, calls half as large follow
 *   immediately.
 * - If the receiver does not answer, or refuses all messages, the same number of alerts is sent later.
 * - If the receiver refused this alert alone, the pause before the next try doubles.
 */
export function afterFailure(
  { atMost, failures }: SendState,
  count: number,
  error: unknown,
): SendState & { readonly afterMs: number } {
  const isSmaller = count > 1 && !isAboutReceiver(error)
  const isRefused = !isAboutReceiver(error) && isAboutMessage(error)
  const doublings = isRefused && count === 1 ? failures : 0
  const pauseMs = Math.min(retryAfterMs * 2 ** doublings, maxRetryAfterMs)
  return {
    atMost: isSmaller ? Math.ceil(count / 2) : atMost,
    failures: failures + 1,
    afterMs: isSmaller && isRefused ? 0 : pauseMs,
  }
}

/** Statuses that are caused by the caller, the address, the rate of calls or a timeout. */
const aboutReceiver: readonly number[] = [401, 403, 404, 408, 429]

function isAboutReceiver(error: unknown): boolean {
  const status = statusOf(error)
  return status === null ? error instanceof NotDelivered : aboutReceiver.includes(status)
}

function isAboutMessage(error: unknown): boolean {
  const status = statusOf(error)
  return status !== null && status >= 400 && status < 500
}

function statusOf(error: unknown): number | null {
  if (typeof error !== 'object' || error === null) return null
  const status: unknown = Reflect.get(error, 'status')
  return typeof status === 'number' ? status : null
}
